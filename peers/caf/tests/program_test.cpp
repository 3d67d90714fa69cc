// The real program, with a socket at file descriptor 3.
#include "json.hpp"
#include "socket.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scoville {
namespace {

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

struct Expected {
  std::string benchmark;
  std::string parameters;
  std::int64_t result;
  std::string check;
  double check_value;
  std::int64_t actors;
  std::int64_t messages;
};

/// The preset `tiny` of the specification, and the smallest sizes that are allowed.
const std::vector<Expected> expectations{
    {"pingpong", R"({"pings":100})", 5050, "pongs", 100, 2, 301},
    {"pingpong", R"({"pings":1})", 1, "pongs", 1, 2, 4},
    {"threadring", R"({"actors":7,"hops":40})", 161, "last", 5, 7, 55},
    {"threadring", R"({"actors":1,"hops":0})", 1, "last", 0, 1, 3},
    {"count", R"({"messages":1000})", 1000, "", 0, 2, 1003},
    {"count", R"({"messages":0})", 0, "", 0, 2, 3},
    {"fjthrput", R"({"messages":50,"actors":7})", 1400, "sum", 80.185670383472, 7, 350},
    {"fjcreate", R"({"actors":500})", 125250, "", 0, 500, 500},
    {"fib", R"({"index":10})", 55, "actors", 109, 109, 217},
    {"fib", R"({"index":1})", 1, "actors", 1, 1, 1},
    {"chameneos", R"({"creatures":5,"meetings":100})", 200, "colour", 1, 6, 415},
    {"chameneos", R"({"creatures":2,"meetings":0})", 0, "colour", 1, 3, 6},
    {"big", R"({"pings":50,"actors":10})", 2806, "pings", 500, 11, 1041},
    {"big", R"({"pings":0,"actors":1})", 0, "pings", 0, 2, 5},
};

std::int64_t integer(const json::Object& object, std::string_view name) {
  return object.find(name)->second.integer().value();
}

/// Compares one `end` with what the specification says.
void compare(const std::string& line, const Expected& expected, bool counting) {
  SCOPED_TRACE(expected.benchmark + ' ' + line);
  const auto value = json::parse(line);
  const auto& end = *value.object();
  ASSERT_EQ(*end.find("type")->second.string(), "end");
  EXPECT_EQ(integer(end, "result"), expected.result);
  EXPECT_GT(integer(end, "wall_ns"), 0);
  const auto& checks = *end.find("checks")->second.object();
  ASSERT_EQ(checks.size(), expected.check.empty() ? 0U : 1U);
  if (!expected.check.empty()) {
    const auto number = std::stod(checks.find(expected.check)->second.text());
    EXPECT_NEAR(number, expected.check_value, 1e-9 * std::max(1.0, expected.check_value));
  }
  ASSERT_EQ(end.count("work"), counting ? 1U : 0U);
  if (counting) {
    const auto& work = *end.find("work")->second.object();
    EXPECT_EQ(integer(work, "actors"), expected.actors);
    EXPECT_EQ(integer(work, "messages"), expected.messages);
  }
}

class Workers : public ::testing::TestWithParam<int> {};

TEST_P(Workers, ComputeWhatTheSpecificationSays) {
  Program program{GetParam()};
  EXPECT_NE(program.hello.find("\"workers\":" + std::to_string(GetParam()) + ','), std::string::npos);
  for (const auto& expected : expectations) {
    for (const auto counting : {false, true, false}) {
      program.run(expected.benchmark, expected.parameters, counting);
      EXPECT_EQ(program.hear(), begin_line);
      compare(program.hear(), expected, counting);
    }
  }
  program.say(bye_line);
  EXPECT_EQ(program.hear(), bye_line);
  EXPECT_EQ(program.wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(OneAndTwo, Workers, ::testing::Values(1, 2));

TEST(Program, SaysHello) {
  Program program{1};
  const auto value = json::parse(program.hello);
  const auto& hello = *value.object();
  EXPECT_EQ(*hello.find("type")->second.string(), "hello");
  EXPECT_EQ(integer(hello, "protocol"), 1);
  EXPECT_EQ(*hello.find("runtime")->second.string(), "caf");
  EXPECT_EQ(*hello.find("gc")->second.string(), "none");
  EXPECT_EQ(hello.find("benchmarks")->second.text(),
            R"(["pingpong","threadring","count","fjthrput","fjcreate","fib","chameneos","big"])");
}

TEST(Program, CountsTheMeetingsOfEachCreature) {
  Program program{2};
  program.run("chameneos", R"({"creatures":3,"meetings":0})");
  EXPECT_EQ(program.hear(), begin_line);
  EXPECT_NE(program.hear().find(R"("per_actor":{"meetings":[0,0,0]})"), std::string::npos);
}

TEST(Program, GoesOnAfterABadParameter) {
  Program program{1};
  program.run("nosuch", "{}");
  EXPECT_EQ(program.hear(),
            R"({"type":"fail","code":"bad-parameter","message":"nosuch: unknown benchmark"})");
  program.run("pingpong", R"({"pings":0})");
  EXPECT_EQ(
      program.hear(),
      R"({"type":"fail","code":"bad-parameter","message":"pingpong: pings is 0; it must be at least 1"})");
  program.run("fib", R"({"index":46})");
  EXPECT_EQ(
      program.hear(),
      R"({"type":"fail","code":"bad-parameter","message":"fib: index is 46; it must be between 1 and 45"})");
  program.run("fib", R"({"index":2})");
  EXPECT_EQ(program.hear(), begin_line);
}

TEST(Program, ReportsThatAnIterationIsTooBigForTheMachine) {
  Program program{1};
  program.run("threadring", R"({"actors":9000000000000000000,"hops":0})");
  EXPECT_EQ(program.hear(), begin_line);
  const auto answer = program.hear();
  EXPECT_EQ(answer.find(R"({"type":"fail","code":"failed","message":)"), 0U) << answer;
  EXPECT_EQ(program.wait(), 1);
}

TEST(Program, LeavesAtOnceWhenAskedOrAlone) {
  Program asked{1};
  asked.say(R"({"type":"stop"})");
  EXPECT_EQ(asked.hear(), "end of file");
  EXPECT_EQ(asked.wait(), 0);

  Program alone{1};
  alone.hang_up();
  EXPECT_EQ(alone.wait(), 1);
}

TEST(Program, RefusesWhatTheProtocolDoesNotAllow) {
  for (const auto* line : {"nonsense", "[]", "{}", R"({"type":1})", R"({"type":"dance"})",
                           R"({"type":"run"})", R"({"type":"run","benchmark":"fib"})",
                           R"({"type":"run","benchmark":"fib","parameters":{},"count_messages":1})"}) {
    Program program{1};
    program.say(line);
    EXPECT_EQ(program.hear(), "end of file") << line;
    EXPECT_EQ(program.wait(), 1) << line;
  }
}

} // namespace
} // namespace scoville
