// Reads JSON by the description of its fields, and collects everything that does not fit.
#ifndef BLOCKX_SIM_SRC_JSON_READER_H_
#define BLOCKX_SIM_SRC_JSON_READER_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blockx/sim/input_error.h"
#include "fields.h"
#include "json_document.h"

namespace blockx::sim {

// What all readers of one file share.
struct ReadContext {
  // A file that is wrong everywhere is told so often; beyond, errors are only counted.
  static constexpr std::size_t kMaxErrors = 100;

  std::filesystem::path base_directory;
  InputErrors errors;
  std::size_t untold_errors = 0;
  // Where each amount that may be a linear form was read from, for what is checked later.
  std::vector<std::pair<std::string, Amount*>> amounts;

  [[nodiscard]] std::size_t error_count() const { return errors.size() + untold_errors; }

  void Add(std::string path, std::string message) {
    if (errors.size() < kMaxErrors) {
      errors.push_back({std::move(path), std::move(message)});
    } else {
      ++untold_errors;
    }
  }

  [[nodiscard]] InputErrors TakeErrors() {
    if (untold_errors > 0) {
      errors.push_back({"", "and " + std::to_string(untold_errors) + " errors more"});
    }
    return std::move(errors);
  }
};

// Reads one object. It remembers the keys that it was asked for; Finish() reports the others.
class ObjectReader : public FieldVisitor {
 public:
  // Both outlive the reader. A `value` that is no object is an error, reported here.
  ObjectReader(const Json& value, std::string path, ReadContext& context);

  // Each key that no visit named is an error, with the nearest name that was.
  void Finish();

  bool Wants(std::string_view name) override;
  void Text(const Field& field, std::string& value) override;
  void Boolean(const Field& field, bool& value) override;
  void Count(const Field& field, std::int64_t& value, CountRange range) override;
  void Unsigned(const Field& field, std::uint64_t& value) override;
  void Number(const Field& field, double& value) override;
  void Duration(const Field& field, engine::Duration& value) override;
  void Milliseconds(const Field& field, engine::Duration& value, CountRange range) override;
  void Rate(const Field& field, double& per_second) override;
  void Share(const Field& field, double& share) override;
  void Value(const Field& field, double& value, FormUnit unit) override;
  void Quantity(const Field& field, Distribution& value, FormUnit unit) override;
  void QuantityOrForm(const Field& field, Amount& value, FormUnit unit) override;
  void File(const Field& field, std::string& path) override;
  void Choice(const Field& field, const std::vector<std::string_view>& names,
              std::size_t& index) override;
  void TextList(const Field& field,
                const std::function<std::string(std::string_view)>& accept) override;
  void TextMap(const Field& field,
               std::vector<std::pair<std::string, std::string>>& values) override;
  void Object(const Field& field, const Describe& fields) override;
  void List(const Field& field, std::size_t min_size,
            const std::function<void(std::size_t)>& resize,
            const std::function<void(FieldVisitor&, std::size_t)>& element) override;
  void OneOf(const std::vector<Alternative>& alternatives) override;

 private:
  void Ask(std::string_view name);
  // The field's value, or nullptr: absent (an error only for a required field).
  const Json* Find(const Field& field);
  void Expected(const Field& field, const Json& found, std::string_view expected);
  void Error(const Field& field, std::string message);
  void ReadDistribution(const Field& field, const Json& found, Distribution& value, FormUnit unit);

  const Json& value_;
  std::string path_;
  ReadContext& context_;
  std::vector<std::string_view> asked_;
  bool readable_ = true;  // An object whose keys are known; otherwise Finish has nothing to add.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_JSON_READER_H_
