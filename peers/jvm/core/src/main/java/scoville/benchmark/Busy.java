package scoville.benchmark;

/** Busy work of a defined amount. */
public final class Busy {
    private Busy() {}

    /** Makes k dependent steps of the generator, starting from k, and returns the last value. */
    public static long busy(long k) {
        return steps(k, k);
    }

    /** Makes n dependent steps of the generator, starting from the low 16 bits of v, and returns the last value. */
    public static long spin(long v, long n) {
        return steps(v & 65535, n);
    }

    private static long steps(long start, long n) {
        long v = start;
        for (long i = 0; i < n; i++) {
            v = Rng.step(v);
        }
        return v;
    }
}
