package scoville.benchmark;

import java.util.Map;

/**
 * What an iteration computed. Numbers are Long or Double, as the catalogue says.
 *
 * @param result must match the catalogue
 * @param checks must match the catalogue
 * @param perActor arrays indexed by actor id, reported only
 */
public record Outcome(Number result, Map<String, Number> checks, Map<String, long[]> perActor) {
    public static Outcome of(Number result, Map<String, Number> checks) {
        return new Outcome(result, checks, Map.of());
    }
}
