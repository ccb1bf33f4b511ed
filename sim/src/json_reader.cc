#include "json_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "blockx/sim/suggest.h"
#include "blockx/sim/units.h"
#include "distribution_fields.h"

namespace blockx::sim {
namespace {

// Each element of a list needs far more memory than its text.
constexpr std::size_t kMaxListSize = 10'000;

// A whole number, also when it is written with an exponent (1e6).
std::optional<std::int64_t> WholeNumber(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  constexpr double kExact =
      9007199254740992;  // 2^53: beyond, a double is no longer the number that was written.
  const auto number = value.get<double>();
  if (std::abs(number) > kExact || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string WholeNumberExpected(CountRange range) {
  if (range.max == INT64_MAX) return "a whole number of at least " + std::to_string(range.min);
  return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::optional<engine::Duration> DurationOf(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  return ParseDuration(value.get_ref<const std::string&>());
}

// The number that `parse` finds in a text, or a plain number at or above 0 and at most `max`.
template <class Parse>
std::optional<double> TextOrNumber(const Json& value, double max, Parse parse) {
  if (value.is_string()) return parse(value.get_ref<const std::string&>());
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (number < 0 || number > max) return std::nullopt;
  return number;
}

std::optional<double> ValueOf(const Json& value, FormUnit unit) {
  if (unit == FormUnit::kDuration) {
    const auto duration = DurationOf(value);
    if (!duration) return std::nullopt;
    return static_cast<double>(duration->count());
  }
  if (!value.is_number() || value.get<double>() < 0) return std::nullopt;
  return value.get<double>();
}

std::string ValueExpected(FormUnit unit) {
  return unit == FormUnit::kDuration ? std::string(kDurationExpected) : "a number of at least 0";
}

}  // namespace

ObjectReader::ObjectReader(const Json& value, std::string path, ReadContext& context)
    : value_(value), path_(std::move(path)), context_(context), readable_(value.is_object()) {
  if (!readable_) {
    context_.Add(path_, "found " + Shown(value) + ", expected an object");
  }
}

void ObjectReader::Finish() {
  if (!readable_) return;
  for (const auto& [key, unused] : value_.items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    if (context_.errors.size() >= ReadContext::kMaxErrors) {
      ++context_.untold_errors;
      continue;
    }
    std::string message = "unknown key";
    if (const std::string_view nearest = Nearest(key, asked_); !nearest.empty()) {
      message += "; did you mean \"" + std::string(nearest) + "\"?";
    } else {
      message += "; known here: ";
      for (std::size_t i = 0; i < asked_.size(); ++i) {
        message += (i == 0 ? "" : ", ") + std::string(asked_[i]);
      }
    }
    context_.Add(PointerTo(path_, key), std::move(message));
  }
}

void ObjectReader::Ask(std::string_view name) {
  if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) asked_.push_back(name);
}

const Json* ObjectReader::Find(const Field& field) {
  Ask(field.name);
  if (!readable_) return nullptr;
  const auto found = value_.find(std::string(field.name));
  if (found != value_.end()) return &*found;
  if (field.presence == Presence::kRequired) {
    Error(field, "missing, but required (" + std::string(field.meaning) + ")");
  }
  return nullptr;
}

void ObjectReader::Error(const Field& field, std::string message) {
  context_.Add(PointerTo(path_, field.name), std::move(message));
}

void ObjectReader::Expected(const Field& field, const Json& found, std::string_view expected) {
  Error(field, "found " + Shown(found) + ", expected " + std::string(expected));
}

bool ObjectReader::Wants(std::string_view name) {
  Ask(name);
  return readable_ && value_.contains(std::string(name));
}

void ObjectReader::Text(const Field& field, std::string& value) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_string()) return Expected(field, *found, "a text in double quotes");
  value = found->get<std::string>();
}

void ObjectReader::Boolean(const Field& field, bool& value) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_boolean()) return Expected(field, *found, "true or false");
  value = found->get<bool>();
}

void ObjectReader::Count(const Field& field, std::int64_t& value, CountRange range) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const auto number = WholeNumber(*found);
  if (!number || *number < range.min || *number > range.max) {
    return Expected(field, *found, WholeNumberExpected(range));
  }
  value = *number;
}

void ObjectReader::Unsigned(const Field& field, std::uint64_t& value) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_number_unsigned()) {
    return Expected(field, *found, "a whole number from 0 to 18446744073709551615");
  }
  value = found->get<std::uint64_t>();
}

void ObjectReader::Number(const Field& field, double& value) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const auto number = ValueOf(*found, FormUnit::kCount);
  if (!number) return Expected(field, *found, ValueExpected(FormUnit::kCount));
  value = *number;
}

void ObjectReader::Duration(const Field& field, engine::Duration& value) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const auto duration = DurationOf(*found);
  if (!duration) return Expected(field, *found, kDurationExpected);
  value = *duration;
}

void ObjectReader::Milliseconds(const Field& field, engine::Duration& value, CountRange range) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  std::optional<std::int64_t> number = WholeNumber(*found);
  if (const auto duration = DurationOf(*found)) {
    if (duration->count() % 1000 == 0) number = duration->count() / 1000;
  }
  if (!number || *number < range.min || *number > range.max) {
    return Expected(
        field, *found,
        WholeNumberExpected(range) + " milliseconds, or as much with a unit, such as \"200ms\"");
  }
  value = engine::Milliseconds(*number);
}

void ObjectReader::Rate(const Field& field, double& per_second) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const auto rate = TextOrNumber(*found, std::numeric_limits<double>::max(), ParseRate);
  if (!rate) return Expected(field, *found, kRateExpected);
  per_second = *rate;
}

