#include "blockx/sim/schema.h"

#include <array>
#include <cstdint>
#include <utility>

#include "blockx/sim/units.h"
#include "distribution_fields.h"
#include "json_document.h"
#include "scenario_fields.h"

namespace blockx::sim {
namespace {

constexpr std::string_view kUnitPattern = "(us|ms|s|m|h|d)";

Json Ref(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }

// A duration as a scenario may write it, in the largest unit that needs no fraction.
std::string Exact(engine::Duration duration) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> kUnits = {
      {{86'400'000'000, "d"},
       {3'600'000'000, "h"},
       {60'000'000, "m"},
       {1'000'000, "s"},
       {1'000, "ms"}}};
  if (duration.count() == 0) return "0s";
  for (const auto& unit : kUnits) {
    if (duration.count() % unit.first == 0) {
      return std::to_string(duration.count() / unit.first) + std::string(unit.second);
    }
  }
  return std::to_string(duration.count()) + "us";
}

// A number that is whole is printed without a fraction.
Json Plain(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

std::string_view NameOfDistribution(FormUnit unit) {
  return unit == FormUnit::kDuration ? "durationDistribution" : "countDistribution";
}

std::string_view NameOfAmount(FormUnit unit) {
  return unit == FormUnit::kDuration ? "durationAmount" : "countAmount";
}

// Writes down what the description says of each field.
class SchemaWriter : public FieldVisitor {
 public:
  // The schema of the object whose fields were visited.
  [[nodiscard]] Json Take() {
    if (!alternatives_.empty()) return {{"oneOf", std::move(alternatives_)}};
    Json schema = {{"type", "object"},
                   {"additionalProperties", false},
                   {"properties", std::move(properties_)}};
    if (!required_.empty()) schema["required"] = std::move(required_);
    return schema;
  }

  bool Wants(std::string_view) override { return true; }

  void Text(const Field& field, std::string& value) override {
    Add(field, {{"type", "string"}}, value);
  }

  void Boolean(const Field& field, bool& value) override {
    Add(field, {{"type", "boolean"}}, value);
  }

  void Count(const Field& field, std::int64_t& value, CountRange range) override {
    Add(field, Integer(range), value);
  }

  void Unsigned(const Field& field, std::uint64_t& value) override {
    Add(field, {{"type", "integer"}, {"minimum", 0}, {"maximum", UINT64_MAX}}, value);
  }

  void Number(const Field& field, double& value) override {
    Add(field, {{"type", "number"}, {"minimum", 0}}, Plain(value));
  }

  void Duration(const Field& field, engine::Duration& value) override {
    Add(field, Ref("duration"), Exact(value));
  }

  void Milliseconds(const Field& field, engine::Duration& value, CountRange range) override {
    Add(field, {{"anyOf", Json::array({Integer(range), Ref("duration")})}}, value.count() / 1000);
  }

  void Rate(const Field& field, double& per_second) override {
    Add(field, Ref("rate"), Plain(per_second));
  }

  void Share(const Field& field, double& share) override { Add(field, Ref("share"), Plain(share)); }

  void Value(const Field& field, double& value, FormUnit unit) override {
    if (unit == FormUnit::kCount) return Number(field, value);
    Add(field, Ref("duration"), Exact(ToDuration(value)));
  }

  void Quantity(const Field& field, Distribution& value, FormUnit unit) override {
    Add(field, Ref(NameOfDistribution(unit)), DefaultOf(value, unit));
  }

  void QuantityOrForm(const Field& field, Amount& value, FormUnit unit) override {
    Add(field, Ref(NameOfAmount(unit)), DefaultOf(std::get<Distribution>(value), unit));
  }

  void File(const Field& field, std::string& path) override {
    Add(field, {{"type", "string"}, {"minLength", 1}}, path);
  }

  void Choice(const Field& field, const std::vector<std::string_view>& names,
              std::size_t& index) override {
    Add(field, {{"enum", names}}, std::string(names[index]));
  }

  void TextList(const Field& field, const std::function<std::string(std::string_view)>&) override {
    Add(field, {{"type", "array"}, {"items", {{"type", "string"}}}}, Json::array());
  }

  void TextMap(const Field& field, std::vector<std::pair<std::string, std::string>>&) override {
    Add(field, {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}},
        Json::object());
  }

  void Object(const Field& field, const Describe& fields) override {
    SchemaWriter inner;
    fields(inner);
    Add(field, inner.Take(), {});
  }

  void List(const Field& field, std::size_t min_size,
            const std::function<void(std::size_t)>& resize,
            const std::function<void(FieldVisitor&, std::size_t)>& element) override {
    SchemaWriter inner;
    resize(1);
    element(inner, 0);
    Add(field, {{"type", "array"}, {"minItems", min_size}, {"items", inner.Take()}}, {});
  }

  void OneOf(const std::vector<Alternative>& alternatives) override {
    alternatives_ = Json::array();
    for (const Alternative& alternative : alternatives) {
      SchemaWriter inner;
      inner.properties_["type"] = {{"const", std::string(alternative.name)}};
      inner.required_.push_back("type");
      alternative.fields(inner);
      Json schema = {{"description", std::string(alternative.meaning)}};
      schema.update(inner.Take());
      alternatives_.push_back(std::move(schema));
    }
  }

 private:
  static Json Integer(CountRange range) {
    Json schema = {{"type", "integer"}, {"minimum", range.min}};
    if (range.max != INT64_MAX) schema["maximum"] = range.max;
    return schema;
  }

  static Json DefaultOf(const Distribution& value, FormUnit unit) {
    const auto* constant = std::get_if<Constant>(&value.shape());
    if (constant == nullptr) return {};
    return unit == FormUnit::kDuration ? Json(Exact(ToDuration(constant->value)))
                                       : Plain(constant->value);
  }

  // `value` null: the field has no default of its own.
  void Add(const Field& field, const Json& schema, const Json& value) {
    const std::string name(field.name);
    Json& property = properties_[name];
    property = {{"description", std::string(field.meaning)}};
    property.update(schema);
    if (field.presence == Presence::kDefault && !value.is_null()) property["default"] = value;
    if (field.presence == Presence::kRequired) required_.push_back(name);
  }

  Json properties_ = Json::object();
  Json required_ = Json::array();
  Json alternatives_;  // Null: a plain object.
};

Json TextOrNumber(const std::string& meaning, const std::string& pattern, const Json& number) {
  return {{"description", meaning},
          {"anyOf", Json::array({Json{{"type", "string"}, {"pattern", pattern}}, number})}};
}

Json DistributionSchema(FormUnit unit) {
  Distribution value;
  SchemaWriter writer;
  DistributionFields(writer, value, unit);
  const Json constant =
      unit == FormUnit::kDuration ? Ref("duration") : Json{{"type", "number"}, {"minimum", 0}};
  return {{"description", "A plain value (always that one) or a distribution."},
          {"anyOf", Json::array({constant, writer.Take()})}};
}

Json AmountSchema(FormUnit unit) {
  const Json form = {
      {"type", "string"},
      {"description", unit == FormUnit::kDuration
                          ? "A linear form of trace columns: \"50ms + 0.2ms*context_tokens\"."
                          : "A linear form of trace columns: \"1 + 0.01*images\"."}};
  return {{"description", "A plain value, a distribution, or a linear form of trace columns."},
          {"anyOf", Json::array({Ref(NameOfDistribution(unit)), form})}};
}

Json Definitions() {
  const std::string number = "[0-9]+(\\.[0-9]+)?";
  const std::string units(kUnitPattern);
  Json definitions;
  definitions["duration"] = {{"type", "string"},
                             {"description", "A number with a unit: \"200ms\", \"1.5s\"."},
                             {"pattern", "^[ \\t]*" + number + "[ \\t]*" + units + "[ \\t]*$"}};
  definitions["rate"] =
      TextOrNumber("\"45/s\", \"3/m\", \"10000/h\", or a plain number per second.",
                   "^[ \\t]*[0-9.eE+-]+[ \\t]*(/[ \\t]*" + units + "[ \\t]*)?$",
                   {{"type", "number"}, {"minimum", 0}});
  definitions["share"] = TextOrNumber("\"1%\" or 0.01.", "^[ \\t]*[0-9.eE+-]+[ \\t]*%?[ \\t]*$",
                                      {{"type", "number"}, {"minimum", 0}, {"maximum", 1}});
  for (const FormUnit unit : {FormUnit::kDuration, FormUnit::kCount}) {
    definitions[std::string(NameOfDistribution(unit))] = DistributionSchema(unit);
    definitions[std::string(NameOfAmount(unit))] = AmountSchema(unit);
  }
  return definitions;
}

}  // namespace

std::string ScenarioSchema() {
  Scenario defaults;
  SchemaWriter writer;
  ScenarioFields(writer, defaults);
  Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "Scenario"},
      {"description", "What blockx-sim simulates: fleet, configuration, load and objectives."}};
  schema.update(writer.Take());
  schema["$defs"] = Definitions();
  constexpr int kIndent = 2;
  return schema.dump(kIndent) + '\n';
}

}  // namespace blockx::sim
