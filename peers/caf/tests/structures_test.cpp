// The small data structures that benchmarks share.
#include "arrivals.hpp"
#include "checksum.hpp"
#include "fifo.hpp"
#include "payload.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>

namespace scoville {
namespace {

TEST(Checksum, DependsOnTheOrder) {
  EXPECT_EQ(checksum(std::array{1, 2, 3}), 330182277);
  EXPECT_NE(checksum(std::array{3, 2, 1}), 330182277);
  EXPECT_EQ(Checksum{}.get(), 1);
}

// What was sorted has no errors, so that no benchmark would notice if they were not counted.
TEST(Arrivals, CountWhatIsSmallerThanItsPredecessor) {
  Arrivals arrivals;
  for (const auto v : {5, 5, 3, 9, 4})
    arrivals.add(v);
  const auto outcome = arrivals.outcome();
  EXPECT_EQ(std::get<std::int64_t>(outcome.result), checksum(std::array{5, 5, 3, 9, 4}));
  EXPECT_EQ(outcome.checks, (std::map<std::string, Figure>{{"count", 5}, {"errors", 2}, {"sum", 26}}));
}

TEST(Fifo, IsAQueue) {
  Fifo<int> fifo;
  std::deque<int> model;
  std::uint32_t random = 1;
  for (int i = 0; i < 10000; ++i) {
    random = random * 1664525U + 1013904223U;
    // More pushes in some stretches, more pops in others: the ring wraps at many sizes.
    if (model.empty() || random >> 24U < (i / 500 % 2 == 0 ? 160U : 96U)) {
      fifo.push(i);
      model.push_back(i);
    } else {
      ASSERT_EQ(fifo.pop(), model.front());
      model.pop_front();
    }
    ASSERT_EQ(fifo.size(), model.size());
    ASSERT_EQ(fifo.empty(), model.empty());
  }
}

TEST(Fifo, KeepsNothingOfWhatWasTaken) {
  const auto shared = std::make_shared<int>(1);
  Fifo<std::shared_ptr<int>> fifo;
  fifo.push(shared);
  static_cast<void>(fifo.pop());
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Payload, IsCopiedWithOneByteChanged) {
  const auto fresh = fresh_payload(600);
  EXPECT_EQ((*fresh)[0], 3);
  EXPECT_EQ((*fresh)[37], (7 * 37 + 3) % 256);
  const auto changed = pass_on(fresh, 599, false);
  EXPECT_EQ((*changed)[599], static_cast<std::uint8_t>((*fresh)[599] + 1));
  EXPECT_EQ((*changed)[598], (*fresh)[598]);
  EXPECT_NE(changed, fresh);
}

TEST(Payload, IsTheSameIfItIsShared) {
  const auto fresh = fresh_payload(4);
  EXPECT_EQ(pass_on(fresh, 0, true), fresh);
}

} // namespace
} // namespace scoville
