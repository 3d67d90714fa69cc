// Everything in which CAF's versions differ: 0.17, 0.18, 0.19 and 1.x. No other file looks at CAF_VERSION.
#pragma once

#include <caf/all.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <utility>

#if CAF_VERSION >= 10000
#include <caf/anon_mail.hpp>
#endif

/// Declares a message type inside a type ID block. Messages never leave the process, so they need no
/// serialisation.
#define SCOVILLE_MESSAGE(block, type)                                                                        \
  CAF_ADD_TYPE_ID(block, (type))                                                                             \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)

namespace scoville::compat {

/// CAF's own version, such as "0.17.6".
[[nodiscard]] inline std::string version() {
  return std::to_string(CAF_MAJOR_VERSION) + '.' + std::to_string(CAF_MINOR_VERSION) + '.' +
         std::to_string(CAF_PATCH_VERSION);
}

/// Registers CAF's own message types. Before any actor system and after all of the program's own types.
inline void register_core_types() {
#if CAF_VERSION >= 1800
  caf::core::init_global_meta_objects();
#endif
}

/// Registers the message types of a type ID block; CAF 0.17 needs that for messages on the wire only.
template <class Block>
void register_types() {
#if CAF_VERSION >= 1800
  caf::init_global_meta_objects<Block>();
#endif
}

/// Asks for this many workers that steal from each other.
inline void configure_scheduler(caf::actor_system_config& config, std::int64_t workers) {
#if CAF_VERSION >= 1800
  config.set("caf.scheduler.policy", "stealing");
  config.set("caf.scheduler.max-threads", workers);
#else
  config.set("scheduler.policy", caf::atom("stealing"));
  config.set("scheduler.max-threads", workers);
#endif
}

template <class Scheduler, class = void>
struct HasNumWorkers : std::false_type {};

template <class Scheduler>
struct HasNumWorkers<Scheduler, std::void_t<decltype(std::declval<Scheduler&>().num_workers())>>
    : std::true_type {};

/// Threads of this process that carry the name CAF gives to its workers.
[[nodiscard]] inline std::size_t count_worker_threads() {
  std::size_t result = 0;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::string name;
    std::getline(std::ifstream{task.path() / "comm"}, name);
    result += name == "caf.worker" ? 1U : 0U;
  }
  return result;
}

/// Number of threads that execute actors, as the scheduler tells it. A CAF whose scheduler does not tell
/// names its workers, so that they can be counted.
template <class System>
[[nodiscard]] std::size_t workers(System& system) {
  using Scheduler = std::decay_t<decltype(system.scheduler())>;
  if constexpr (HasNumWorkers<Scheduler>::value)
    return system.scheduler().num_workers();
  else
    return count_worker_threads();
}

/// Sends from outside the actor system.
template <class Message>
void send(const caf::actor& to, Message&& message) {
#if CAF_VERSION >= 10000
  caf::anon_mail(std::forward<Message>(message)).send(to);
#else
  caf::anon_send(to, std::forward<Message>(message));
#endif
}

/// Sends from the actor that is being executed, to a reference or, by its pointer, to itself.
template <class Receiver, class Message>
void send(caf::event_based_actor* from, const Receiver& to, Message&& message) {
#if CAF_VERSION >= 10000
  from->mail(std::forward<Message>(message)).send(to);
#else
  from->send(to, std::forward<Message>(message));
#endif
}

/// A behaviour that calls `unexpected` for a message that none of the handlers takes; CAF would drop it.
template <class... Handlers>
[[nodiscard]] caf::behavior handlers(caf::event_based_actor* self, void (*unexpected)(),
                                     Handlers... handlers) {
#if CAF_VERSION >= 10000
  static_cast<void>(self);
  return caf::behavior{std::move(handlers)..., [unexpected](const caf::message&) { unexpected(); }};
#else
#if CAF_VERSION >= 1800
  using Rest = caf::message;
  using Result = caf::skippable_result;
#else
  using Rest = caf::message_view;
  using Result = caf::result<caf::message>;
#endif
  self->set_default_handler([unexpected](caf::scheduled_actor*, Rest&) -> Result {
    unexpected();
    return caf::make_error(caf::sec::unexpected_message);
  });
  return caf::behavior{std::move(handlers)...};
#endif
}

} // namespace scoville::compat
