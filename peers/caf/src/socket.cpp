#include "socket.hpp"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <sys/socket.h>
#include <unistd.h>

namespace scoville {

std::optional<std::string> LineSocket::read() {
  std::array<char, 65536> chunk{};
  for (std::size_t searched = 0;;) {
    if (const auto end = buffer_.find('\n', searched); end != std::string::npos) {
      auto line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    searched = buffer_.size();
    if (searched > max_line)
      throw std::length_error("the laboratory sent a line of more than 16 MiB");
    const auto got = ::read(descriptor_, chunk.data(), chunk.size());
    if (got == 0)
      return std::nullopt;
    if (got > 0)
      buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "reading from the laboratory");
  }
}

void LineSocket::write(std::string_view line) const {
  auto rest = std::string{line} + '\n';
  while (!rest.empty()) {
    // A laboratory that is gone is an error to report, not a signal to die of.
    const auto sent = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent >= 0)
      rest.erase(0, static_cast<std::size_t>(sent));
    else if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "writing to the laboratory");
  }
}

} // namespace scoville
