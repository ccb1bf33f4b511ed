#include "blockx/sim/linear_form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "blockx/sim/units.h"

namespace blockx::sim {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads a form from left to right. `problem_` is set once, at the first thing that does not fit.
class FormParser {
 public:
  FormParser(std::string_view text, FormUnit unit) : text_(text), unit_(unit) {}

  // form = [sign] term { sign term }
  bool Parse(double& constant, std::vector<LinearForm::Term>& terms) {
    double sign = AcceptSign().value_or(1);
    while (ParseTerm(sign, constant, terms)) {
      SkipBlanks();
      if (at_ == text_.size()) return true;
      const std::optional<double> next = AcceptSign();
      if (!next) return Fail("\"+\" or \"-\"");
      sign = *next;
    }
    return false;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  // term = number | column | number "*" column | column "*" number
  bool ParseTerm(double sign, double& constant, std::vector<LinearForm::Term>& terms) {
    std::optional<double> number;
    std::string column;
    do {
      SkipBlanks();
      if (at_ < text_.size() && IsDigit(text_[at_]) && !number) {
        number = ParseFactor();
        if (!number) return false;
      } else if (at_ < text_.size() && IsLetter(text_[at_]) && column.empty()) {
        column = ParseColumn();
      } else {
        return Fail(number ? "a column" : "a number or a column");
      }
    } while (Accept('*'));
    if (!number && unit_ == FormUnit::kDuration)
      return Fail("\"*\" and the time for one, such as \"1s\"");
    const double value = sign * number.value_or(1);
    if (column.empty()) {
      constant += value;
    } else {
      terms.push_back({value, column, 0});
    }
    return std::isfinite(constant) || Fail("smaller numbers");
  }

  std::optional<double> ParseFactor() {
    const std::size_t begin = at_;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      Fail("a smaller number");
      return std::nullopt;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (unit_ == FormUnit::kCount) return value;
    SkipBlanks();
    while (at_ < text_.size() && IsLetter(text_[at_])) ++at_;
    const std::optional<double> time = ParseMicroseconds(text_.substr(begin, at_ - begin));
    if (!time) {
      at_ = begin;
      Fail("a time with a unit (us, ms, s, m, h, d)");
    }
    return time;
  }

  std::string ParseColumn() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (IsLetter(text_[at_]) || IsDigit(text_[at_]) || text_[at_] == '.')) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::optional<double> AcceptSign() {
    if (Accept('+')) return 1;
    if (Accept('-')) return -1;
    return std::nullopt;
  }

  bool Accept(char c) {
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool Fail(std::string_view expected) {
    const std::string_view rest = text_.substr(at_, 40);
    problem_ = rest.empty() ? "at the end" : "at \"" + std::string(rest) + '"';
    problem_ += ": expected " + std::string(expected);
    return false;
  }

  std::string_view text_;
  FormUnit unit_;
  std::size_t at_ = 0;
  std::string problem_;
};

}  // namespace

std::variant<LinearForm, std::string> LinearForm::Parse(std::string_view text, FormUnit unit) {
  LinearForm form;
  FormParser parser(text, unit);
  if (!parser.Parse(form.constant_, form.terms_)) return parser.problem();
  return form;
}

void LinearForm::Bind(std::vector<std::string>& columns) {
  for (Term& term : terms_) {
    const auto place = std::find(columns.begin(), columns.end(), term.column);
    term.index = static_cast<std::size_t>(place - columns.begin());
    if (place == columns.end()) columns.push_back(term.column);
  }
}

double LinearForm::Evaluate(std::span<const double> row) const {
  double sum = constant_;
  for (const Term& term : terms_) sum += term.factor * row[term.index];
  // Also turns a NaN (infinity minus infinity) into 0.
  return sum > 0 ? sum : 0;
}

}  // namespace blockx::sim
