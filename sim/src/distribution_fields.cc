#include "distribution_fields.h"

#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "blockx/sim/trace.h"

namespace blockx::sim {
namespace {

constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kOptional = Presence::kOptional;

// What the alternatives read into, before one of them becomes the distribution.
struct Draft {
  Uniform uniform;
  Exponential exponential;
  LogNormal log_normal;
  std::optional<double> log_normal_mean;
  std::optional<double> log_normal_cv;
  Pareto pareto;
  Weibull weibull;
  Gamma gamma;
  Empirical empirical;
  std::string file;
  std::string column;
  RowFilter where;
  std::size_t file_unit = 0;
  Mix mix;
};

// Takes the shape if its parameters fit together; otherwise what is wrong.
std::string Take(Distribution& value, Distribution::Shape shape, FormUnit unit) {
  value = Distribution(std::move(shape));
  const std::optional<std::string> problem = value.Problem();
  if (!problem) return {};
  return *problem + (unit == FormUnit::kDuration ? " (times in microseconds)" : "");
}

void LogNormalFields(FieldVisitor& visitor, Draft& draft, FormUnit unit) {
  if (visitor.Wants("median")) {
    visitor.Value({"median", "The median; goes with sigma.", kOptional}, draft.log_normal.median,
                  unit);
  }
  if (visitor.Wants("sigma")) {
    visitor.Number({"sigma", "Standard deviation of the logarithm.", kOptional},
                   draft.log_normal.sigma);
  }
  if (visitor.Wants("mean")) {
    visitor.Value({"mean", "The mean; goes with cv, instead of median and sigma.", kOptional},
                  draft.log_normal_mean.emplace(), unit);
  }
  if (visitor.Wants("cv")) {
    visitor.Number({"cv", "Coefficient of variation: standard deviation / mean.", kOptional},
                   draft.log_normal_cv.emplace());
  }
}

std::string BuildLogNormal(Draft& draft, Distribution& value, FormUnit unit) {
  if (!draft.log_normal_mean && !draft.log_normal_cv) return Take(value, draft.log_normal, unit);
  const bool other_pair = draft.log_normal.median != 0 || draft.log_normal.sigma != 0;
  if (!draft.log_normal_mean || !draft.log_normal_cv || other_pair || *draft.log_normal_mean <= 0) {
    return "expected either median and sigma, or mean and cv, with a median or mean above 0";
  }
  return Take(value, LogNormalWithMean(*draft.log_normal_mean, *draft.log_normal_cv), unit);
}

void EmpiricalFields(FieldVisitor& visitor, Draft& draft, FormUnit unit) {
  if (visitor.Wants("quantiles")) {
    visitor.List(
        {"quantiles", "From p 0 (the smallest) to p 1 (the largest), linear in between.",
         kOptional},
        2, [&](std::size_t size) { draft.empirical.quantiles.resize(size); },
        [&](FieldVisitor& item, std::size_t i) {
          item.Share({"p", "The share of values at or below.", kRequired},
                     draft.empirical.quantiles[i].p);
          item.Value({"value", "The value.", kRequired}, draft.empirical.quantiles[i].value, unit);
        });
  }
  if (visitor.Wants("file")) {
    visitor.File(
        {"file", "Instead of quantiles: a file with one sample a line, or a CSV file.", kOptional},
        draft.file);
  }
  if (visitor.Wants("column")) {
    visitor.Text({"column", "The column of the CSV file.", kOptional}, draft.column);
  }
  if (visitor.Wants("where")) {
    visitor.TextMap(
        {"where", "Only the rows of the CSV file in which these columns have these texts.",
         kOptional},
        draft.where);
  }
  if (unit == FormUnit::kDuration) {
    visitor.Choice({"unit", "Of the samples in the file."}, TimeUnitNames(), draft.file_unit);
  }
}

std::string BuildEmpirical(Draft& draft, Distribution& value, FormUnit unit) {
  const bool inline_quantiles = !draft.empirical.quantiles.empty();
  if (inline_quantiles == !draft.file.empty()) return "expected either quantiles or a file";
  if (inline_quantiles) return Take(value, draft.empirical, unit);
  if (draft.column.empty() && !draft.where.empty()) return "where needs a column: a CSV file";
  auto samples = ReadColumn(draft.file, draft.column, draft.where);
  if (const auto* error = std::get_if<TraceError>(&samples)) return error->message;
  auto& values = std::get<std::vector<double>>(samples);
  if (unit == FormUnit::kDuration) {
    for (double& sample : values) sample *= static_cast<double>(TimeUnit(draft.file_unit).count());
  }
  std::string problem = Take(value, EmpiricalFromSamples(std::move(values)), unit);
  return problem.empty() ? problem : draft.file + ": " + problem;
}

void MixFields(FieldVisitor& visitor, Draft& draft, FormUnit unit) {
  visitor.List(
      {"branches", "The distributions that are mixed.", kRequired}, 1,
      [&](std::size_t size) { draft.mix.branches.resize(size); },
      [&](FieldVisitor& item, std::size_t i) {
        MixBranch& branch = draft.mix.branches[i];
        item.Number({"weight", "Probability, in proportion to the sum of all weights.", kRequired},
                    branch.weight);
        item.Quantity({"value", "A plain value or a distribution.", kRequired}, branch.value, unit);
      });
}

}  // namespace

const std::vector<std::string_view>& TimeUnitNames() {
  static const std::vector<std::string_view> kNames = {"s", "ms", "us"};
  return kNames;
}

engine::Duration TimeUnit(std::size_t index) {
  constexpr std::int64_t kMicroseconds[] = {1'000'000, 1'000, 1};
  return engine::Duration(kMicroseconds[index]);
}

void DistributionFields(FieldVisitor& visitor, Distribution& value, FormUnit unit) {
  Draft draft;
  visitor.OneOf({
      {"uniform", "Every value from low to high is equally likely.",
       [&](FieldVisitor& v) {
         v.Value({"low", "The smallest value."}, draft.uniform.low, unit);
         v.Value({"high", "The largest value.", kRequired}, draft.uniform.high, unit);
       },
       [&] { return Take(value, draft.uniform, unit); }},
      {"exponential", "Memoryless.",
       [&](FieldVisitor& v) {
         v.Value({"mean", "The mean.", kRequired}, draft.exponential.mean, unit);
       },
       [&] { return Take(value, draft.exponential, unit); }},
      {"lognormal", "Its logarithm is normal.",
       [&](FieldVisitor& v) { LogNormalFields(v, draft, unit); },
       [&] { return BuildLogNormal(draft, value, unit); }},
      {"pareto", "A power-law tail, on request cut at a maximum.",
       [&](FieldVisitor& v) {
         v.Value({"minimum", "The smallest value.", kRequired}, draft.pareto.minimum, unit);
         v.Number({"shape", "The tail's exponent: the smaller, the heavier.", kRequired},
                  draft.pareto.shape);
         if (v.Wants("maximum")) {
           v.Value({"maximum", "The largest value; absent: none.", kOptional}, draft.pareto.maximum,
                   unit);
         }
       },
       [&] { return Take(value, draft.pareto, unit); }},
      {"weibull", "Ageing (shape above 1) or infant mortality (below 1).",
       [&](FieldVisitor& v) {
         v.Value({"scale", "63.2% of the values are below.", kRequired}, draft.weibull.scale, unit);
         v.Number({"shape", "1 is the exponential.", kRequired}, draft.weibull.shape);
       },
       [&] { return Take(value, draft.weibull, unit); }},
      {"gamma", "Sums of exponentials; a whole shape is an Erlang distribution.",
       [&](FieldVisitor& v) {
         v.Value({"mean", "The mean.", kRequired}, draft.gamma.mean, unit);
         v.Number({"shape", "1 is the exponential; the larger, the steadier.", kRequired},
                  draft.gamma.shape);
       },
       [&] { return Take(value, draft.gamma, unit); }},
      {"empirical", "Measured values: quantiles, or samples in a file.",
       [&](FieldVisitor& v) { EmpiricalFields(v, draft, unit); },
       [&] { return BuildEmpirical(draft, value, unit); }},
      {"mix", "One of several distributions, each with its probability.",
       [&](FieldVisitor& v) { MixFields(v, draft, unit); },
       [&] { return Take(value, draft.mix, unit); }},
  });
}

}  // namespace blockx::sim
