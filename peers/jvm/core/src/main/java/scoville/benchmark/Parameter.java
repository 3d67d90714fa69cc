package scoville.benchmark;

/** An integer parameter and its range, both ends included. */
public record Parameter(String name, long min, long max) {
    /** A parameter without an upper bound. */
    public static Parameter atLeast(String name, long min) {
        return new Parameter(name, min, Long.MAX_VALUE);
    }

    /** What a value must be, in the words of the protocol. */
    String range() {
        return max == Long.MAX_VALUE ? "at least " + min : "between " + min + " and " + max;
    }

    boolean admits(long value) {
        return value >= min && value <= max;
    }
}
