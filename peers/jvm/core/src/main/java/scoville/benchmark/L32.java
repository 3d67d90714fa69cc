package scoville.benchmark;

/** A 32-bit linear congruential generator of letters. */
final class L32 {
    private static final long MASK = (1L << 32) - 1;

    private long state;

    L32(long seed) {
        state = seed & MASK;
    }

    /** Draws 0..alphabet-1, for an alphabet of at most 256 letters, as a byte whose sign means nothing. */
    byte letter(long alphabet) {
        state = (state * 1664525 + 1013904223) & MASK;
        return (byte) (state * alphabet >>> 32);
    }
}
