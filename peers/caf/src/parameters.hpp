// Parameters of a benchmark: what it accepts, and the check of what it was given.
#pragma once

#include "json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scoville {

/// Integers of a range, both ends included; a largest one comes with a smallest.
struct Integer {
  std::optional<std::int64_t> min{};
  std::optional<std::int64_t> max{};
  bool power_of_two = false;
};

/// 64-bit floats, given as JSON floats or integers; a largest one comes with a smallest.
struct Number {
  std::optional<double> min{};
  std::optional<double> above{}; ///< a lower bound that is itself excluded
  std::optional<double> max{};
};

/// One of some words.
struct Choice {
  std::vector<std::string_view> words;
};

/// What values a parameter may have.
using Domain = std::variant<Integer, Number, Choice>;

/// A parameter and its domain.
struct ParameterSpec {
  std::string_view name;
  Domain domain;
};

[[nodiscard]] inline Domain any_integer() {
  return Integer{};
}
[[nodiscard]] inline Domain at_least(std::int64_t min) {
  return Integer{min};
}
[[nodiscard]] inline Domain between(std::int64_t min, std::int64_t max) {
  return Integer{min, max};
}
[[nodiscard]] inline Domain power_of_two_from(std::int64_t min) {
  return Integer{min, {}, true};
}
[[nodiscard]] inline Domain power_of_two_between(std::int64_t min, std::int64_t max) {
  return Integer{min, max, true};
}
[[nodiscard]] inline Domain any_number() {
  return Number{};
}
[[nodiscard]] inline Domain number_from(double min) {
  return Number{min};
}
[[nodiscard]] inline Domain number_above(double bound) {
  return Number{{}, bound};
}
[[nodiscard]] inline Domain number_between(double min, double max) {
  return Number{min, {}, max};
}
[[nodiscard]] inline Domain one_of(std::vector<std::string_view> words) {
  return Choice{std::move(words)};
}

/// How a parameter must relate to a limit.
enum class Rule { at_least, at_most, above, multiple_of };

/// A parameter compared with a limit that depends on another one: factor * of + plus.
struct Relation {
  std::string_view parameter;
  Rule rule;
  std::int64_t factor;
  std::string_view of;
  std::int64_t plus = 0;
};

/// A benchmark or parameter that is not acceptable; the text is the one that the protocol prescribes.
class BadParameter : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checked values by name.
class Parameters {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;

  /// Checks what was given for `benchmark`: nothing missing, nothing unknown, types, ranges, powers of two,
  /// relations, in this order. Throws BadParameter with the first complaint.
  Parameters(std::string_view benchmark, const std::vector<ParameterSpec>& specs,
             const std::vector<Relation>& relations, const json::Object& given);

  /// The value of an integer parameter. Throws std::out_of_range for a name that is not in the specification
  /// and std::bad_variant_access for a parameter of another type, as the two below do.
  [[nodiscard]] std::int64_t operator[](std::string_view name) const {
    return std::get<std::int64_t>(value(name));
  }

  /// The value of a float parameter.
  [[nodiscard]] double number(std::string_view name) const { return std::get<double>(value(name)); }

  /// The value of a choice.
  [[nodiscard]] const std::string& word(std::string_view name) const {
    return std::get<std::string>(value(name));
  }

 private:
  [[nodiscard]] const Value& value(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

} // namespace scoville