void ObjectReader::Share(const Field& field, double& share) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const auto number = TextOrNumber(*found, 1, ParseShare);
  if (!number) return Expected(field, *found, kShareExpected);
  share = *number;
}

void ObjectReader::Value(const Field& field, double& value, FormUnit unit) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const auto number = ValueOf(*found, unit);
  if (!number) return Expected(field, *found, ValueExpected(unit));
  value = *number;
}

void ObjectReader::ReadDistribution(const Field& field, const Json& found, Distribution& value,
                                    FormUnit unit) {
  if (const auto constant = ValueOf(found, unit)) {
    value = Distribution(Constant{*constant});
    return;
  }
  if (!found.is_object()) {
    return Expected(field, found, ValueExpected(unit) + ", or a distribution: {\"type\": ...}");
  }
  ObjectReader reader(found, PointerTo(path_, field.name), context_);
  DistributionFields(reader, value, unit);
  reader.Finish();
}

void ObjectReader::Quantity(const Field& field, Distribution& value, FormUnit unit) {
  if (const Json* found = Find(field)) ReadDistribution(field, *found, value, unit);
}

void ObjectReader::QuantityOrForm(const Field& field, Amount& value, FormUnit unit) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_string() || ValueOf(*found, unit)) {
    return ReadDistribution(field, *found, value.emplace<Distribution>(), unit);
  }
  auto form = LinearForm::Parse(found->get_ref<const std::string&>(), unit);
  if (const auto* problem = std::get_if<std::string>(&form)) {
    return Expected(field, *found,
                    ValueExpected(unit) + ", a distribution, or a linear form of trace columns (" +
                        *problem + ")");
  }
  auto& read = std::get<LinearForm>(form);
  if (read.terms().empty()) {  // The same for all tasks: no trace is needed.
    value = Distribution(Constant{read.Evaluate({})});
    return;
  }
  value = std::move(read);
  context_.amounts.emplace_back(PointerTo(path_, field.name), &value);
}

void ObjectReader::File(const Field& field, std::string& path) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) {
    return Expected(field, *found, "the name of a file");
  }
  path = (context_.base_directory / found->get<std::string>()).string();
}

void ObjectReader::Choice(const Field& field, const std::vector<std::string_view>& names,
                          std::size_t& index) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  const std::string text = found->is_string() ? found->get<std::string>() : Shown(*found);
  const auto place = std::find(names.begin(), names.end(), text);
  if (place == names.end()) return Error(field, ExpectedOneOf("one of", text, names));
  index = static_cast<std::size_t>(place - names.begin());
}

void ObjectReader::TextList(const Field& field,
                            const std::function<std::string(std::string_view)>& accept) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_array()) return Expected(field, *found, "a list of texts");
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& item = (*found)[i];
    std::string problem = item.is_string() ? accept(item.get_ref<const std::string&>())
                                           : "found " + Shown(item) + ", expected a text";
    if (problem.empty()) continue;
    context_.Add(PointerTo(PointerTo(path_, field.name), i), std::move(problem));
  }
}

void ObjectReader::TextMap(const Field& field,
                           std::vector<std::pair<std::string, std::string>>& values) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_object()) return Expected(field, *found, "an object with texts");
  for (const auto& [key, item] : found->items()) {
    if (item.is_string()) {
      values.emplace_back(key, item.get<std::string>());
    } else {
      context_.Add(PointerTo(PointerTo(path_, field.name), key),
                   "found " + Shown(item) + ", expected a text");
    }
  }
}

void ObjectReader::Object(const Field& field, const Describe& fields) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  ObjectReader reader(*found, PointerTo(path_, field.name), context_);
  if (!reader.readable_) return;
  fields(reader);
  reader.Finish();
}

void ObjectReader::List(const Field& field, std::size_t min_size,
                        const std::function<void(std::size_t)>& resize,
                        const std::function<void(FieldVisitor&, std::size_t)>& element) {
  const Json* found = Find(field);
  if (found == nullptr) return;
  if (!found->is_array() || found->size() < min_size || found->size() > kMaxListSize) {
    return Expected(field, *found,
                    "a list of " + std::to_string(min_size) + " to " +
                        std::to_string(kMaxListSize) + " objects");
  }
  resize(found->size());
  const std::string path = PointerTo(path_, field.name);
  for (std::size_t i = 0; i < found->size(); ++i) {
    ObjectReader reader((*found)[i], PointerTo(path, i), context_);
    if (!reader.readable_) continue;
    element(reader, i);
    reader.Finish();
  }
}

void ObjectReader::OneOf(const std::vector<Alternative>& alternatives) {
  if (!readable_) return;
  std::vector<std::string_view> names;
  for (const Alternative& alternative : alternatives) names.push_back(alternative.name);
  const std::size_t errors_before = context_.error_count();
  std::size_t chosen = 0;
  std::string choices = "one of ";
  for (std::size_t i = 0; i < names.size(); ++i)
    choices += (i == 0 ? "" : ", ") + std::string(names[i]);
  Choice({"type", choices, Presence::kRequired}, names, chosen);
  if (context_.error_count() != errors_before) {
    readable_ = false;  // Which keys belong here is not known.
    return;
  }
  const Alternative& alternative = alternatives[chosen];
  alternative.fields(*this);
  if (context_.error_count() != errors_before) return;
  std::string problem = alternative.build();
  if (!problem.empty()) context_.Add(path_, std::move(problem));
}

}  // namespace blockx::sim
