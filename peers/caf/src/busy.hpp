// Busy work of a defined amount.
#pragma once

#include <cstdint>

namespace scoville {

/// Makes n dependent steps of the generator, starting from the low 16 bits of v, and returns the last value.
/// Defined out of line, so that no call can be evaluated at compile time.
[[nodiscard]] std::int64_t spin(std::int64_t v, std::int64_t n) noexcept;

/// Makes k dependent steps of the generator, starting from k, and returns the last value. k must not be
/// negative.
[[nodiscard]] std::int64_t busy(std::int64_t k) noexcept;

} // namespace scoville
