#include "failure.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace scoville {

namespace {

void print_and_abort(std::string_view reason) {
  std::fprintf(stderr, "failed: %.*s\n", static_cast<int>(reason.size()), reason.data());
  std::abort();
}

// Set once, before any actor exists.
std::atomic<FailureHandler> handler = print_and_abort;

} // namespace

void on_failure(FailureHandler chosen) noexcept {
  handler = chosen;
}

void fail(std::string_view reason) {
  handler.load()(reason);
  std::abort();
}

} // namespace scoville
