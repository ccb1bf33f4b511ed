#ifndef BLOCKX_SIM_SRC_SCRIPT_DONORS_H_
#define BLOCKX_SIM_SRC_SCRIPT_DONORS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/random.h"
#include "blockx/sim/script.h"

namespace blockx::sim {

// What stands in for what a script does not say: something that it does say, chosen by who asks.
// The script must outlive it.
class ScriptDonors {
 public:
  explicit ScriptDonors(const Script& script);

  struct Work {
    const RunScript* run = nullptr;
    engine::Duration takes{};
  };
  struct Attempt {
    const AttemptScript* attempt = nullptr;
    engine::Duration takes{};
  };

  // Null, nothing: the script has none. `entity` and `n`: who asks, and for the how-many-th time.

  // A run that was seen to its end; of that function, where there is one.
  [[nodiscard]] const RunScript* Run(std::string_view function, std::uint64_t entity) const;
  // One that was left to itself and took longer than that; if none did, a little longer.
  [[nodiscard]] std::optional<Work> WorkLike(ScriptWork work, std::string_view function,
                                             engine::Duration at_least, std::uint64_t entity) const;
  [[nodiscard]] std::optional<Attempt> AttemptLike(std::string_view function,
                                                   engine::Duration at_least, std::uint64_t entity,
                                                   std::uint64_t n) const;
  [[nodiscard]] std::optional<engine::Duration> WorkStops(ScriptWork work,
                                                          std::uint64_t entity) const;
  [[nodiscard]] std::optional<engine::Duration> AttemptStops(std::uint64_t entity,
                                                             std::uint64_t n) const;
  [[nodiscard]] std::optional<engine::Duration> Connects(std::uint64_t entity,
                                                         std::uint64_t n) const;
  [[nodiscard]] std::optional<engine::Duration> Exits(std::uint64_t entity, std::uint64_t n) const;

 private:
  template <class T>
  struct Sample {
    engine::Duration takes{};
    const T* source = nullptr;
  };
  // In order of duration, then of the script.
  template <class T>
  using Samples = std::vector<Sample<T>>;
  template <class T>
  struct Pool {
    std::map<std::string, Samples<T>, std::less<>> by_function;
    Samples<T> all;

    void Add(std::string_view function, engine::Duration takes, const T* source);
    void Sort();
    [[nodiscard]] std::optional<Sample<T>> Pick(std::string_view function,
                                                engine::Duration at_least, const Key& key) const;
  };
  using Durations = std::vector<engine::Duration>;

  void AddRun(const RunScript& run);
  void AddCall(const CallScript& call);

  Pool<RunScript> runs_;
  std::array<Pool<RunScript>, kScriptWorks> works_;
  Pool<AttemptScript> attempts_;
  std::array<Durations, kScriptWorks> work_stops_;
  Durations attempt_stops_;
  Durations connects_;
  Durations exits_;
};

// What a piece of work is looked up by: a writer by its result handler, all else by the function.
inline std::string_view FunctionOf(const SubmissionScript& submission, ScriptWork work) {
  return work == ScriptWork::kWriter ? submission.result_handler : submission.function;
}

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCRIPT_DONORS_H_
