#include "blockx/sim/trace.h"

#include <algorithm>
#include <cmath>

#include "blockx/sim/suggest.h"
#include "blockx/sim/units.h"
#include "table_file.h"

namespace blockx::sim {
namespace {

// Samples of an empirical distribution are all kept in memory.
constexpr std::size_t kMaxSamples = 10'000'000;

// Finds columns by name in one table, and keeps the first complaint.
class ColumnFinder {
 public:
  ColumnFinder(const std::string& file, const std::vector<std::string>& columns)
      : file_(file), columns_(columns) {}

  std::size_t Place(const std::string& name) {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found == columns_.end() && problem_.empty()) {
      const std::vector<std::string_view> known(columns_.begin(), columns_.end());
      problem_ = file_ + ": " + ExpectedOneOf("a column", name, known);
    }
    return static_cast<std::size_t>(found - columns_.begin());
  }

  std::vector<std::pair<std::size_t, std::string>> Places(const RowFilter& where) {
    std::vector<std::pair<std::size_t, std::string>> places;
    for (const auto& condition : where)
      places.emplace_back(Place(condition.first), condition.second);
    return places;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const std::string& file_;
  const std::vector<std::string>& columns_;
  std::string problem_;
};

bool Matches(const std::vector<std::pair<std::size_t, std::string>>& where,
             std::span<const std::string_view> fields) {
  return std::all_of(where.begin(), where.end(),
                     [&](const std::pair<std::size_t, std::string>& condition) {
                       return fields[condition.first] == condition.second;
                     });
}

TableLayout LayoutOf(TraceFormat format) {
  return format == TraceFormat::kSwf ? TableLayout::kSwf : TableLayout::kCsv;
}

}  // namespace

TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

TraceReader::TraceReader(const TraceSpec& spec, std::unique_ptr<TableFile> table)
    : table_(std::move(table)),
      minus_one_is_unknown_(spec.format == TraceFormat::kSwf),
      arrival_unit_(static_cast<double>(spec.arrival_unit.count())),
      values_(spec.columns.size()) {}

std::variant<TraceReader, TraceError> TraceReader::Open(const TraceSpec& spec) {
  TraceReader reader(spec, std::make_unique<TableFile>(spec.file, LayoutOf(spec.format)));
  if (!reader.table_->error().empty()) return TraceError{reader.table_->error()};
  ColumnFinder finder(spec.file, reader.table_->columns());
  reader.arrival_place_ = finder.Place(spec.arrival_column);
  reader.where_ = finder.Places(spec.where);
  for (const std::string& column : spec.columns) reader.places_.push_back(finder.Place(column));
  if (!finder.problem().empty()) return TraceError{finder.problem()};
  return reader;
}

TraceReader::RowKind TraceReader::ReadRow() {
  if (!Matches(where_, table_->fields())) return RowKind::kFilteredOut;
  bool unknown = false;
  const auto number = [&](std::size_t place) {
    const std::optional<double> value = table_->Number(place);
    unknown = unknown || (minus_one_is_unknown_ && value == -1.0);
    return value.value_or(0);
  };
  const double arrival = std::round(number(arrival_place_) * arrival_unit_);
  for (std::size_t i = 0; i < places_.size(); ++i) values_[i] = number(places_[i]);
  if (!table_->error().empty()) return RowKind::kBad;
  if (unknown) return RowKind::kUnknown;

  constexpr double kFarthest = 4e18;  // Differences of two such arrivals still fit into 64 bits.
  if (std::abs(arrival) > kFarthest) {
    table_->Fail("the arrival is beyond the range of 64-bit microseconds");
    return RowKind::kBad;
  }
  const auto microseconds = static_cast<std::int64_t>(arrival);
  if (first_arrival_ && microseconds < last_arrival_) {
    table_->Fail("found an arrival " +
                 FormatDuration(engine::Duration(last_arrival_ - microseconds)) +
                 " before that of the row above, expected arrivals that never go backwards");
    return RowKind::kBad;
  }
  if (!first_arrival_) first_arrival_ = microseconds;
  last_arrival_ = microseconds;
  return RowKind::kGood;
}

std::variant<std::optional<TraceRow>, TraceError> TraceReader::Next() {
  while (table_->error().empty() && table_->Next()) {
    switch (ReadRow()) {
      case RowKind::kGood:
        return TraceRow{engine::Duration(last_arrival_ - *first_arrival_), values_};
      case RowKind::kUnknown:
        ++skipped_rows_;
        break;
      case RowKind::kFilteredOut:
      case RowKind::kBad:
        break;
    }
  }
  if (!table_->error().empty()) return TraceError{table_->error()};
  // A filter that fits nothing would otherwise pass for a quiet day.
  if (!first_arrival_)
    return TraceError{table_->path() + ": no row to replay; " + std::to_string(skipped_rows_) +
                      " left out because a value is unknown"};
  return std::optional<TraceRow>();
}

std::variant<std::vector<std::string>, TraceError> ReadColumnNames(const std::string& file,
                                                                   TraceFormat format) {
  const TableFile table(file, LayoutOf(format));
  if (!table.error().empty()) return TraceError{table.error()};
  return table.columns();
}

std::variant<std::vector<double>, TraceError> ReadColumn(const std::string& file,
                                                         const std::string& column,
                                                         const RowFilter& where) {
  TableFile table(file, column.empty() ? TableLayout::kNumbers : TableLayout::kCsv);
  if (!table.error().empty()) return TraceError{table.error()};
  ColumnFinder finder(file, table.columns());
  const std::size_t place = column.empty() ? 0 : finder.Place(column);
  const auto conditions = finder.Places(where);
  if (!finder.problem().empty()) return TraceError{finder.problem()};

  std::vector<double> values;
  while (table.error().empty() && table.Next()) {
    if (!Matches(conditions, table.fields())) continue;
    if (values.size() == kMaxSamples)
      table.Fail("more than " + std::to_string(kMaxSamples) + " samples");
    if (const std::optional<double> value = table.Number(place)) values.push_back(*value);
  }
  if (!table.error().empty()) return TraceError{table.error()};
  return values;
}

}  // namespace blockx::sim
