// What the last actor of a sorting pipeline checks.
#pragma once

#include "benchmark.hpp"
#include "checksum.hpp"

namespace scoville {

/// Numbers in the order in which they arrived.
class Arrivals {
 public:
  void add(std::int64_t v) {
    ++count_;
    sum_ += v;
    checksum_.add(v);
    errors_ += v < previous_ ? 1 : 0;
    previous_ = v;
  }

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  [[nodiscard]] Outcome outcome() const {
    return {checksum_.get(), {{"count", count_}, {"errors", errors_}, {"sum", sum_}}};
  }

 private:
  std::int64_t count_ = 0;
  std::int64_t sum_ = 0;
  Checksum checksum_;
  std::int64_t errors_ = 0;
  std::int64_t previous_ = 0; // no number is smaller
};

} // namespace scoville
