package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import scoville.actor.Run;
import scoville.peer.Json;

/**
 * What the specification says of the preset `tiny`, and of the smallest and oddest parameters that are allowed.
 *
 * @param parameters as they come from the laboratory
 * @param fields `result` and checks
 * @param messages those whose number is fixed; null where none is
 */
record ExpectedResults(
        String benchmark, Map<String, Object> parameters, Map<String, Object> fields, long actors, Long messages) {
    /** All cases, one on each line of a file. */
    static List<ExpectedResults> all() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                ExpectedResults.class.getResourceAsStream("expected.jsonl"), StandardCharsets.UTF_8))) {
            return lines.lines().map(ExpectedResults::of).toList();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static ExpectedResults of(String line) {
        Map<String, Object> fields = object(line);
        Object messages = fields.get("messages");
        return new ExpectedResults(
                (String) fields.get("benchmark"),
                members(fields.get("parameters")),
                members(fields.get("expect")),
                Json.integer(fields.get("actors")).getAsLong(),
                messages == null ? null : Json.integer(messages).getAsLong());
    }

    /** A text that is a JSON object. */
    static Map<String, Object> object(String json) {
        try {
            return members(Json.parse(json));
        } catch (Json.SyntaxError error) {
            throw new IllegalArgumentException(json, error);
        }
    }

    @SuppressWarnings("unchecked") // JSON objects have strings as keys
    private static Map<String, Object> members(Object object) {
        return (Map<String, Object>) object;
    }

    /** Integers must be equal, floats agree to nine digits. */
    void assertFields(Outcome outcome) {
        assertEquals(fields.size(), outcome.checks().size() + 1, this::toString);
        fields.forEach((name, expected) -> {
            Number actual =
                    name.equals("result") ? outcome.result() : outcome.checks().get(name);
            String text = benchmark + " " + parameters + ": " + name;
            if (actual instanceof Double) {
                double wanted = Json.number(expected).getAsDouble();
                assertEquals(wanted, actual.doubleValue(), 1e-9 * Math.abs(wanted), text);
            } else {
                assertEquals(Json.integer(expected).getAsLong(), actual, text);
            }
        });
    }

    void assertWork(Outcome outcome, Run.Work work) {
        assertEquals(actors, work.actors(), this::toString);
        if (messages == null) {
            assertTrue(work.messages() > 0, this::toString);
        } else {
            assertEquals(messages + scheduled(outcome), work.messages(), this::toString);
        }
    }

    /** How many values there are for which actors, and what they must add up to. */
    void assertPerActor(Outcome outcome) {
        switch (benchmark) {
            case "chameneos" -> assertArray(outcome, "meetings", "creatures", outcome.result());
            case "chameneosfair" -> assertArray(outcome, "meetings", "creatures", outcome.result());
            case "bndbuffer" ->
                assertArray(outcome, "items", "consumers", outcome.checks().get("items"));
            case "philosopher" ->
                assertArray(outcome, "denied", "philosophers", outcome.metrics().get("retries"));
            case "barber" ->
                assertArray(
                        outcome,
                        "refused",
                        "haircuts",
                        outcome.metrics().get("attempts").longValue() - parameter("haircuts"));
            case "cigsmok" -> assertArray(outcome, "smoked", "smokers", parameter("rounds"));
            case "pairs" -> assertArray(outcome, "n", "pairs", outcome.result());
            default -> assertEquals(Map.of(), outcome.perActor(), benchmark);
        }
    }

    private void assertArray(Outcome outcome, String name, String lengthParameter, Number sum) {
        assertEquals(Set.of(name), outcome.perActor().keySet(), benchmark);
        long[] values = outcome.perActor().get(name);
        assertEquals(parameter(lengthParameter), values.length, this::toString);
        assertEquals(sum.longValue(), Arrays.stream(values).sum(), this::toString);
    }

    private long parameter(String name) {
        return Json.integer(parameters.get(name)).getAsLong();
    }

    /** Messages that depend on scheduling: the catalogue's `messages_plus`. */
    private long scheduled(Outcome outcome) {
        ToLongFunction<String> metric = name -> outcome.metrics().get(name).longValue();
        return switch (benchmark) {
            case "philosopher" -> 2 * metric.applyAsLong("retries");
            case "barber" ->
                3
                                * (metric.applyAsLong("attempts")
                                        - Json.integer(parameters.get("haircuts"))
                                                .getAsLong())
                        + metric.applyAsLong("sleeps");
            case "astar" -> 3 * metric.applyAsLong("items");
            case "facloc" -> metric.applyAsLong("facility_down");
            case "piprecision" -> 2 * metric.applyAsLong("terms");
            case "chat" ->
                metric.applyAsLong("forwards")
                        + metric.applyAsLong("bumps")
                        + metric.applyAsLong("closes")
                        + 2 * metric.applyAsLong("leaves");
            default -> 0;
        };
    }
}
