// Numbers that the optimiser may not know.
#pragma once

#include <cstdint>

namespace scoville {

/// The number itself. A compiler that knows it may compute less than what is written; of this one it knows
/// nothing.
[[nodiscard]] inline std::int64_t opaque(std::int64_t x) noexcept {
  asm("" : "+r"(x));
  return x;
}

} // namespace scoville
