package scoville.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"a\":[1,-2.5e+3,true,false,null],\"b\":{\"c\":\"\"}}",
                "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001é😀\"",
                "0",
                "-9223372036854775808"
            })
    void writesWhatItRead(String text) throws Exception {
        assertEquals(text, Json.write(Json.parse(text)));
    }

    @Test
    void readsSpaceAndEscapes() throws Exception {
        assertEquals("[1,\"é😀/\"]", Json.write(Json.parse(" [ 1 ,\t\"\\u00e9\\ud83d\\ude00\\/\" ]\n")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[1,]",
                "{\"a\"}",
                "{\"a\":1,\"a\":2}",
                "01",
                "1.",
                "+1",
                "1e",
                "nul",
                "\"",
                "\"\\x\"",
                "\"\n\"",
                "\"\\u12g4\"",
                "\"\\u００４１\"",
                "1 2",
                "{a:1}",
                "'a'"
            })
    void rejectsEverythingElse(String text) {
        assertThrows(Json.SyntaxError.class, () -> Json.parse(text));
    }

    @Test
    void rejectsDeepNesting() {
        assertThrows(Json.SyntaxError.class, () -> Json.parse("[".repeat(10_000)));
    }

    @Test
    void tellsIntegersFromOtherNumbers() throws Exception {
        assertEquals(OptionalLong.of(-12), Json.integer(Json.parse("-12")));
        assertEquals(OptionalLong.empty(), Json.integer(Json.parse("1.0")));
        assertEquals(OptionalLong.empty(), Json.integer(Json.parse("1e3")));
        assertEquals(OptionalLong.empty(), Json.integer(Json.parse("9223372036854775808")));
        assertEquals(OptionalLong.empty(), Json.integer("1"));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 80.185670383472, 1e300, -1.0 / 3, Double.MIN_VALUE})
    void writesFloatsThatAreReadBackBitByBit(double number) {
        assertEquals(number, Double.parseDouble(Json.write(number)));
    }

    @Test
    void refusesWhatJsonCannotExpress() {
        assertThrows(NumberFormatException.class, () -> Json.write(Double.NaN));
    }

    @Test
    void readsNumbersThatAreNoIntegers() throws Exception {
        assertEquals(OptionalDouble.of(1.25e-3), Json.number(Json.parse("1.25e-3")));
        assertEquals(OptionalDouble.of(7), Json.number(Json.parse("7")));
        assertEquals(OptionalDouble.empty(), Json.number(Json.parse("1e999")));
        assertEquals(OptionalDouble.empty(), Json.number(Json.parse("\"7\"")));
        assertEquals(OptionalDouble.empty(), Json.number(null));
    }
}
