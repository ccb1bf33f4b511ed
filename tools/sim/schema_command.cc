#include "schema_command.h"

#include <cstdio>
#include <string>

#include "blockx/sim/schema.h"
#include "exit_code.h"

namespace blockx::tools {

void AddSchemaCommand(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("schema", "Prints the JSON Schema of scenario files");
  command.footer("Example:\n  blockx-sim schema > schema.json");
  command.callback([&exit_code] {
    const std::string schema = sim::ScenarioSchema();
    const bool written = std::fwrite(schema.data(), 1, schema.size(), stdout) == schema.size() &&
                         std::fflush(stdout) == 0;
    if (!written) std::fprintf(stderr, "writing the schema failed\n");
    exit_code = written ? kDone : kInternal;
  });
}

}  // namespace blockx::tools
