#include "json.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace scoville::json {
namespace {

TEST(Json, WritesWhatItRead) {
  for (const auto* text : {"{}", "[]", R"({"a":[1,-2.5e+3,true,false,null],"b":{"c":""}})",
                           R"("a\"\\/\b\f\n\r\t\u0001é😀")", "0", "-9223372036854775808"})
    EXPECT_EQ(parse(text).text(), text);
}

TEST(Json, ReadsSpaceAndEscapes) {
  EXPECT_EQ(parse(" [ 1 ,\t\"\\u00e9\\ud83d\\ude00\\/\" ]\n").text(), "[1,\"é😀/\"]");
}

TEST(Json, RejectsEverythingElse) {
  for (const auto* text : {"",
                           "{",
                           "[1,]",
                           R"({"a"})",
                           R"({"a":1,"a":2})",
                           "01",
                           "1.",
                           "+1",
                           "1e",
                           "nul",
                           "\"",
                           R"("\x")",
                           "\"\n\"",
                           R"("\u12g4")",
                           R"("\u+123")",
                           R"("\ud800")",
                           R"("\udc00")",
                           "1 2",
                           "{a:1}",
                           "'a'"})
    EXPECT_THROW(static_cast<void>(parse(text)), SyntaxError) << text;
}

TEST(Json, RejectsDeepNesting) {
  EXPECT_THROW(static_cast<void>(parse(std::string(10'000, '['))), SyntaxError);
}

TEST(Json, TellsIntegersFromOtherNumbers) {
  EXPECT_EQ(parse("-12").integer(), -12);
  for (const auto* text : {"1.0", "1e3", "9223372036854775808", "\"1\"", "true", "null"})
    EXPECT_EQ(parse(text).integer(), std::nullopt) << text;
}

TEST(Json, WritesFloatsThatAreReadBackBitByBit) {
  for (const auto x : {0.1, 80.185670383472, 1e300, -1.0 / 3, 5e-324})
    EXPECT_EQ(std::strtod(number(x).c_str(), nullptr), x);
}

TEST(Json, RefusesWhatItCannotExpress) {
  EXPECT_THROW(static_cast<void>(number(std::numeric_limits<double>::infinity())), std::domain_error);
}

} // namespace
} // namespace scoville::json
