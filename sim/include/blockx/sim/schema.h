// The JSON Schema of scenario files.
#ifndef BLOCKX_SIM_SCHEMA_H_
#define BLOCKX_SIM_SCHEMA_H_

#include <string>

namespace blockx::sim {

// Draft 2020-12, with a line feed at the end; the same bytes in every build. It knows each field by
// itself; what must hold between fields (a trace's columns, a source that ends) is checked by
// ParseScenario alone.
[[nodiscard]] std::string ScenarioSchema();

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SCHEMA_H_
