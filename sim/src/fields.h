// The scenario format's one description. Each struct of a scenario has a function that names its
// fields to a FieldVisitor (scenario_fields.h, distribution_fields.h); one visitor reads a file by
// it (json_reader.h), another writes the JSON Schema (schema.cc). So the two cannot disagree.
#ifndef BLOCKX_SIM_SRC_FIELDS_H_
#define BLOCKX_SIM_SRC_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/linear_form.h"
#include "blockx/sim/scenario.h"

namespace blockx::sim {

enum class Presence {
  kRequired,
  kDefault,   // Absent: the value that the visitor found in the variable.
  kOptional,  // Absent means something of its own; see FieldVisitor::Wants.
};

struct Field {
  std::string_view name;
  std::string_view meaning;
  Presence presence = Presence::kDefault;
};

struct CountRange {
  std::int64_t min = 0;
  std::int64_t max = INT64_MAX;
};

class FieldVisitor;
using Describe = std::function<void(FieldVisitor&)>;

// One form of an object that has several, told apart by its "type".
struct Alternative {
  std::string_view name;
  std::string_view meaning;
  Describe fields;
  // Makes the value once its fields are read without error; gives what is wrong with them together,
  // or nothing.
  std::function<std::string()> build;
};

// The fields of one object, in the order of the documentation.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  // Whether an optional field is to be visited: the reader says no when it is absent.
  virtual bool Wants(std::string_view name) = 0;

  virtual void Text(const Field& field, std::string& value) = 0;
  virtual void Boolean(const Field& field, bool& value) = 0;
  virtual void Count(const Field& field, std::int64_t& value, CountRange range) = 0;
  virtual void Unsigned(const Field& field, std::uint64_t& value) = 0;  // All 64 bits.
  virtual void Number(const Field& field, double& value) = 0;           // At or above 0.
  virtual void Duration(const Field& field, engine::Duration& value) = 0;
  // Of the production configuration: a plain number is milliseconds.
  virtual void Milliseconds(const Field& field, engine::Duration& value, CountRange range) = 0;
  virtual void Rate(const Field& field, double& per_second) = 0;
  virtual void Share(const Field& field, double& share) = 0;
  // A parameter of a distribution: microseconds or a plain number, at or above 0.
  virtual void Value(const Field& field, double& value, FormUnit unit) = 0;
  virtual void Quantity(const Field& field, Distribution& value, FormUnit unit) = 0;
  virtual void QuantityOrForm(const Field& field, Amount& value, FormUnit unit) = 0;
  // A file's name; relative ones are relative to the scenario file.
  virtual void File(const Field& field, std::string& path) = 0;
  // One of `names`; `index` is its place.
  virtual void Choice(const Field& field, const std::vector<std::string_view>& names,
                      std::size_t& index) = 0;
  // Texts, each of which `accept` takes or answers with what is wrong with it.
  virtual void TextList(const Field& field,
                        const std::function<std::string(std::string_view)>& accept) = 0;
  // An object with keys of the writer's own choice, and texts as values.
  virtual void TextMap(const Field& field,
                       std::vector<std::pair<std::string, std::string>>& values) = 0;
  virtual void Object(const Field& field, const Describe& fields) = 0;
  // A list of objects with at least `min_size` elements: `resize` is told how many there are, then
  // `element` is called for each place.
  virtual void List(const Field& field, std::size_t min_size,
                    const std::function<void(std::size_t)>& resize,
                    const std::function<void(FieldVisitor&, std::size_t)>& element) = 0;
  // The fields of one of the alternatives; which one the key "type" says.
  virtual void OneOf(const std::vector<Alternative>& alternatives) = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_FIELDS_H_
