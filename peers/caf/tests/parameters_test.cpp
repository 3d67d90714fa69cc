#include "parameters.hpp"

#include <gtest/gtest.h>

#include <map>

namespace scoville {
namespace {

Parameters check(std::string_view json) {
  return {"big", {{"pings", at_least(0)}, {"actors", between(1, 65536)}}, {}, *json::parse(json).object()};
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

/// A benchmark with all kinds of parameters and relations.
Parameters check_all(std::string_view json) {
  return {"all",
          {{"n", power_of_two_from(2)},
           {"m", power_of_two_between(2, 8)},
           {"x", number_above(0)},
           {"y", number_between(0, 2)},
           {"z", number_from(0.5)},
           {"free", any_number()},
           {"i", any_integer()},
           {"mode", one_of({"first", "last"})}},
          {{"n", Rule::at_least, 2, "m"},
           {"i", Rule::at_most, -2, "m", 99},
           {"y", Rule::above, 1, "z"},
           {"n", Rule::multiple_of, 1, "i"},
           {"i", Rule::at_least, 2, "m", -1},
           {"n", Rule::at_least, 1, "m", 1}},
          *json::parse(json).object()};
}

/// Good values, of which some are replaced.
std::string complaint_of(const std::map<std::string, std::string>& replaced) {
  std::map<std::string, std::string> values{{"n", "32"},  {"m", "4"},           {"x", "1"},
                                            {"y", "1.5"}, {"z", "0.5"},         {"free", "-1e3"},
                                            {"i", "8"},   {"mode", R"("last")"}};
  for (const auto& [name, value] : replaced)
    values[name] = value;
  std::string json;
  for (const auto& [name, value] : values)
    json += (json.empty() ? "" : ",") + json::quote(name) + ':' + value;
  try {
    check_all('{' + json + '}');
  } catch (const BadParameter& error) {
    return error.what();
  }
  return "none";
}

TEST(Parameters, HaveKindsRangesAndRelations) {
  const std::vector<std::pair<std::map<std::string, std::string>, std::string>> cases{
      {{}, "none"},
      // Kinds before ranges, in the order of the catalogue.
      {{{"n", "1"}, {"x", "true"}}, "all: x is true; it must be a number"},
      {{{"x", "1e999"}}, "all: x is 1e999; it must be a number"},
      {{{"free", R"("1")"}}, R"(all: free is "1"; it must be a number)"},
      {{{"mode", "1"}}, "all: mode is 1; it must be one of first, last"},
      {{{"mode", R"("firs")"}}, R"(all: mode is "firs"; it must be one of first, last)"},
      {{{"mode", "null"}}, "all: mode is null; it must be one of first, last"},
      // Ranges before powers of two.
      {{{"n", "3"}, {"z", "0.25"}}, "all: z is 0.25; it must be at least 0.5"},
      {{{"n", "-8"}}, "all: n is -8; it must be at least 2"},
      {{{"m", "9"}}, "all: m is 9; it must be between 2 and 8"},
      {{{"x", "0"}}, "all: x is 0; it must be above 0"},
      {{{"x", "0.0"}}, "all: x is 0.0; it must be above 0"},
      {{{"y", "2.5"}}, "all: y is 2.5; it must be between 0 and 2"},
      {{{"y", "-1"}}, "all: y is -1; it must be between 0 and 2"},
      // Powers of two before relations.
      {{{"n", "6"}}, "all: n is 6; it must be a power of two"},
      {{{"m", "3"}, {"n", "2"}}, "all: m is 3; it must be a power of two"},
      // Relations in the order of the catalogue.
      {{{"n", "4"}}, "all: n is 4; it must be at least 8 (2 * m)"},
      {{{"i", "92"}}, "all: i is 92; it must be at most 91 (99 - 2 * m)"},
      {{{"y", "1"}, {"z", "1"}}, "all: y is 1; it must be above 1 (z)"},
      {{{"y", "0.75"}, {"z", "0.75"}}, "all: y is 0.75; it must be above 0.75 (z)"},
      {{{"i", "5"}}, "all: n is 32; it must be a multiple of 5 (i)"},
      {{{"i", "0"}}, "all: n is 32; it must be a multiple of 0 (i)"},
      {{{"i", "4"}}, "all: i is 4; it must be at least 7 (2 * m - 1)"},
  };
  for (const auto& [replaced, expected] : cases)
    EXPECT_EQ(complaint_of(replaced), expected);
}

TEST(Parameters, CompareLimitsBeyondSixtyFourBits) {
  const auto complain = [](std::string_view json) -> std::string {
    try {
      Parameters{"huge",
                 {{"a", any_integer()}, {"b", any_integer()}},
                 {{"a", Rule::at_least, 1, "b", 1}},
                 *json::parse(json).object()};
    } catch (const BadParameter& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complain(R"({"a":9223372036854775807,"b":9223372036854775807})"),
            "huge: a is 9223372036854775807; it must be at least 9223372036854775808 (b + 1)");
  EXPECT_EQ(complain(R"({"a":9223372036854775807,"b":9223372036854775806})"), "none");
}

TEST(Parameters, KeepEveryKind) {
  const auto parameters =
      check_all(R"({"n":32,"m":4,"x":3,"y":1.25,"z":0.5,"free":-1,"i":8,"mode":"first"})");
  EXPECT_EQ(parameters.number("x"), 3.0);
  EXPECT_EQ(parameters.number("y"), 1.25);
  EXPECT_EQ(parameters.word("mode"), "first");
  EXPECT_THROW(static_cast<void>(parameters["x"]), std::bad_variant_access);
  EXPECT_THROW(static_cast<void>(parameters.number("n")), std::bad_variant_access);
  EXPECT_THROW(static_cast<void>(parameters.word("nosuch")), std::out_of_range);
}

} // namespace
} // namespace scoville
