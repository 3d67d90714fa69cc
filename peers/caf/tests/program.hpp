// The real program, with a socket at file descriptor 3.
#pragma once

#include "json.hpp"
#include "socket.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scoville {

/// A running program and our end of its socket.
class Program {
 public:
  explicit Program(int workers) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("socketpair");
    const auto argument = std::to_string(workers);
    process_ = ::fork();
    if (process_ == 0) {
      // dup2 clears close-on-exec, unless both are the same.
      if (ends[1] == 3)
        ::fcntl(3, F_SETFD, 0);
      else
        ::dup2(ends[1], 3);
      ::execl(PEER_PROGRAM, PEER_PROGRAM, argument.c_str(), nullptr);
      std::_Exit(127);
    }
    ::close(ends[1]);
    ours_ = ends[0];
    line_ = LineSocket{ours_};
    hello = hear();
  }

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  ~Program() {
    if (ours_ >= 0)
      ::close(ours_);
    if (process_ > 0)
      wait();
  }

  std::string hear() { return line_.read().value_or("end of file"); }

  void say(std::string_view line) { line_.write(line); }

  void run(const std::string& benchmark, const std::string& parameters, bool counting = false) {
    say(R"({"type":"run","benchmark":")" + benchmark + R"(","parameters":)" + parameters +
        R"(,"iteration":0,"count_messages":)" + (counting ? "true" : "false") + "}");
  }

  void hang_up() { ::close(std::exchange(ours_, -1)); }

  int wait() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string hello;

 private:
  pid_t process_ = -1;
  int ours_ = -1;
  LineSocket line_{-1};
};

constexpr auto begin_line = R"({"type":"begin"})";
constexpr auto bye_line = R"({"type":"bye"})";

} // namespace scoville
