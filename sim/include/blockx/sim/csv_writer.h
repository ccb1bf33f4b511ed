#ifndef BLOCKX_SIM_CSV_WRITER_H_
#define BLOCKX_SIM_CSV_WRITER_H_

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"
#include "blockx/sim/metrics.h"
#include "blockx/sim/task_table.h"

namespace blockx::sim {

// Writes a run as two tables, row by row: `tasks.csv`, one row a task in the order of their ends,
// and `timeseries.csv`, one row for each second of virtual time in which anything changed. Times
// are microseconds since the sources' start; a step that a task did not reach is left empty.
class CsvWriter {
 public:
  // Makes the directory if needed and overwrites the two files. On failure: what went wrong.
  [[nodiscard]] static std::variant<std::unique_ptr<CsvWriter>, std::string> Open(
      const std::string& directory);

  void Start(engine::Instant now) { start_ = now; }

  void OnEnded(const Task& task, const engine::TaskResult& result);
  void OnRefused(const Task& task, std::string_view code, engine::Instant now);

  // Before anything changes at `next`: rows for the seconds that have passed since the last change.
  void AdvanceTo(engine::Instant next, const Metrics& metrics);

  // Writes what is left. On failure: what went wrong since the start.
  [[nodiscard]] std::optional<std::string> Close();

 private:
  explicit CsvWriter(const std::string& directory);

  void TaskRow(const Task& task, std::string_view outcome, std::string_view code,
               const engine::StepTimes& times, const engine::CallCounts& calls);
  // One field and the comma after it.
  void Field(std::string_view text);
  void Field(std::int64_t number);
  void Field(engine::Instant instant);

  std::string directory_;
  std::ofstream tasks_;
  std::ofstream series_;
  std::string row_;  // Reused.
  engine::Instant start_{};
  std::int64_t rows_until_ = 0;  // Seconds since the start that have their row, or need none.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_CSV_WRITER_H_
