#include "busy.hpp"

#include "rng.hpp"

namespace scoville {

std::int64_t busy(std::int64_t k) noexcept {
  auto v = k;
  for (std::int64_t i = 0; i < k; ++i)
    v = lcg_step(v);
  return v;
}

} // namespace scoville
