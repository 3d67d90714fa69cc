// One iteration of a benchmark: creation, sending, the timed region, and the end of all actors.
#pragma once

#include "caf_compat.hpp"
#include "failure.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace scoville {

/// What a counting iteration saw.
struct Work {
  std::int64_t actors = 0;
  std::int64_t messages = 0;
};

/// A sum to which actors add at their end.
template <class Number>
class Total {
 public:
  void add(Number x) {
    const std::lock_guard guard{mutex_};
    sum_ += x;
  }

  [[nodiscard]] Number get() const {
    const std::lock_guard guard{mutex_};
    return sum_;
  }

 private:
  mutable std::mutex mutex_;
  Number sum_ = 0;
};

/// An iteration. Actors and messages are counted only if `Counting`: the timed code has no trace of it.
template <bool Counting>
class Run {
 public:
  /// `begin` is called immediately before the clock starts.
  Run(caf::actor_system& system, std::function<void()> begin) : system_{system}, begin_{std::move(begin)} {}

  /// Executes `body`, which creates actors and sends, and waits until all of them have stopped. The wait is
  /// CAF's own count of running actors; that it reached zero also makes their last writes visible here.
  template <class Body>
  void timed(Body body) {
    begin_();
    const auto start = std::chrono::steady_clock::now();
    body();
    system_.await_all_actors_done();
    elapsed_ = std::chrono::steady_clock::now() - start;
  }

  /// Creates an actor from outside.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn(Arguments&&... arguments) {
    count_actor();
    return system_.template spawn<Actor>(*this, std::forward<Arguments>(arguments)...);
  }

  /// Creates an actor from an actor that is being executed.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn_from(caf::event_based_actor* creator, Arguments&&... arguments) {
    count_actor();
    return creator->template spawn<Actor>(*this, std::forward<Arguments>(arguments)...);
  }

  /// Sends from outside.
  template <class Message>
  void send(const caf::actor& to, Message&& message) {
    count_message();
    compat::send(to, std::forward<Message>(message));
  }

  /// Sends from an actor that is being executed.
  template <class Message>
  void send(caf::event_based_actor* from, const caf::actor& to, Message&& message) {
    count_message();
    compat::send(from, to, std::forward<Message>(message));
  }

  /// The behaviour of an actor; any other message fails the iteration.
  template <class... Handlers>
  [[nodiscard]] caf::behavior handlers(caf::event_based_actor* self, Handlers... handlers) {
    return compat::handlers(
        self, [] { fail("an actor received a message that it does not know"); }, std::move(handlers)...);
  }

  [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return elapsed_; }

  [[nodiscard]] Work work() const noexcept { return {actors_, messages_}; }

 private:
  void count_actor() noexcept {
    if constexpr (Counting)
      actors_.fetch_add(1, std::memory_order_relaxed); // read after the join
  }

  void count_message() noexcept {
    if constexpr (Counting)
      messages_.fetch_add(1, std::memory_order_relaxed); // read after the join
  }

  caf::actor_system& system_;
  std::function<void()> begin_;
  std::chrono::nanoseconds elapsed_{};
  std::atomic<std::int64_t> actors_ = 0;
  std::atomic<std::int64_t> messages_ = 0;
};

} // namespace scoville
