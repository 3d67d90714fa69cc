package scoville.peer;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;

/**
 * The part of the heap in which objects are made. The kernel gives it a page when that is first touched, which would cost
 * iterations up to 1.8 times their CPU time until all of it has been used once. So garbage touches it outside the clock.
 */
final class Eden {
    /**
     * Bytes of an array. Where a thread's buffer ends, up to this much stays untouched, and there are at least fifty
     * buffers; half a region of G1, and the array would not be made in Eden.
     */
    private static final int CHUNK = 64 << 10;

    /**
     * In percent. When nothing is free the collector does its work unasked, and would adapt the heap to this garbage; it
     * learns nothing from collections that were asked for.
     */
    private static final int FILLING = 99;

    /** Somewhere to keep what is allocated, lest the compiler leave it out. */
    private static volatile byte[] garbage;

    /** Its size when it was last touched. */
    private long touched;

    /**
     * Touches what is free, and leaves it free again, unless that has been done and the collector has not enlarged it by
     * more than an eighth since. Does nothing if the collector's heap has no such part.
     */
    void touch() {
        ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getName().endsWith("Eden Space"))
                .findFirst()
                .ifPresent(this::touch);
    }

    private void touch(MemoryPoolMXBean pool) {
        long size = pool.getUsage().getCommitted();
        if (size > touched + touched / 8) {
            fill(pool);
            touched = size;
        }
    }

    private static void fill(MemoryPoolMXBean pool) {
        System.gc(); // what other threads have in their buffers, but not touched, becomes free
        MemoryUsage usage = pool.getUsage();
        long free = usage.getCommitted() - usage.getUsed();
        for (long left = free / 100 * FILLING; left > 0; left -= CHUNK) {
            garbage = new byte[CHUNK];
        }
        garbage = null;
        System.gc(); // before the clock instead of soon after
    }
}
