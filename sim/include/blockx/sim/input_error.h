// What is wrong with an input file, said to the person who wrote it.
#ifndef BLOCKX_SIM_INPUT_ERROR_H_
#define BLOCKX_SIM_INPUT_ERROR_H_

#include <string>
#include <vector>

namespace blockx::sim {

struct InputError {
  std::string
      path;  // JSON pointer to the value, "/workload/0/arrivals/rate"; empty: the file as a whole.
  std::string message;  // What stood there and what was expected.
};

using InputErrors = std::vector<InputError>;

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_INPUT_ERROR_H_
