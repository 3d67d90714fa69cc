package scoville.benchmark;

/** The 48-bit linear congruential generator of {@link java.util.Random}, with the draws that the specification uses. */
final class J48 {
    private static final long MULTIPLIER = 25214903917L;
    private static final long MASK = (1L << 48) - 1;

    private long state;

    J48(long seed) {
        state = (seed ^ MULTIPLIER) & MASK;
    }

    /** Draws the k most significant of the 48 bits, k from 1 to 48. */
    long bits(int k) {
        state = (state * MULTIPLIER + 11) & MASK;
        return state >>> (48 - k);
    }

    /** Draws one bit. */
    boolean bool() {
        return bits(1) == 1;
    }

    /** Draws 0..m-1 by remainder. */
    long below(long m) {
        return bits(31) % m;
    }
}
