// Busy work of a defined amount.
#pragma once

#include <cstdint>

namespace scoville {

/// Makes k dependent steps of the generator, starting from k, and returns the last value. k must not be
/// negative. Defined out of line, so that no call can be evaluated at compile time.
[[nodiscard]] std::int64_t busy(std::int64_t k) noexcept;

} // namespace scoville
