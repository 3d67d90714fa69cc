#include "busy.hpp"

#include "rng.hpp"

namespace scoville {

std::int64_t spin(std::int64_t v, std::int64_t n) noexcept {
  auto x = static_cast<std::int64_t>(static_cast<std::uint64_t>(v) & 65535U);
  for (std::int64_t i = 0; i < n; ++i)
    x = lcg_step(x);
  return x;
}

std::int64_t busy(std::int64_t k) noexcept {
  return spin(k, k);
}

} // namespace scoville
