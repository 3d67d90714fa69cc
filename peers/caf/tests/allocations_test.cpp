// What the work of a benchmark may allocate: a search through many boards must not ask for memory for each.
#include "benchmark.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> allocations = 0;

} // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (auto* memory = std::malloc(size))
    return memory;
  throw std::bad_alloc{};
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace scoville {
namespace {

/// How often memory was asked for during an iteration.
std::int64_t allocations_of(std::string_view name, std::string_view parameters) {
  const auto& all = benchmarks();
  const auto& benchmark =
      *std::find_if(all.begin(), all.end(), [&](const auto& candidate) { return candidate.name == name; });
  const auto given = json::parse(parameters);
  const Parameters values{std::string{name}, benchmark.parameters, benchmark.relations, *given.object()};
  caf::actor_system_config config;
  compat::configure_scheduler(config, 1);
  caf::actor_system system{config};
  std::int64_t before = 0;
  Run<false> run{system, [&] { before = allocations; }};
  benchmark.run(run, values);
  return allocations - before;
}

TEST(Allocations, OfNqueenkAreForItsMessages) {
  register_all_types();
  // 11 items, 724 solutions, 3 * 11 - 1 + 724 + 2 messages, and some 35,000 boards that are valid.
  EXPECT_LT(allocations_of("nqueenk", R"({"w":1,"n":10,"t":1,"k":1500000,"p":10})"), 4 * 758);
}

} // namespace
} // namespace scoville
