package scoville.benchmark;

import java.util.Arrays;

/** A list of numbers that grows at its end. Once sent it is not changed any more. */
final class LongList {
    private long[] elements;
    private int size;

    LongList(int capacity) {
        elements = new long[capacity];
    }

    int size() {
        return size;
    }

    long get(int index) {
        return elements[index];
    }

    void add(long value) {
        if (size == elements.length) {
            elements = Arrays.copyOf(elements, Math.max(8, 2 * size));
        }
        elements[size++] = value;
    }

    /** All elements of some lists in a new one, or the only list that is not empty. */
    static LongList concat(LongList... lists) {
        int total = 0;
        for (LongList list : lists) {
            total += list.size;
        }
        for (LongList list : lists) {
            if (list.size == total) {
                return list;
            }
        }
        LongList all = new LongList(total);
        for (LongList list : lists) {
            System.arraycopy(list.elements, 0, all.elements, all.size, list.size);
            all.size += list.size;
        }
        return all;
    }
}
