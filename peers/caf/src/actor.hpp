// What the actors of most benchmarks have in common.
#pragma once

#include "benchmark.hpp"

namespace scoville {

/// An actor of an iteration, with short names for what it does all the time.
template <class Run>
class Actor : public caf::event_based_actor {
 public:
  Actor(caf::actor_config& config, Run& run) : caf::event_based_actor{config}, run_{run} {}

 protected:
  /// Sends a message.
  template <class Message>
  void tell(const caf::actor& to, Message&& message) {
    run_.send(this, to, std::forward<Message>(message));
  }

  /// Sends a message to this actor.
  template <class Message>
  void tell_self(Message&& message) {
    run_.send(this, this, std::forward<Message>(message));
  }

  /// Sends a message as if from outside. If that wakes the receiver, CAF queues it on its workers in turn,
  /// not on the worker of this actor.
  template <class Message>
  void tell_in_turn(const caf::actor& to, Message&& message) {
    run_.send(to, std::forward<Message>(message));
  }

  /// Creates another actor.
  template <class Other, class... Arguments>
  [[nodiscard]] caf::actor create(Arguments&&... arguments) {
    return run_.template spawn_from<Other>(this, std::forward<Arguments>(arguments)...);
  }

  /// Creates another actor that outlives the timed region.
  template <class Other, class... Arguments>
  [[nodiscard]] caf::actor create_lasting(Arguments&&... arguments) {
    return run_.template spawn_lasting_from<Other>(this, std::forward<Arguments>(arguments)...);
  }

  /// The behaviour; a message that none of the handlers takes fails the iteration. What comes most often
  /// stands first, see Run::handlers.
  template <class... Handlers>
  [[nodiscard]] caf::behavior receive(Handlers... handlers) {
    return run_.handlers(this, std::move(handlers)...);
  }

  /// The reference that others need to answer.
  [[nodiscard]] caf::actor self() { return caf::actor{this}; }

 private:
  Run& run_;
};

/// The number of elements.
template <class Container>
[[nodiscard]] std::int64_t length(const Container& container) noexcept {
  return static_cast<std::int64_t>(container.size());
}

} // namespace scoville
