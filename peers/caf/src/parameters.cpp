#include "parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace scoville {

namespace {

// Limits are exact in it: 64-bit integers, small multiples of them, and floats.
using Exact = long double;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// A bound as text; a whole one without a point.
template <class Bound>
std::string text(Bound bound) {
  std::ostringstream out;
  out << bound;
  return out.str();
}

std::string words_text(const Choice& choice) {
  std::string result;
  for (const auto word : choice.words)
    result.append(result.empty() ? "one of " : ", ").append(word);
  return result;
}

/// What was given, as a value of the domain; nothing if it is of another type.
std::optional<Parameters::Value> parse(const Domain& domain, const json::Value& given) {
  using Result = std::optional<Parameters::Value>;
  return std::visit(Overloaded{[&](const Integer&) {
                                 const auto value = given.integer();
                                 return value ? Result{*value} : Result{};
                               },
                               [&](const Number&) {
                                 const auto value = given.number();
                                 return value ? Result{*value} : Result{};
                               },
                               [&](const Choice& choice) {
                                 const auto* word = given.string();
                                 const auto known =
                                     word != nullptr &&
                                     std::count(choice.words.begin(), choice.words.end(), *word) > 0;
                                 return known ? Result{*word} : Result{};
                               }},
                    domain);
}

std::string type_text(const Domain& domain) {
  return std::visit(Overloaded{[](const Integer&) -> std::string { return "an integer"; },
                               [](const Number&) -> std::string { return "a number"; },
                               [](const Choice& choice) { return words_text(choice); }},
                    domain);
}

/// What a value outside of its range must be; nothing if it is inside.
template <class Bound>
std::optional<std::string> range_complaint(Bound value, const std::optional<Bound>& min,
                                           const std::optional<Bound>& max) {
  if (max && (value < *min || value > *max))
    return "between " + text(*min) + " and " + text(*max);
  if (!max && min && value < *min)
    return "at least " + text(*min);
  return std::nullopt;
}

std::optional<std::string> range_complaint(const Domain& domain, const Parameters::Value& value) {
  return std::visit(Overloaded{[&](const Integer& integer) {
                                 return range_complaint(std::get<std::int64_t>(value), integer.min,
                                                        integer.max);
                               },
                               [&](const Number& number) {
                                 const auto x = std::get<double>(value);
                                 if (number.above && !(x > *number.above))
                                   return std::optional{"above " + text(*number.above)};
                                 return range_complaint(x, number.min, number.max);
                               },
                               [](const Choice&) { return std::optional<std::string>{}; }},
                    domain);
}

bool must_be_power_of_two(const Domain& domain) {
  const auto* integer = std::get_if<Integer>(&domain);
  return integer != nullptr && integer->power_of_two;
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && (static_cast<std::uint64_t>(value) & (static_cast<std::uint64_t>(value) - 1)) == 0;
}

Exact exact(const Parameters::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return static_cast<Exact>(*integer);
  return std::get<double>(value);
}

bool holds(Rule rule, Exact value, Exact limit) {
  switch (rule) {
  case Rule::at_least:
    return value >= limit;
  case Rule::at_most:
    return value <= limit;
  case Rule::above:
    return value > limit;
  case Rule::multiple_of:
    return limit != 0 && std::fmod(value, limit) == 0;
  }
  throw std::logic_error("a rule that is none of those declared");
}

std::string_view rule_text(Rule rule) {
  switch (rule) {
  case Rule::at_least:
    return "at least ";
  case Rule::at_most:
    return "at most ";
  case Rule::above:
    return "above ";
  case Rule::multiple_of:
    return "a multiple of ";
  }
  throw std::logic_error("a rule that is none of those declared");
}

/// The limit as a formula; a falling one begins with its constant.
std::string expression(const Relation& relation) {
  const auto factor = std::abs(relation.factor);
  const auto term = (factor == 1 ? "" : std::to_string(factor) + " * ") + std::string{relation.of};
  if (relation.factor < 0)
    return std::to_string(relation.plus) + " - " + term;
  if (relation.plus < 0)
    return term + " - " + std::to_string(-relation.plus);
  return relation.plus > 0 ? term + " + " + std::to_string(relation.plus) : term;
}

/// A whole limit without a point; a broken one can only be the other parameter itself, as it was written.
std::string limit_text(Exact limit, const json::Value& other) {
  if (limit != std::floor(limit))
    return other.text();
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, "%.0Lf", limit)), '\0');
  std::snprintf(text.data(), text.size() + 1, "%.0Lf", limit);
  return text;
}

void check_names(const std::string& prefix, const std::vector<ParameterSpec>& specs,
                 const json::Object& given) {
  for (const auto& spec : specs) {
    if (given.find(spec.name) == given.end())
      throw BadParameter(prefix + "parameter " + std::string{spec.name} + " is missing");
  }
  for (const auto& [name, value] : given) { // sorted by name
    if (std::none_of(specs.begin(), specs.end(),
                     [&, &wanted = name](auto& spec) { return spec.name == wanted; }))
      throw BadParameter((prefix + "unknown parameter ").append(name));
  }
}

} // namespace

Parameters::Parameters(std::string_view benchmark, const std::vector<ParameterSpec>& specs,
                       const std::vector<Relation>& relations, const json::Object& given) {
  const auto prefix = std::string{benchmark} + ": ";
  check_names(prefix, specs, given);
  const auto raw = [&](std::string_view name) -> const json::Value& { return given.find(name)->second; };
  const auto refuse = [&](std::string_view name, const std::string& requirement) {
    return BadParameter(prefix + std::string{name} + " is " + raw(name).text() + "; it must be " +
                        requirement);
  };
  for (const auto& spec : specs) {
    auto parsed = parse(spec.domain, raw(spec.name));
    if (!parsed)
      throw refuse(spec.name, type_text(spec.domain));
    values_.emplace(spec.name, *std::move(parsed));
  }
  for (const auto& spec : specs) {
    if (const auto complaint = range_complaint(spec.domain, value(spec.name)))
      throw refuse(spec.name, *complaint);
  }
  for (const auto& spec : specs) {
    if (must_be_power_of_two(spec.domain) && !is_power_of_two((*this)[spec.name]))
      throw refuse(spec.name, "a power of two");
  }
  for (const auto& relation : relations) {
    const auto limit =
        static_cast<Exact>(relation.factor) * exact(value(relation.of)) + static_cast<Exact>(relation.plus);
    if (!holds(relation.rule, exact(value(relation.parameter)), limit))
      throw refuse(relation.parameter, std::string{rule_text(relation.rule)} +
                                           limit_text(limit, raw(relation.of)) + " (" + expression(relation) +
                                           ")");
  }
}

const Parameters::Value& Parameters::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw std::out_of_range("no parameter " + std::string{name});
  return found->second;
}

} // namespace scoville
