package scoville.benchmark;

/** What the driver adds up from the reports of many actors. */
final class Sums {
    private Sums() {}

    static long of(long[] values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    /** In the order of the array. */
    static double of(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }

    /** Each value times its position from 1. */
    static long weighted(long[] values) {
        long sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += (i + 1) * values[i];
        }
        return sum;
    }
}
