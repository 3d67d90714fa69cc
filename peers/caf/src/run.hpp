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

/// Waits until no more than `number` actors run. The wait is CAF's own count of running actors; that it fell
/// so far also makes the last writes of those that stopped visible here.
void await_running(caf::actor_system& system, std::size_t number);

/// An iteration. Actors and messages are counted only if `Counting`: the timed code has no trace of it.
template <bool Counting>
class Run {
 public:
  /// `begin` is called immediately before the clock starts.
  Run(caf::actor_system& system, std::function<void()> begin) : system_{system}, begin_{std::move(begin)} {}

  /// Executes `body`, which creates actors and sends, and waits until they have stopped; see `settle`.
  template <class Body>
  void timed(Body body) {
    begin_();
    const auto start = std::chrono::steady_clock::now();
    body();
    settle();
    elapsed_ = std::chrono::steady_clock::now() - start;
  }

  /// Waits until all actors of the iteration have stopped but those that last. If these are several, their
  /// number must be final, and the others must be about to stop.
  void settle() { await_running(system_, lasting_); }

  /// Waits until the actors that last have stopped too.
  void finish() { await_running(system_, 0); }

  /// Stops an actor from outside as CAF does it, without a message of the benchmark.
  static void stop(const caf::actor& actor) { caf::anon_send_exit(actor, caf::exit_reason::user_shutdown); }

  /// Creates an actor from outside that is none of the benchmark's, so that it is not counted.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn_aside(Arguments&&... arguments) {
    return system_.template spawn<Actor>(*this, std::forward<Arguments>(arguments)...);
  }

  /// Creates an actor from outside.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn(Arguments&&... arguments) {
    count_actor();
    return spawn_aside<Actor>(std::forward<Arguments>(arguments)...);
  }

  /// Creates an actor from outside that outlives the timed region; see `finish`.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn_lasting(Arguments&&... arguments) {
    lasting_.fetch_add(1, std::memory_order_relaxed); // read when nobody creates any more
    return spawn<Actor>(std::forward<Arguments>(arguments)...);
  }

  /// Creates an actor from an actor that is being executed.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn_from(caf::event_based_actor* creator, Arguments&&... arguments) {
    count_actor();
    return creator->template spawn<Actor>(*this, std::forward<Arguments>(arguments)...);
  }

  /// Creates an actor from an actor that is being executed; it outlives the timed region.
  template <class Actor, class... Arguments>
  [[nodiscard]] caf::actor spawn_lasting_from(caf::event_based_actor* creator, Arguments&&... arguments) {
    lasting_.fetch_add(1, std::memory_order_relaxed); // read when nobody creates any more
    return spawn_from<Actor>(creator, std::forward<Arguments>(arguments)...);
  }

  /// Sends from outside.
  template <class Message>
  void send(const caf::actor& to, Message&& message) {
    count_message();
    compat::send(to, std::forward<Message>(message));
  }

  /// Sends from an actor that is being executed, to a reference or, by its pointer, to itself: that counts no
  /// reference up and down.
  template <class Receiver, class Message>
  void send(caf::event_based_actor* from, const Receiver& to, Message&& message) {
    count_message();
    compat::send(from, to, std::forward<Message>(message));
  }

  /// The behaviour of an actor; any other message fails the iteration. CAF 0.17 tries the handlers one after
  /// another and compares names of types: what comes most often stands first.
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
  std::atomic<std::size_t> lasting_ = 0;
  std::atomic<std::int64_t> actors_ = 0;
  std::atomic<std::int64_t> messages_ = 0;
};

} // namespace scoville
