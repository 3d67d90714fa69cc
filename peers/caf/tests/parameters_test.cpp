#include "parameters.hpp"

#include <gtest/gtest.h>

namespace scoville {
namespace {

Parameters check(std::string_view json) {
  return {"big", {{"pings", 0}, {"actors", 1, 65536}}, *json::parse(json).object()};
}

std::string complaint(std::string_view json) {
  try {
    check(json);
  } catch (const BadParameter& error) {
    return error.what();
  }
  return "none";
}

TEST(Parameters, AreRefusedInTheWordsOfTheProtocol) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"zeta":1,"actors":"x"})", "parameter pings is missing"},
      {R"({})", "parameter pings is missing"},
      {R"({"pings":-1,"zeta":1})", "parameter actors is missing"},
      {R"({"pings":-1,"actors":"x","zeta":1,"alpha":1})", "unknown parameter alpha"},
      {R"({"pings":-1,"actors":"x"})", R"(actors is "x"; it must be an integer)"},
      {R"({"pings":1.5,"actors":1})", "pings is 1.5; it must be an integer"},
      {R"({"pings":true,"actors":1})", "pings is true; it must be an integer"},
      {R"({"pings":null,"actors":1})", "pings is null; it must be an integer"},
      {R"({"pings":[1, {}],"actors":1})", "pings is [1,{}]; it must be an integer"},
      {R"({"pings":9223372036854775808,"actors":1})", "pings is 9223372036854775808; it must be an integer"},
      {R"({"pings":-1,"actors":0})", "pings is -1; it must be at least 0"},
      {R"({"pings":0,"actors":0})", "actors is 0; it must be between 1 and 65536"},
      {R"({"pings":0,"actors":65537})", "actors is 65537; it must be between 1 and 65536"},
  };
  for (const auto& [json, expected] : cases)
    EXPECT_EQ(complaint(json), "big: " + expected);
}

TEST(Parameters, KeepWhatIsGood) {
  const auto parameters = check(R"({"pings":9223372036854775807,"actors":65536})");
  EXPECT_EQ(parameters["pings"], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parameters["actors"], 65536);
  EXPECT_THROW(static_cast<void>(parameters["zeta"]), std::out_of_range);
}

} // namespace
} // namespace scoville
