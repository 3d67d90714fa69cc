// Parameters of a benchmark: what it accepts, and the check of what it was given.
#pragma once

#include "json.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace scoville {

/// An integer parameter and its range, both ends included.
struct ParameterSpec {
  std::string_view name;
  std::int64_t min;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// A benchmark or parameter that is not acceptable; the text is the one that the protocol prescribes.
class BadParameter : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checked values by name.
class Parameters {
 public:
  /// Checks what was given for `benchmark`: nothing missing, nothing unknown, types, ranges, in this order.
  /// Throws BadParameter with the first complaint.
  Parameters(std::string_view benchmark, const std::vector<ParameterSpec>& specs, const json::Object& given);

  /// The value of a parameter that stands in the specification. Throws std::out_of_range for any other name.
  [[nodiscard]] std::int64_t operator[](std::string_view name) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

} // namespace scoville
