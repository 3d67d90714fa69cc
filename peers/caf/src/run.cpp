#include "run.hpp"

#include <thread>

namespace scoville {

void await_running(caf::actor_system& system, std::size_t number) {
  // CAF wakes those who wait only when at most one actor is left.
  if (number <= 1)
    system.registry().await_running_count_equal(number);
  while (system.registry().running() > number)
    std::this_thread::sleep_for(std::chrono::microseconds{20});
}

} // namespace scoville
