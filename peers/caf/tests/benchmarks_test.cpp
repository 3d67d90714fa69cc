// Every benchmark in the real program, against what the specification says.
#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace scoville {
namespace {

struct Expected {
  std::string benchmark;
  std::string parameters;
  std::string result;
  std::string checks;
  std::int64_t actors;
  std::int64_t messages;                      // -1: depends on scheduling in a way that no metric tells
  std::map<std::string, std::int64_t> more{}; // what each unit of a metric adds to the messages
};

const std::vector<Expected> expectations{
    // The preset `tiny` of the catalogue.
    {"pingpong", R"({"pings":100})", "5050", R"({"pongs":100})", 2, 301},
    {"threadring", R"({"actors":7,"hops":40})", "161", R"({"last":5})", 7, 55},
    {"count", R"({"messages":1000})", "1000", R"({})", 2, 1003},
    {"fjthrput", R"({"messages":50,"actors":7})", "1400", R"({"sum":80.185670383472})", 7, 350},
    {"fjcreate", R"({"actors":500})", "125250", R"({})", 500, 500},
    {"fib", R"({"index":10})", "55", R"({"actors":109})", 109, 217},
    {"chameneos", R"({"creatures":5,"meetings":100})", "200", R"({"colour":1})", 6, 415},
    {"big", R"({"pings":50,"actors":10})", "2806", R"({"pings":500})", 11, 1041},
    {"concdict", R"({"workers":3,"requests":40,"write_pct":30,"entries":50})", "1979089",
     R"({"writes":35,"reads":85,"map_size":50,"map_sum":961944})", 5, 247},
    {"concsll", R"({"workers":3,"requests":300,"write_pct":20,"size_pct":5})", "469117805",
     R"({"list_len":169,"hits":1,"sizes":29,"contains":702})", 5, 1807},
    {"bndbuffer", R"({"buffer":6,"producers":4,"consumers":3,"items":20,"prod_cost":1,"cons_cost":0})", "840",
     R"({"items":80,"data_sum":-386124.32298391})", 8, 331},
    {"philosopher", R"({"philosophers":5,"rounds":20})", "300", R"({"errors":0})", 6, 405, {{"retries", 2}}},
    {"barber",
     R"({"haircuts":30,"chairs":5,"arrival_work":100,"haircut_work":80})",
     "465",
     R"({"factory_busy":897978,"barber_busy":923802})",
     33,
     123,
     {{"attempts", 3}, {"sleeps", 1}}},
    {"cigsmok", R"({"rounds":20,"smokers":6})", "76", R"({"busy_sum":713088})", 7, 47},
    {"logmap", R"({"terms":100,"series":4,"start_rate":3.46,"increment":0.0025})", "1.28893373024145",
     R"({"orbit_sum":188.6715380777975,"steps":400})", 9, 1217},
    {"banking", R"({"accounts":20,"transactions":100,"initial_balance":1000000})", "210289872",
     R"({"total":20000000,"completed":100})", 21, 421},
    {"apsp", R"({"n":12,"b":4,"w":10})", "382", R"({"wsum":19158,"phases":108})", 10, 459},
    {"astar",
     R"({"w":3,"g":6,"t":8,"p":30,"mode":"exhaust"})",
     "131",
     R"({"spins":4573021})",
     4,
     5,
     {{"items", 3}}},
    {"nqueenk", R"({"w":4,"n":6,"t":3,"k":1500000,"p":10})", "4", R"({"items":63})", 5, 200},
    {"recmatmul", R"({"n":16,"t":64,"w":3,"p":10})", "230400", R"({"wsum":11886336,"items":9})", 4, 32},
    {"quicksort", R"({"n":100,"m":1152921504606846976,"t":16,"s":1024})", "45451337",
     R"({"count":100,"sorted":1,"sum":3624402})", 21, 41},
    {"radixsort", R"({"n":50,"m":65536,"s":2048})", "1334527098", R"({"count":50,"errors":0,"sum":1554079})",
     18, 851},
    {"filterbank", R"({"sim":20,"col":4,"chan":3})", "18306",
     R"({"count":14,"sum":29464.0,"wsum":142600.0,"fir":51})", 27, 534},
    {"bitonicsort", R"({"n":16,"m":1152921504606846976,"s":2048})", "1395422121",
     R"({"count":16,"errors":0,"sum":426088})", 192, 1494},
    {"sieve", R"({"n":200,"m":10})", "46", R"({"sum":4227,"filters":5})", 6, 185},
    {"uct", R"({"nodes":100,"avg":50,"stdev":10,"binomial":4,"urgent":50,"unit":1,"seed":2})", "6325764",
     R"({"nodes":97,"height":6,"urgent":10,"grants":23})", 97, 527},
    {"facloc",
     R"({"n":300,"g":500.0,"a":2.0,"s":123456,"dist":"uniform"})",
     "600",
     R"({"facilities":5,"customers":300,"maxdepth":2,"cost":12552.8010675,"rootups":4})",
     22,
     1165,
     {{"facility_down", 1}}},
    {"trapezoid", R"({"n":1000,"w":10,"l":1.0,"r":5.0})", "0.271068559391053", R"({"pieces":1000})", 11, 21},
    {"piprecision", R"({"w":3,"p":50})", "245309055", R"({"digits":1431576654})", 4, 7, {{"terms", 2}}},
    {"sor", R"({"size":4,"it":3,"omega":1.25,"seed":10101010})", "1.01823080073825e-10",
     R"({"received":128})", 18, 156},
    {"matrixsearch",
     R"({"controllers":2,"seekers":3,"size":16,"jobs":3,"word":3,"alphabet":4,"assign":"continuous","place":"local"})",
     "65", R"({"jobs":18})", 9, 52},
    {"bigneighbours", R"({"workers":10,"hood":3,"pings":20})", "1102",
     R"({"pings":200,"pongs":200,"errors":0})", 11, 451},
    {"chameneosfair", R"({"creatures":5,"meetings":50})", "100", R"({"colours":1,"self":0})", 6, 220},
    {"fannkuch", R"({"n":7,"chunks":200})", "228", R"({"maxflips":16,"flips":18508})", 195, 389},
    {"pingping", R"({"r":10,"size":4,"mode":"copy"})", "258", R"({"hash":690487743})", 3, 24},
    {"spawn", R"({"n":1000})", "499500", R"({"awake":1000})", 1001, 2000},
    {"pairs", R"({"pairs":3,"mode":"fixed","rounds":5,"seconds":60,"report":2,"size":4,"payload":"copy"})",
     "15", R"({"hashsum":941836050})", 7, 48},
    {"mixed", R"({"rings":2,"size":4,"token":3,"reps":2,"number":8051})", "720",
     R"({"results":4,"rounds":16})", 17, 78},
    {"chat",
     R"({"clients":16,"turns":5,"dirs":2,"compute":10,"post":30,"leave":50,"invite":60,"befriend":50,"fib":5,"seed":42})",
     "25",
     R"({"edges":35,"compute":5,"post":33,"leave":24,"invite":15,"none":3,"invitations":23})",
     55,
     297,
     {{"forwards", 1}, {"bumps", 1}, {"closes", 1}, {"leaves", 2}}},
    // The smallest sizes that are allowed, and the other modes.
    {"pingpong", R"({"pings":1})", "1", R"({"pongs":1})", 2, 4},
    {"threadring", R"({"actors":1,"hops":0})", "1", R"({"last":0})", 1, 3},
    {"threadring", R"({"actors":5,"hops":2})", "6", R"({"last":2})", 5, 13},
    {"count", R"({"messages":0})", "0", R"({})", 2, 3},
    {"fjthrput", R"({"messages":1,"actors":1})", "1", R"({"sum":0.22910191538134758})", 1, 1},
    {"fjcreate", R"({"actors":1})", "1", R"({})", 1, 1},
    {"fib", R"({"index":1})", "1", R"({"actors":1})", 1, 1},
    {"chameneos", R"({"creatures":2,"meetings":0})", "0", R"({"colour":1})", 3, 6},
    {"big", R"({"pings":0,"actors":1})", "0", R"({"pings":0})", 2, 5},
    {"big", R"({"pings":9,"actors":1})", "9", R"({"pings":9})", 2, 23},
    {"concdict", R"({"workers":1,"requests":0,"write_pct":0,"entries":1})", "0",
     R"({"writes":0,"reads":0,"map_size":1,"map_sum":0})", 3, 3},
    {"concsll", R"({"workers":2,"requests":0,"write_pct":0,"size_pct":0})", "0",
     R"({"list_len":0,"hits":0,"sizes":0,"contains":0})", 4, 5},
    {"bndbuffer", R"({"buffer":2,"producers":1,"consumers":1,"items":0,"prod_cost":0,"cons_cost":0})", "0",
     R"({"items":0,"data_sum":0})", 3, 3},
    {"bndbuffer", R"({"buffer":2,"producers":1,"consumers":1,"items":3,"prod_cost":0,"cons_cost":0})", "6",
     R"({"items":3,"data_sum":-41.381783193187})", 3, 15},
    {"philosopher", R"({"philosophers":1,"rounds":3})", "3", R"({"errors":0})", 2, 13},
    {"barber",
     R"({"haircuts":1,"chairs":1,"arrival_work":1,"haircut_work":1})",
     "1",
     R"({"factory_busy":38176,"barber_busy":38176})",
     4,
     7,
     {{"attempts", 3}, {"sleeps", 1}}},
    {"cigsmok", R"({"rounds":2,"smokers":1})", "2", R"({"busy_sum":78080})", 2, 6},
    {"logmap", R"({"terms":0,"series":1,"start_rate":3,"increment":1})", "0", R"({"orbit_sum":0,"steps":0})",
     3, 5},
    {"banking", R"({"accounts":10,"transactions":1,"initial_balance":-5})", "4909",
     R"({"total":-50,"completed":1})", 11, 15},
    {"apsp", R"({"n":2,"b":1,"w":1})", "2", R"({"wsum":50,"phases":8})", 5, 28},
    {"astar", R"({"w":3,"g":6,"t":8,"p":30,"mode":"first"})", "1", R"({"valid":1})", 4, -1},
    {"nqueenk", R"({"w":4,"n":6,"t":3,"k":2,"p":10})", "2", R"({})", 5, -1},
    {"nqueenk", R"({"w":1,"n":1,"t":1,"k":5,"p":1})", "1", R"({"items":2})", 2, 8},
    {"recmatmul", R"({"n":2,"t":1,"w":1,"p":1})", "2", R"({"wsum":98,"items":9})", 2, 28},
    {"quicksort", R"({"n":1,"m":1,"t":1,"s":0})", "1000003", R"({"count":1,"sorted":1,"sum":0})", 3, 5},
    {"radixsort", R"({"n":1,"m":2,"s":0})", "1000004", R"({"count":1,"errors":0,"sum":1})", 3, 3},
    {"filterbank", R"({"sim":3,"col":2,"chan":2})", "12", R"({"count":1,"sum":0.0,"wsum":0.0,"fir":4})", 20,
     66},
    {"filterbank", R"({"sim":7,"col":2,"chan":2})", "228", R"({"count":5,"sum":160.0,"wsum":692.0,"fir":12})",
     20, 150},
    {"bitonicsort", R"({"n":2,"m":1,"s":0})", "1426104154", R"({"count":2,"errors":0,"sum":0})", 9, 25},
    {"sieve", R"({"n":3,"m":1})", "1", R"({"sum":2,"filters":1})", 2, 2},
    {"sieve", R"({"n":8,"m":1})", "4", R"({"sum":17,"filters":4})", 5, 11},
    {"uct", R"({"nodes":2,"avg":1,"stdev":0,"binomial":1,"urgent":0,"unit":1,"seed":2})", "66163",
     R"({"nodes":2,"height":2,"urgent":0,"grants":0})", 2, 6},
    {"facloc",
     R"({"n":1,"g":1,"a":1,"s":0,"dist":"savina"})",
     "0",
     R"({"facilities":0,"customers":1,"maxdepth":0,"cost":0.7070426945424426,"rootups":0})",
     2,
     3,
     {{"facility_down", 1}}},
    {"trapezoid", R"({"n":1,"w":3,"l":0,"r":1})", "-0.595009839529386", R"({"pieces":1})", 4, 7},
    {"piprecision", R"({"w":1,"p":10})", "1351155477", R"({"digits":318976949})", 2, 3, {{"terms", 2}}},
    {"sor", R"({"size":3,"it":2,"omega":0.5,"seed":7})", "1.3964440476005354e-09", R"({"received":41})", 11,
     58},
    {"matrixsearch",
     R"({"controllers":2,"seekers":3,"size":16,"jobs":3,"word":3,"alphabet":4,"assign":"blockwise","place":"local"})",
     "65", R"({"jobs":18})", 9, 52},
    {"matrixsearch",
     R"({"controllers":2,"seekers":3,"size":16,"jobs":3,"word":3,"alphabet":4,"assign":"continuous","place":"roundrobin"})",
     "65", R"({"jobs":18})", 9, 52},
    {"bigneighbours", R"({"workers":7,"hood":3,"pings":5})", "137", R"({"pings":35,"pongs":35,"errors":0})",
     8, 106},
    {"bigneighbours", R"({"workers":1,"hood":5,"pings":3})", "3", R"({"pings":3,"pongs":3,"errors":0})", 2,
     12},
    {"chameneosfair", R"({"creatures":2,"meetings":1})", "2", R"({"colours":1,"self":0})", 3, 12},
    {"fannkuch", R"({"n":2,"chunks":1})", "-1", R"({"maxflips":1,"flips":1})", 2, 3},
    {"fannkuch", R"({"n":7,"chunks":1})", "228", R"({"maxflips":16,"flips":18508})", 2, 3},
    {"fannkuch", R"({"n":7,"chunks":9223372036854775807})", "228", R"({"maxflips":16,"flips":18508})", 5041,
     10081},
    {"pingping", R"({"r":10,"size":4,"mode":"share"})", "242", R"({"hash":1851424578})", 3, 24},
    {"pingping", R"({"r":1,"size":4,"mode":"copy"})", "6", R"({"hash":753502692})", 3, 6},
    {"pairs", R"({"pairs":2,"mode":"fixed","rounds":1,"seconds":1,"report":1,"size":1,"payload":"share"})",
     "2", R"({"hashsum":2000012})", 5, 12},
    {"mixed", R"({"rings":1,"size":2,"token":0,"reps":1,"number":6})", "5", R"({"results":1,"rounds":1})", 4,
     7},
    {"mixed", R"({"rings":1,"size":2,"token":0,"reps":1,"number":4})", "4", R"({"results":1,"rounds":1})", 4,
     7},
    {"spawn", R"({"n":1})", "0", R"({"awake":1})", 2, 2},
    {"chat",
     R"({"clients":1,"turns":1,"dirs":3,"compute":0,"post":0,"leave":0,"invite":0,"befriend":0,"fib":0,"seed":0})",
     "0",
     R"({"edges":0,"compute":0,"post":0,"leave":0,"invite":0,"none":1,"invitations":0})",
     7,
     15,
     {{"forwards", 1}, {"bumps", 1}, {"closes", 1}, {"leaves", 2}}},
    {"chat",
     R"({"clients":9,"turns":3,"dirs":2,"compute":0,"post":0,"leave":0,"invite":0,"befriend":100,"fib":0,"seed":1})",
     "0",
     R"({"edges":16,"compute":0,"post":0,"leave":0,"invite":0,"none":27,"invitations":0})",
     24,
     100,
     {{"forwards", 1}, {"bumps", 1}, {"closes", 1}, {"leaves", 2}}},
};

/// Integers exactly, floats within 1e-9.
bool same(const json::Value& actual, const json::Value& expected) {
  const auto is_float = actual.text().find_first_of(".en") != std::string::npos ||
                        expected.text().find('.') != std::string::npos;
  if (!is_float)
    return actual.integer() == expected.integer();
  return std::abs(actual.number().value() - expected.number().value()) <=
         1e-9 * std::abs(expected.number().value());
}

void compare_work(const json::Object& end, const Expected& expected) {
  const auto& work = *end.find("work")->second.object();
  EXPECT_EQ(work.find("actors")->second.integer(), expected.actors);
  auto messages = expected.messages;
  for (const auto& [metric, factor] : expected.more)
    messages += factor * end.find("metrics")->second.object()->find(metric)->second.integer().value();
  if (expected.messages >= 0) {
    EXPECT_EQ(work.find("messages")->second.integer(), messages);
  }
}

/// Compares one `end` with what the specification says.
void compare(const std::string& line, const Expected& expected, bool counting) {
  SCOPED_TRACE(expected.benchmark + ' ' + expected.parameters + ' ' + line);
  const auto value = json::parse(line);
  const auto& end = *value.object();
  ASSERT_EQ(*end.find("type")->second.string(), "end");
  EXPECT_TRUE(same(end.find("result")->second, json::parse(expected.result)));
  EXPECT_GT(end.find("wall_ns")->second.integer(), 0);
  const auto checks = json::parse(expected.checks);
  const auto& actual = *end.find("checks")->second.object();
  ASSERT_EQ(actual.size(), checks.object()->size());
  for (const auto& [name, check] : *checks.object()) {
    ASSERT_EQ(actual.count(name), 1U) << name;
    EXPECT_TRUE(same(actual.find(name)->second, check)) << name;
  }
  ASSERT_EQ(end.count("work"), counting ? 1U : 0U);
  if (counting)
    compare_work(end, expected);
}

class Workers : public ::testing::TestWithParam<int> {};

TEST_P(Workers, ComputeWhatTheSpecificationSays) {
  Program program{GetParam()};
  EXPECT_NE(program.hello.find("\"workers\":" + std::to_string(GetParam()) + ','), std::string::npos);
  for (const auto& expected : expectations) {
    for (const auto counting : {false, true, false}) {
      program.run(expected.benchmark, expected.parameters, counting);
      ASSERT_EQ(program.hear(), begin_line) << expected.benchmark;
      compare(program.hear(), expected, counting);
    }
  }
  program.say(bye_line);
  EXPECT_EQ(program.hear(), bye_line);
  EXPECT_EQ(program.wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(OneTwoAndFour, Workers, ::testing::Values(1, 2, 4));

TEST(Benchmarks, RunPairsForATime) {
  Program program{2};
  program.run("pairs",
              R"({"pairs":2,"mode":"timed","rounds":1,"seconds":1,"report":100,"size":8,"payload":"copy"})",
              true);
  EXPECT_EQ(program.hear(), begin_line);
  const auto value = json::parse(program.hear());
  const auto& end = *value.object();
  EXPECT_EQ(end.find("checks")->second.text(), "{}");
  EXPECT_GE(end.find("result")->second.integer(), 2);
  EXPECT_GE(end.find("wall_ns")->second.integer(), 1000000000);
  EXPECT_EQ(end.find("per_actor")->second.object()->count("n"), 1U);
}

} // namespace
} // namespace scoville
