// A number computed from the columns of a trace row: "50ms + 0.2ms*context_tokens", "1 +
// 0.01*images".
#ifndef BLOCKX_SIM_LINEAR_FORM_H_
#define BLOCKX_SIM_LINEAR_FORM_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace blockx::sim {

// What the result of a form is: a time in microseconds (every constant and factor carries a unit),
// or a plain number (none does).
enum class FormUnit { kDuration, kCount };

class LinearForm {
 public:
  struct Term {
    double factor = 0;
    std::string column;
    std::size_t index = 0;  // Of the column in the row's values; set by Bind.
  };

  // Zero.
  LinearForm() = default;

  // Reads a sum of a constant and of factor*column terms. On failure: what was wrong and what was
  // expected.
  [[nodiscard]] static std::variant<LinearForm, std::string> Parse(std::string_view text,
                                                                   FormUnit unit);

  // Sets each term's index to the place of its column in `columns`, appending the columns that are
  // not there yet.
  void Bind(std::vector<std::string>& columns);

  // Cost: one multiplication a term. Precondition: bound to the columns of `row`. Never negative.
  [[nodiscard]] double Evaluate(std::span<const double> row) const;

  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  [[nodiscard]] double constant() const { return constant_; }

 private:
  double constant_ = 0;
  std::vector<Term> terms_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_LINEAR_FORM_H_
