package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Queues and lists against those of the language, under random operations. */
final class CollectionsTest {
    @Test
    void queueKeepsTheOrder() {
        Random random = new Random(1);
        LongQueue queue = new LongQueue();
        ArrayDeque<Long> model = new ArrayDeque<>();
        for (int step = 0; step < 10_000; step++) {
            if (random.nextInt(step / 2000 + 2) > 0) {
                queue.add(step);
                model.add((long) step);
            } else if (!model.isEmpty()) {
                assertEquals(model.remove(), queue.remove());
            }
            assertEquals(model.isEmpty(), queue.isEmpty());
        }
        while (!model.isEmpty()) {
            assertEquals(model.remove(), queue.remove());
        }
    }

    private static LongList list(long... values) {
        LongList list = new LongList(0);
        LongStream.of(values).forEach(list::add);
        return list;
    }

    private static long[] elements(LongList list) {
        return IntStream.range(0, list.size()).mapToLong(list::get).toArray();
    }

    @Test
    void listsAreJoinedWithoutBeingChanged() {
        LongList first = list(1, 2, 3);
        LongList last = list(4);
        LongList all = LongList.concat(first, list(), last, list(5, 6));
        assertArrayEquals(new long[] {1, 2, 3, 4, 5, 6}, elements(all));
        assertArrayEquals(new long[] {1, 2, 3}, elements(first));
        assertArrayEquals(new long[] {4}, elements(last));
        assertSame(first, LongList.concat(list(), first, list()));
        assertEquals(0, LongList.concat(list(), list()).size());
        assertEquals(1000, elements(list(LongStream.range(0, 1000).toArray())).length);
    }

    /** In Quicksort's recursion mostly one of three is not empty at the end: nothing may be made for it. */
    @Test
    void nothingIsAllocatedForTheOnlyListThatIsNotEmpty() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        LongList only = list(LongStream.range(0, 1 << 17).toArray());
        long before = threads.getCurrentThreadAllocatedBytes();
        assertSame(only, LongList.concat(list(), only, list()));
        assertTrue(threads.getCurrentThreadAllocatedBytes() - before < 1 << 20);
    }

    @Test
    void sortedListKeepsDuplicatesAndTheirOrder() {
        Random random = new Random(2);
        SortedList list = new SortedList();
        List<Long> model = new ArrayList<>();
        for (int step = 0; step < 500; step++) {
            long value = random.nextInt(100);
            assertEquals(model.contains(value), list.contains(value));
            list.insert(value);
            model.add(value);
            Collections.sort(model);
            assertEquals(model.size(), list.size());
            assertEquals(
                    IntStream.range(0, model.size())
                            .mapToLong(i -> (i + 1) * model.get(i))
                            .sum(),
                    list.weightedSum());
        }
    }

    @Test
    void weighsByPositionFromOne() {
        assertEquals(1 * 5 + 2 * 7, Sums.weighted(new long[] {5, 7}));
        assertEquals(12, Sums.of(new long[] {5, 7}));
        assertEquals(1.5, Sums.of(new double[] {1, 0.5}));
    }
}
