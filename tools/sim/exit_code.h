// What the programs tell their caller.
#ifndef BLOCKX_TOOLS_SIM_EXIT_CODE_H_
#define BLOCKX_TOOLS_SIM_EXIT_CODE_H_

namespace blockx::tools {

enum ExitCode : int {
  kDone = 0,
  kMissed = 1,    // an objective was not met
  kBadInput = 2,  // or bad usage
  kInternal = 3,  // a defect, or an environment that does not do its part
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_EXIT_CODE_H_
