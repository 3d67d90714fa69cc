// The way out of an iteration that went wrong.
#pragma once

#include <string_view>

namespace scoville {

/// Receives the reason of a failure on whatever thread it happened; must not return.
using FailureHandler = void (*)(std::string_view reason);

/// Sets what `fail` does. Until then it prints the reason and aborts.
void on_failure(FailureHandler handler) noexcept;

/// Ends the process because an assertion of a benchmark was violated. Actors that wait for a message that
/// nobody will send cannot be stopped from outside, so there is no next iteration.
[[noreturn]] void fail(std::string_view reason);

/// Fails unless `holds`.
inline void require(bool holds, std::string_view reason) {
  if (!holds)
    fail(reason);
}

} // namespace scoville
