// The conversation with the laboratory (docs/protocol.md).
#pragma once

#include "benchmark.hpp"
#include "socket.hpp"

#include <caf/fwd.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace scoville {

/// The laboratory said something that the protocol does not allow.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why a conversation ended.
enum class Ending {
  bye,  ///< as planned; already answered
  stop, ///< asked to leave at once
  gone, ///< the laboratory closed its end
};

/// Says hello, then runs what is asked for until told to leave. Throws ProtocolError, std::system_error and
/// std::length_error.
[[nodiscard]] Ending serve(LineSocket& laboratory, caf::actor_system& system);

/// The message that reports a failure, as one line.
[[nodiscard]] std::string fail_message(std::string_view code, std::string_view text);

} // namespace scoville
