#include "blockx/sim/schema.h"

#include <gtest/gtest.h>

#include "sim/input_files.h"

namespace blockx::sim {
namespace {

TEST(SchemaTest, TheShippedSchemaIsThatOfTheReader) {
  // After a change of the format: blockx-sim schema > scenarios/schema.json
  EXPECT_EQ(ReadWholeFile(ScenarioDirectory() + "/schema.json"), ScenarioSchema());
}

TEST(SchemaTest, EveryConfigurationFieldIsDescribed) {
  const std::string schema = ScenarioSchema();
  for (const engine::ConfigField& field : engine::ConfigFields()) {
    const std::string name(field.path.substr(field.path.find('.') + 1));
    EXPECT_NE(schema.find('"' + name + "\": {"), std::string::npos) << field.path;
  }
}

}  // namespace
}  // namespace blockx::sim
