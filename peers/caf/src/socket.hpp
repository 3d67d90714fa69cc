// Lines over a connected stream socket.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scoville {

/// Reads and writes lines on a descriptor that somebody else owns.
class LineSocket {
 public:
  /// Longest line that is read, in bytes.
  static constexpr std::size_t max_line = 16U << 20U;

  explicit LineSocket(int descriptor) noexcept : descriptor_{descriptor} {}

  /// The next line without its end; nothing at the end of file. Throws std::system_error when reading fails
  /// and std::length_error for a line that is too long.
  [[nodiscard]] std::optional<std::string> read();

  /// Writes a line. Throws std::system_error.
  void write(std::string_view line) const;

 private:
  int descriptor_;
  std::string buffer_;
};

} // namespace scoville
