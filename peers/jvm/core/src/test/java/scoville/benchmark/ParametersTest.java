package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

final class ParametersTest {
    /** A benchmark that is nothing but its parameters. */
    private record Fake(List<Parameter> parameters, List<Relation> relations) implements Benchmark {
        @Override
        public String name() {
            return "fake";
        }

        @Override
        public Outcome run(Run run, Parameters values) {
            throw new UnsupportedOperationException();
        }
    }

    private static final Fake INTEGERS =
            new Fake(List.of(Parameter.atLeast("pings", 0), Parameter.between("actors", 1, 65536)), List.of());

    private static final Fake KINDS = new Fake(
            List.of(
                    Parameter.number("any"),
                    Parameter.numberFrom("from", 0.5),
                    Parameter.numberAbove("above", 0),
                    Parameter.numberBetween("within", 0, 2),
                    Parameter.powerOfTwo("power", 2, 1024),
                    Parameter.oneOf("word", "copy", "share")),
            List.of());

    private static final Fake RELATIONS = new Fake(
            List.of(
                    Parameter.integer("a"),
                    Parameter.integer("b"),
                    Parameter.integer("c"),
                    Parameter.integer("d"),
                    Parameter.number("l"),
                    Parameter.number("r")),
            List.of(
                    new Relation("a", Rule.AT_LEAST, 1, "b", 1),
                    new Relation("a", Rule.AT_LEAST, 2, "c", -1),
                    new Relation("d", Rule.AT_MOST, -2, "b", 99),
                    Relation.to("a", Rule.MULTIPLE_OF, "c"),
                    Relation.to("r", Rule.ABOVE, "l")));

    private static Parameters check(Benchmark benchmark, String json) throws Exception {
        return Parameters.check(benchmark, ExpectedResults.object(json));
    }

    private static void assertComplaint(Benchmark benchmark, String json, String complaint) {
        assertEquals(
                "fake: " + complaint,
                assertThrows(BadParameter.class, () -> check(benchmark, json)).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"zeta":1,"actors":"x"}                        | parameter pings is missing
            {}                                             | parameter pings is missing
            {"pings":-1,"zeta":1}                          | parameter actors is missing
            {"pings":-1,"actors":"x","zeta":1,"alpha":1}   | unknown parameter alpha
            {"pings":-1,"actors":"x"}                      | actors is "x"; it must be an integer
            {"pings":1.5,"actors":1}                       | pings is 1.5; it must be an integer
            {"pings":true,"actors":1}                      | pings is true; it must be an integer
            {"pings":null,"actors":1}                      | pings is null; it must be an integer
            {"pings":[1, {}],"actors":1}                   | pings is [1,{}]; it must be an integer
            {"pings":9223372036854775808,"actors":1}       | pings is 9223372036854775808; it must be an integer
            {"pings":-1,"actors":0}                        | pings is -1; it must be at least 0
            {"pings":0,"actors":0}                         | actors is 0; it must be between 1 and 65536
            {"pings":0,"actors":65537}                     | actors is 65537; it must be between 1 and 65536
            """)
    void complainsInTheWordsOfTheProtocol(String json, String complaint) {
        assertComplaint(INTEGERS, json, complaint);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "x"   | 1    | 1     | 1    | 2    | "copy" | any is "x"; it must be a number
            1e999 | 1    | 1     | 1    | 2    | "copy" | any is 1e999; it must be a number
            null  | 1    | 1     | 1    | 2    | "cpy"  | any is null; it must be a number
            1     | 0    | 0     | 3    | 3    | 1      | word is 1; it must be one of copy, share
            1     | 0    | 0     | 3    | 3    | "cpy"  | word is "cpy"; it must be one of copy, share
            1     | 0.49 | 0     | 3    | 3    | "copy" | from is 0.49; it must be at least 0.5
            1     | 1    | -0.0  | 3    | 3    | "copy" | above is -0.0; it must be above 0
            1     | 1    | 0.1   | 2.1  | 3    | "copy" | within is 2.1; it must be between 0 and 2
            1     | 1    | 0.1   | -1   | 3    | "copy" | within is -1; it must be between 0 and 2
            1     | 1    | 0.1   | 2    | 1    | "copy" | power is 1; it must be between 2 and 1024
            1     | 1    | 0.1   | 2    | 6    | "copy" | power is 6; it must be a power of two
            """)
    void knowsNumbersPowersAndWords(
            String any, String from, String above, String within, String power, String word, String complaint) {
        String json = "{\"any\":%s,\"from\":%s,\"above\":%s,\"within\":%s,\"power\":%s,\"word\":%s}";
        assertComplaint(KINDS, json.formatted(any, from, above, within, power, word), complaint);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            5                    | 5                   | 1 | 1  | 0   | 1 | a is 5; it must be at least 6 (b + 1)
            9223372036854775807  | 9223372036854775807 | 1 | 1  | 0   | 1 | a is 9223372036854775807; it must be at least 9223372036854775808 (b + 1)
            6                    | 5                   | 4 | 1  | 0   | 1 | a is 6; it must be at least 7 (2 * c - 1)
            7                    | 5                   | 4 | 90 | 0   | 1 | d is 90; it must be at most 89 (99 - 2 * b)
            7                    | 5                   | 4 | 89 | 0   | 1 | a is 7; it must be a multiple of 4 (c)
            7                    | 5                   | 0 | 89 | 0   | 1 | a is 7; it must be a multiple of 0 (c)
            8                    | 5                   | 4 | 89 | 1   | 1 | r is 1; it must be above 1 (l)
            8                    | 5                   | 4 | 89 | 2.5 | 1 | r is 1; it must be above 2.5 (l)
            """)
    void comparesParametersWithEachOther(String a, String b, String c, String d, String l, String r, String complaint) {
        String json = "{\"a\":%s,\"b\":%s,\"c\":%s,\"d\":%s,\"l\":%s,\"r\":%s}";
        assertComplaint(RELATIONS, json.formatted(a, b, c, d, l, r), complaint);
    }

    @Test
    void keepsWhatIsGood() throws Exception {
        Parameters parameters = check(INTEGERS, "{\"pings\":9223372036854775807,\"actors\":65536}");
        assertEquals(Long.MAX_VALUE, parameters.get("pings"));
        assertEquals(65536, parameters.length("actors"));
        assertThrows(Unsupported.class, () -> parameters.length("pings"));
        assertThrows(Unsupported.class, () -> Parameters.length("product", -1));

        Parameters kinds =
                check(KINDS, "{\"any\":1,\"from\":0.5,\"above\":1e-300,\"within\":2,\"power\":64,\"word\":\"share\"}");
        assertEquals(1.0, kinds.number("any"));
        assertEquals(1e-300, kinds.number("above"));
        assertEquals(64, kinds.get("power"));
        assertEquals("share", kinds.word("word"));

        check(RELATIONS, "{\"a\":8,\"b\":5,\"c\":4,\"d\":89,\"l\":1,\"r\":1.0000000000000002}");
    }
}
