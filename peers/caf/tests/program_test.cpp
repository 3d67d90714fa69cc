// The conversation, whatever the benchmark.
#include "program.hpp"

#include <gtest/gtest.h>

namespace scoville {
namespace {

TEST(Program, SaysHello) {
  Program program{1};
  const auto value = json::parse(program.hello);
  const auto& hello = *value.object();
  EXPECT_EQ(*hello.find("type")->second.string(), "hello");
  EXPECT_EQ(hello.find("protocol")->second.integer(), 1);
  EXPECT_EQ(*hello.find("runtime")->second.string(), "caf");
  EXPECT_EQ(*hello.find("gc")->second.string(), "none");
  EXPECT_EQ(hello.find("labels")->second.text(), R"({"bignum":"GMP","stash":"local"})");
  EXPECT_EQ(
      hello.find("benchmarks")->second.text(),
      R"(["pingpong","threadring","count","fjthrput","fjcreate","fib","chameneos","big",)"
      R"("concdict","concsll","bndbuffer","philosopher","barber","cigsmok","logmap","banking",)"
      R"("apsp","astar","nqueenk","recmatmul","quicksort","radixsort","filterbank","bitonicsort","sieve","uct",)"
      R"("facloc","trapezoid","piprecision","sor",)"
      R"("matrixsearch","bigneighbours","chameneosfair","fannkuch","pingping","spawn","pairs","mixed","chat"])");
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

TEST(Program, ReportsThatAResultIsNoNumber) {
  Program program{1};
  program.run("logmap", R"({"terms":100,"series":1,"start_rate":1e300,"increment":0})");
  EXPECT_EQ(program.hear(), begin_line);
  program.hear();
  program.run("logmap", R"({"terms":100,"series":2,"start_rate":1e300,"increment":0.5})");
  EXPECT_EQ(program.hear(), begin_line);
  EXPECT_EQ(program.hear().find(R"({"type":"fail","code":"failed","message":"logmap computed a number)"), 0U);
  EXPECT_EQ(program.wait(), 1);
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
