#include "busy.hpp"
#include "rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace scoville {
namespace {

using Draws = std::array<std::int64_t, 8>;

class RngTable : public ::testing::TestWithParam<std::pair<std::int64_t, Draws>> {};

TEST_P(RngTable, DrawsTheSpecifiedNumbers) {
  Rng rng{GetParam().first};
  for (const auto expected : GetParam().second)
    EXPECT_EQ(rng.next(), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, RngTable,
    ::testing::Values(std::pair{0, Draws{13849, 54254, 56847, 43212, 20789, 29210, 42251, 8024}},
                      std::pair{1, Draws{15158, 63799, 33876, 55197, 46050, 179, 51552, 58873}},
                      std::pair{74755, Draws{22896, 34761, 34014, 39231, 52540, 41445, 1546, 5947}},
                      std::pair{123456, Draws{5977, 38958, 22863, 57100, 46709, 10842, 50251, 59800}}));

TEST(Rng, HasTheDefaultSeed) {
  EXPECT_EQ(Rng{}.next(), 22896);
}

TEST(Rng, ChoosesTheSpecifiedTargets) {
  Rng rng{119};
  for (const auto expected : {28, 21, 74, 35, 72, 49})
    EXPECT_EQ(rng.below(120), expected);
}

TEST(Rng, DerivesUnitAndScaledFromOneDraw) {
  EXPECT_EQ(Rng{}.unit(), 1.0 / 22897);
  EXPECT_EQ(Rng{}.scaled(1000), (22896 * 1000) >> 16);
}

TEST(J48, DrawsTheStreamOfJava) {
  J48 bits{2};
  for (const auto expected : {1570126108, 630021372, 1935844040, 8925067})
    EXPECT_EQ(bits.bits(31), expected);
  J48 coins{123456};
  for (const auto expected : {0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0})
    EXPECT_EQ(coins.coin(), expected != 0);
}

TEST(Busy, Spins) {
  EXPECT_EQ(spin(1, 100), 51005);
  EXPECT_EQ(spin(70000, 10), 56054);
  EXPECT_EQ(spin(12345, 1000), 9041);
}

TEST(Busy, MakesTheSpecifiedSteps) {
  EXPECT_EQ(busy(0), 0);
  EXPECT_EQ(busy(1), 15158);
  EXPECT_EQ(busy(2), 7808);
  EXPECT_EQ(busy(10), 38176);
  EXPECT_EQ(busy(100), 16528);
  EXPECT_EQ(busy(1009), 24630);
}

} // namespace
} // namespace scoville
