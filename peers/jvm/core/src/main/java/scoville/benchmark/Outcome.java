package scoville.benchmark;

import java.util.Map;

/**
 * What an iteration computed. Numbers are Long or Double, as the catalogue says.
 *
 * @param result must match the catalogue
 * @param checks must match the catalogue
 * @param metrics reported only
 * @param perActor arrays indexed by actor id, reported only
 */
public record Outcome(
        Number result, Map<String, Number> checks, Map<String, Number> metrics, Map<String, long[]> perActor) {
    /** What has to match the catalogue, and nothing else. */
    public static Outcome of(Number result, Map<String, Number> checks) {
        return new Outcome(result, checks, Map.of(), Map.of());
    }

    /** The same with metrics. */
    public Outcome withMetrics(Map<String, Number> numbers) {
        return new Outcome(result, checks, numbers, perActor);
    }

    /** The same with an array for the actors of one kind. */
    public Outcome withPerActor(String name, long[] numbers) {
        return new Outcome(result, checks, metrics, Map.of(name, numbers));
    }
}
