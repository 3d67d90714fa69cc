package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scoville.peer.Json;

final class ParametersTest {
    private static final List<Parameter> EXPECTED =
            List.of(Parameter.atLeast("pings", 0), new Parameter("actors", 1, 65536));

    private static Parameters check(String json) throws Exception {
        Map<String, Object> given = new HashMap<>();
        ((Map<?, ?>) Json.parse(json)).forEach((name, value) -> given.put((String) name, value));
        return Parameters.check("big", EXPECTED, given);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"zeta":1,"actors":"x"}                        | big: parameter pings is missing
            {}                                             | big: parameter pings is missing
            {"pings":-1,"zeta":1}                          | big: parameter actors is missing
            {"pings":-1,"actors":"x","zeta":1,"alpha":1}   | big: unknown parameter alpha
            {"pings":-1,"actors":"x"}                      | big: actors is "x"; it must be an integer
            {"pings":1.5,"actors":1}                       | big: pings is 1.5; it must be an integer
            {"pings":true,"actors":1}                      | big: pings is true; it must be an integer
            {"pings":null,"actors":1}                      | big: pings is null; it must be an integer
            {"pings":[1, {}],"actors":1}                   | big: pings is [1,{}]; it must be an integer
            {"pings":9223372036854775808,"actors":1}       | big: pings is 9223372036854775808; it must be an integer
            {"pings":-1,"actors":0}                        | big: pings is -1; it must be at least 0
            {"pings":0,"actors":0}                         | big: actors is 0; it must be between 1 and 65536
            {"pings":0,"actors":65537}                     | big: actors is 65537; it must be between 1 and 65536
            """)
    void complainsInTheWordsOfTheProtocol(String json, String complaint) {
        assertEquals(
                complaint, assertThrows(BadParameter.class, () -> check(json)).getMessage());
    }

    @Test
    void keepsWhatIsGood() throws Exception {
        Parameters parameters = check("{\"pings\":9223372036854775807,\"actors\":65536}");
        assertEquals(Long.MAX_VALUE, parameters.get("pings"));
        assertEquals(65536, parameters.length("actors"));
        assertThrows(Unsupported.class, () -> parameters.length("pings"));
    }
}
