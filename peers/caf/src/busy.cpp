#include "busy.hpp"

#include "opaque.hpp"

namespace scoville {

std::int64_t spin(std::int64_t v, std::int64_t n) noexcept {
  // With a mask that it knows Clang would unroll the loop, drop the masks in between, and jump over four
  // steps at once.
  const auto mask = opaque(65535);
  auto x = v & mask;
  for (std::int64_t i = 0; i < n; ++i)
    x = (x * 1309 + 13849) & mask;
  return x;
}

std::int64_t busy(std::int64_t k) noexcept {
  return spin(k, k);
}

} // namespace scoville
