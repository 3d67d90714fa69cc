package scoville.benchmark;

/** Savina's linear congruential generator. It has one owner; only the low 16 bits of the seed matter. */
public final class Rng {
    public static final long DEFAULT_SEED = 74755;

    private long v;

    public Rng(long seed) {
        v = seed;
    }

    /** One step of the generator; also the unit of {@link Busy}. */
    static long step(long v) {
        return (v * 1309 + 13849) & 65535;
    }

    /** Draws 0..65535. */
    public long next() {
        v = step(v);
        return v;
    }

    /** Draws 0..m-1 by remainder, never above 65535; m must be at least 1. */
    public long below(long m) {
        return next() % m;
    }

    /** Draws from 2^-16..1. */
    public double unit() {
        return 1.0 / (next() + 1);
    }

    /** Draws 0..m-1 from the high bits; m must be at least 1. */
    public long scaled(long m) {
        return (next() * m) >> 16;
    }
}
