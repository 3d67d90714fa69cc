package scoville.benchmark;

/** Busy work of a defined amount. */
public final class Busy {
    private Busy() {}

    /** Makes k dependent steps of the generator, starting from k, and returns the last value. */
    public static long busy(long k) {
        long v = k;
        for (long i = 0; i < k; i++) {
            v = Rng.step(v);
        }
        return v;
    }
}
