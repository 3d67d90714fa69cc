// The peer's program: `scoville-caf WORKERS`, with the laboratory at file descriptor 3.
#include "peer.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace {

using namespace scoville;

constexpr int laboratory_descriptor = 3;

/// Reports a failure from whatever thread it happened on, and leaves: other actors may wait for ever.
void report_and_exit(std::string_view reason) {
  static std::recursive_mutex mutex;
  static bool reporting = false;
  const std::lock_guard guard{mutex}; // a second thread that fails waits here for the end of the process
  if (!std::exchange(reporting, true)) {
    std::fprintf(stderr, "scoville-caf: %.*s\n", static_cast<int>(reason.size()), reason.data());
    try {
      LineSocket{laboratory_descriptor}.write(fail_message("failed", reason));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "scoville-caf: %s\n", error.what());
    }
  }
  std::_Exit(EXIT_FAILURE);
}

std::optional<std::int64_t> parse_workers(std::string_view text) {
  std::int64_t result = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || result < 1)
    return std::nullopt;
  return result;
}

int serve_laboratory(std::int64_t workers) {
  on_failure(report_and_exit);
  std::set_new_handler([] { fail("out of memory"); });
  register_all_types();
  caf::actor_system_config config;
  compat::configure_scheduler(config, workers);
  caf::actor_system system{config};
  LineSocket laboratory{laboratory_descriptor};
  const auto ending = serve(laboratory, system);
  if (ending != Ending::bye)
    std::_Exit(ending == Ending::stop ? EXIT_SUCCESS : EXIT_FAILURE);
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  const auto workers = argc == 2 ? parse_workers(argv[1]) : std::nullopt;
  if (!workers) {
    std::fputs(
        "usage: scoville-caf WORKERS\nWORKERS is the number of threads that execute actors, at least 1. "
        "The laboratory must be connected to file descriptor 3.\n",
        stderr);
    return EXIT_FAILURE;
  }
  try {
    return serve_laboratory(*workers);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scoville-caf: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
