#include "script_donors.h"

#include <algorithm>

namespace blockx::sim {
namespace {

using engine::Duration;

constexpr std::uint64_t kSeed = 0;  // A play has no luck of its own.

Key KeyOf(std::uint64_t entity, std::uint64_t n) { return {kSeed, entity, Choice::kDonor, n}; }

std::optional<Duration> PickFrom(const std::vector<Duration>& durations, const Key& key) {
  if (durations.empty()) return std::nullopt;
  return durations[KeyedStream(key).Below(durations.size())];
}

// Questions about one entity that must not have one answer.
enum : std::uint64_t { kWholeRun = 100, kStops = 200 };

}  // namespace

template <class T>
void ScriptDonors::Pool<T>::Add(std::string_view function, Duration takes, const T* source) {
  const auto at = by_function.try_emplace(std::string(function)).first;
  at->second.push_back({takes, source});
  all.push_back({takes, source});
}

template <class T>
void ScriptDonors::Pool<T>::Sort() {
  const auto shorter = [](const Sample<T>& a, const Sample<T>& b) { return a.takes < b.takes; };
  std::stable_sort(all.begin(), all.end(), shorter);
  for (auto& [function, samples] : by_function) {
    std::stable_sort(samples.begin(), samples.end(), shorter);
  }
}

template <class T>
auto ScriptDonors::Pool<T>::Pick(std::string_view function, Duration at_least, const Key& key) const
    -> std::optional<Sample<T>> {
  const auto found = by_function.find(function);
  const Samples<T>& samples = found == by_function.end() ? all : found->second;
  if (samples.empty()) return std::nullopt;
  const auto longer = std::upper_bound(
      samples.begin(), samples.end(), at_least,
      [](Duration value, const Sample<T>& sample) { return value < sample.takes; });
  const auto count = static_cast<std::size_t>(samples.end() - longer);
  // What outlasted all that is known: nothing can be said but that.
  if (count == 0) return Sample<T>{at_least + Duration(1), samples.back().source};
  return longer[static_cast<std::ptrdiff_t>(KeyedStream(key).Below(count))];
}

ScriptDonors::ScriptDonors(const Script& script) {
  for (const RunScript& run : script.runs) AddRun(run);
  for (const ProcessScript& process : script.processes) {
    if (process.connects_after) connects_.push_back(*process.connects_after);
    if (process.killed_after) exits_.push_back(*process.killed_after);
  }
  runs_.Sort();
  attempts_.Sort();
  for (auto& pool : works_) pool.Sort();
}

void ScriptDonors::AddRun(const RunScript& run) {
  if (run.ended) runs_.Add(run.submission.function, Duration(1), &run);
  for (std::size_t i = 0; i < kScriptWorks; ++i) {
    if (!run.works[i]) continue;
    const ScriptSpan& span = run.works[i]->span;
    const auto work = static_cast<ScriptWork>(i);
    if (span.takes) works_[i].Add(FunctionOf(run.submission, work), *span.takes, &run);
    if (span.stops_after) work_stops_[i].push_back(*span.stops_after);
  }
  for (const CallScript& call : run.calls) AddCall(call);
}

void ScriptDonors::AddCall(const CallScript& call) {
  for (const AttemptScript& attempt : call.attempts) {
    if (attempt.span.takes) attempts_.Add(call.function, attempt.work, &attempt);
    if (attempt.span.stops_after) attempt_stops_.push_back(*attempt.span.stops_after);
  }
}

const RunScript* ScriptDonors::Run(std::string_view function, std::uint64_t entity) const {
  const auto sample = runs_.Pick(function, Duration::zero(), KeyOf(entity, kWholeRun));
  return sample ? sample->source : nullptr;
}

std::optional<ScriptDonors::Work> ScriptDonors::WorkLike(ScriptWork work, std::string_view function,
                                                         Duration at_least,
                                                         std::uint64_t entity) const {
  const auto i = static_cast<std::size_t>(work);
  const auto sample = works_[i].Pick(function, at_least, KeyOf(entity, i));
  if (!sample) return std::nullopt;
  return Work{sample->source, sample->takes};
}

std::optional<ScriptDonors::Attempt> ScriptDonors::AttemptLike(std::string_view function,
                                                               Duration at_least,
                                                               std::uint64_t entity,
                                                               std::uint64_t n) const {
  const auto sample = attempts_.Pick(function, at_least, KeyOf(entity, n));
  if (!sample) return std::nullopt;
  return Attempt{sample->source, sample->takes};
}

std::optional<Duration> ScriptDonors::WorkStops(ScriptWork work, std::uint64_t entity) const {
  const auto i = static_cast<std::size_t>(work);
  return PickFrom(work_stops_[i], KeyOf(entity, kStops + i));
}

std::optional<Duration> ScriptDonors::AttemptStops(std::uint64_t entity, std::uint64_t n) const {
  return PickFrom(attempt_stops_, KeyOf(EntityWithin(entity, kStops), n));
}

std::optional<Duration> ScriptDonors::Connects(std::uint64_t entity, std::uint64_t n) const {
  return PickFrom(connects_, KeyOf(entity, n));
}

std::optional<Duration> ScriptDonors::Exits(std::uint64_t entity, std::uint64_t n) const {
  return PickFrom(exits_, KeyOf(EntityWithin(entity, kStops), n));
}

}  // namespace blockx::sim
