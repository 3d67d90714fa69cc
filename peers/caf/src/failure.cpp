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
std::atomic<FailureHandler> current = print_and_abort;

} // namespace

void on_failure(FailureHandler handler) noexcept {
  current = handler;
}

void fail(std::string_view reason) {
  current.load()(reason);
  std::abort();
}

} // namespace scoville
