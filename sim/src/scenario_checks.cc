#include "scenario_checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "blockx/sim/suggest.h"
#include "blockx/sim/units.h"

namespace blockx::sim {
namespace {

std::string SourcePath(std::size_t index) { return "/workload/" + std::to_string(index); }

// Whether something at or below `path` has been reported already: what builds on it would only
// repeat that.
bool Reported(const ReadContext& context, const std::string& path) {
  return std::any_of(context.errors.begin(), context.errors.end(), [&](const InputError& error) {
    return error.path == path || error.path.compare(0, path.size() + 1, path + '/') == 0;
  });
}

void CheckTimes(const Scenario& scenario, ReadContext& context) {
  if (scenario.until && *scenario.until <= scenario.warmup) {
    context.Add("/until", "found " + FormatDuration(*scenario.until) +
                              ", expected more than the warmup of " +
                              FormatDuration(scenario.warmup));
  }
  for (std::size_t i = 0; i < scenario.workload.size(); ++i) {
    const engine::Duration timeout = scenario.workload[i].task.timeout;
    const std::string path = SourcePath(i) + "/task/timeout";
    if (timeout > scenario.config.max_task_timeout) {
      context.Add(path, "found " + FormatDuration(timeout) +
                            ", expected at most worker.maxTaskTimeoutMs, which is " +
                            FormatDuration(scenario.config.max_task_timeout));
    } else if (timeout.count() % 1000 != 0) {
      context.Add(path,
                  "found a part of a millisecond, expected whole milliseconds: the Worker's "
                  "protocol has no finer time-outs");
    }
  }
}

void CheckNames(const Scenario& scenario, ReadContext& context) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < scenario.workload.size(); ++i) {
    const std::string& name = scenario.workload[i].name;
    const std::string path = SourcePath(i) + "/name";
    if (!names.insert(name).second && !Reported(context, path)) {
      context.Add(path, "found \"" + name + "\" a second time, expected a name of its own");
    }
  }
}

void CheckEnd(const Scenario& scenario, ReadContext& context) {
  for (std::size_t i = 0; i < scenario.workload.size(); ++i) {
    const WorkloadSource& source = scenario.workload[i];
    const bool ends_itself = std::holds_alternative<TraceSpec>(source.arrivals);
    if (Reported(context, SourcePath(i) + "/arrivals")) continue;
    if (ends_itself || source.tasks || source.duration || scenario.until) continue;
    context.Add(
        SourcePath(i),
        "never ends; expected \"tasks\" or \"duration\" here, or \"until\" for the whole run");
  }
}

// Compares the names that a source uses with the columns of its trace, and binds its linear forms.
class TraceCheck {
 public:
  TraceCheck(std::size_t source, TraceSpec& trace, ReadContext& context)
      : path_(SourcePath(source)), trace_(trace), context_(context) {}

  void Run() {
    auto columns = ReadColumnNames(trace_.file, trace_.format);
    if (const auto* error = std::get_if<TraceError>(&columns)) {
      context_.Add(path_ + "/arrivals/file", error->message);
      return;
    }
    const auto& names = std::get<std::vector<std::string>>(columns);
    known_.assign(names.begin(), names.end());
    Require(path_ + "/arrivals/arrival", trace_.arrival_column);
    for (const auto& condition : trace_.where) Require(path_ + "/arrivals/where", condition.first);
    for (const auto& [path, amount] : context_.amounts) {
      if (path.compare(0, path_.size() + 1, path_ + '/') != 0) continue;
      auto& form = std::get<LinearForm>(*amount);
      for (const LinearForm::Term& term : form.terms()) Require(path, term.column);
      form.Bind(trace_.columns);
    }
  }

 private:
  void Require(const std::string& path, const std::string& column) {
    if (std::find(known_.begin(), known_.end(), column) != known_.end()) return;
    context_.Add(path, ExpectedOneOf("a column of " + trace_.file, column, known_));
  }

  std::string path_;
  TraceSpec& trace_;
  ReadContext& context_;
  std::vector<std::string_view> known_;
};

void CheckTraces(Scenario& scenario, ReadContext& context) {
  for (std::size_t i = 0; i < scenario.workload.size(); ++i) {
    if (auto* trace = std::get_if<TraceSpec>(&scenario.workload[i].arrivals)) {
      TraceCheck(i, *trace, context).Run();
      continue;
    }
    if (Reported(context, SourcePath(i) + "/arrivals"))
      continue;  // They may have been meant as a trace.
    const std::string prefix = SourcePath(i) + '/';
    for (const auto& [path, amount] : context.amounts) {
      const auto& terms = std::get<LinearForm>(*amount).terms();
      if (path.compare(0, prefix.size(), prefix) != 0) continue;
      context.Add(path, "found the trace column \"" + terms.front().column +
                            "\", expected columns only where the arrivals are of type \"trace\"");
    }
  }
}

}  // namespace

void CheckConfig(const engine::Config& config, ReadContext& context) {
  const auto problem = engine::Validate(config);
  if (!problem) return;
  std::string path = "/" + problem->path;
  std::replace(path.begin(), path.end(), '.', '/');
  if (!Reported(context, path)) context.Add(path, problem->message);
}

void CheckScenario(Scenario& scenario, ReadContext& context) {
  CheckConfig(scenario.config, context);
  CheckTimes(scenario, context);
  CheckNames(scenario, context);
  CheckEnd(scenario, context);
  CheckTraces(scenario, context);
}

}  // namespace blockx::sim
