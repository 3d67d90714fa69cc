#include "parameters.hpp"

#include <algorithm>

namespace scoville {

namespace {

std::string range(const ParameterSpec& spec) {
  if (spec.max == std::numeric_limits<std::int64_t>::max())
    return "at least " + std::to_string(spec.min);
  return "between " + std::to_string(spec.min) + " and " + std::to_string(spec.max);
}

} // namespace

Parameters::Parameters(std::string_view benchmark, const std::vector<ParameterSpec>& specs,
                       const json::Object& given) {
  const auto prefix = std::string{benchmark} + ": ";
  for (const auto& spec : specs) {
    if (given.find(spec.name) == given.end())
      throw BadParameter(prefix + "parameter " + std::string{spec.name} + " is missing");
  }
  for (const auto& [name, value] : given) { // sorted by name
    if (std::none_of(specs.begin(), specs.end(),
                     [&, &wanted = name](auto& spec) { return spec.name == wanted; }))
      throw BadParameter((prefix + "unknown parameter ").append(name));
  }
  auto reject = [&](const ParameterSpec& spec, const std::string& requirement) {
    throw BadParameter(prefix + std::string{spec.name} + " is " + given.find(spec.name)->second.text() +
                       "; it must be " + requirement);
  };
  for (const auto& spec : specs) {
    const auto value = given.find(spec.name)->second.integer();
    if (!value)
      reject(spec, "an integer");
    else
      values_.emplace(spec.name, *value);
  }
  for (const auto& spec : specs) {
    const auto value = (*this)[spec.name];
    if (value < spec.min || value > spec.max)
      reject(spec, range(spec));
  }
}

std::int64_t Parameters::operator[](std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw std::out_of_range("no parameter " + std::string{name});
  return found->second;
}

} // namespace scoville
