package scoville.benchmark;

/** The order-sensitive checksum of a sequence of numbers; that of no numbers is 1. */
final class Checksum {
    private long value = 1;

    void add(long number) {
        value = (value * 1000003 + number) % 2147483647;
    }

    long value() {
        return value;
    }
}
