// The generators of random numbers.
#pragma once

#include <cstdint>

namespace scoville {

/// One step of the generator, also the unit of `busy`. Wraps modulo 2^64, as the suite's integers do.
[[nodiscard]] constexpr std::int64_t lcg_step(std::int64_t v) noexcept {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(v) * 1309 + 13849) & 65535U);
}

/// Savina's linear congruential generator, with one owner. Only the low 16 bits of the seed matter.
class Rng {
 public:
  static constexpr std::int64_t default_seed = 74755;

  explicit constexpr Rng(std::int64_t seed = default_seed) noexcept : v_{seed} {}

  /// Draws 0..65535.
  constexpr std::int64_t next() noexcept { return v_ = lcg_step(v_); }

  /// Draws 0..m-1 by remainder, never above 65535; m must be at least 1.
  constexpr std::int64_t below(std::int64_t m) noexcept { return next() % m; }

  /// Draws from 2^-16..1.
  constexpr double unit() noexcept { return 1.0 / static_cast<double>(next() + 1); }

  /// Draws 0..m-1 from the high bits; m must be at least 1.
  constexpr std::int64_t scaled(std::int64_t m) noexcept { return (next() * m) >> 16; }

 private:
  std::int64_t v_;
};

/// The 48-bit generator of Java's `Random`, for graphs and trees that 16 bits would make too regular.
class J48 {
 public:
  explicit constexpr J48(std::int64_t seed) noexcept
      : state_{(static_cast<std::uint64_t>(seed) ^ multiplier) & mask} {}

  /// Draws k bits, 1 to 48.
  constexpr std::int64_t bits(unsigned k) noexcept {
    state_ = (state_ * multiplier + 11) & mask;
    return static_cast<std::int64_t>(state_ >> (48U - k));
  }

  /// Draws true or false.
  constexpr bool coin() noexcept { return bits(1) == 1; }

  /// Draws 0..m-1 by remainder; m must be at least 1.
  constexpr std::int64_t below(std::int64_t m) noexcept { return bits(31) % m; }

 private:
  static constexpr std::uint64_t multiplier = 25214903917;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 48U) - 1;

  std::uint64_t state_;
};

} // namespace scoville
