// The order-sensitive checksum SH of a sequence of integers.
#pragma once

#include <cstdint>

namespace scoville {

class Checksum {
 public:
  /// Takes the next number, 0 to 2^62.
  constexpr void add(std::int64_t v) noexcept { h_ = (h_ * 1000003 + v) % 2147483647; }

  [[nodiscard]] constexpr std::int64_t get() const noexcept { return h_; }

 private:
  std::int64_t h_ = 1;
};

/// The checksum of a whole sequence.
template <class Sequence>
[[nodiscard]] constexpr std::int64_t checksum(const Sequence& sequence) noexcept {
  Checksum result;
  for (const auto v : sequence)
    result.add(v);
  return result.get();
}

} // namespace scoville
