package scoville.benchmark;

import java.util.Arrays;

/** A queue of numbers whose ends cost constant time: a ring that doubles when it is full. */
final class LongQueue {
    private long[] ring = new long[2];
    private int head;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void add(long value) {
        if (size == ring.length) {
            grow();
        }
        ring[(head + size) & (ring.length - 1)] = value;
        size++;
    }

    /** Takes the oldest number; there must be one. */
    long remove() {
        long value = ring[head];
        head = (head + 1) & (ring.length - 1);
        size--;
        return value;
    }

    private void grow() {
        long[] longer = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
        System.arraycopy(ring, 0, longer, ring.length - head, head);
        ring = longer;
        head = 0;
    }
}
