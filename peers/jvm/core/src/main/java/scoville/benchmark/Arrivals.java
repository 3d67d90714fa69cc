package scoville.benchmark;

import java.util.Map;

/** What came out of a sorting network. */
final class Arrivals {
    private final Checksum checksum = new Checksum();
    private long count;
    private long sum;
    private long errors;
    private long previous = Long.MIN_VALUE;

    void add(long value) {
        count++;
        sum += value;
        checksum.add(value);
        errors += value < previous ? 1 : 0;
        previous = value;
    }

    long count() {
        return count;
    }

    Outcome outcome() {
        return Outcome.of(checksum.value(), Map.of("count", count, "errors", errors, "sum", sum));
    }
}
