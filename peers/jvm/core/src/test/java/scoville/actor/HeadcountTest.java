package scoville.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeadcountTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64})
    void theLastOfOneThreadIsTold(int stripes) {
        Headcount count = new Headcount(1, stripes);
        for (int i = 0; i < 100; i++) {
            count.enter();
        }
        for (int i = 0; i < 100; i++) {
            assertFalse(count.leave());
        }
        assertTrue(count.leave());
    }

    @Test
    void aSurplusIsRefusedEvenAfterTheLast() {
        Headcount count = new Headcount(2);
        assertFalse(count.leave());
        assertTrue(count.leave());
        assertThrows(IllegalStateException.class, count::leave);
        assertThrows(IllegalStateException.class, count::leave);
    }

    /** What one thread counted up, threads with other stripes count down. */
    @Test
    void othersMayLeaveThanHaveEntered() throws Exception {
        int others = 50;
        int each = 20;
        Headcount count = new Headcount(1);
        for (int i = 0; i < others * each; i++) {
            count.enter();
        }
        assertFalse(count.leave());
        AtomicInteger last = new AtomicInteger();
        for (int i = 0; i < others; i++) {
            boolean end = i == others - 1;
            Thread thread = new Thread(() -> {
                for (int left = 1; left <= each; left++) {
                    if (count.leave()) {
                        last.addAndGet(end && left == each ? 1 : 1_000);
                    }
                }
            });
            thread.start();
            thread.join();
        }
        assertEquals(1, last.get());
    }

    /** Threads of one stripe, none of which is ever the last. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void noChangeIsLost(int stripes) throws Exception {
        int threads = 4;
        Headcount count = new Headcount(threads + 1, stripes);
        AtomicInteger last = new AtomicInteger();
        Runnable comingAndGoing = () -> {
            for (int i = 0; i < 200_000; i++) {
                count.enter();
                count.enter();
                last.addAndGet(count.leave() ? 1 : 0);
                last.addAndGet(count.leave() ? 1 : 0);
            }
            last.addAndGet(count.leave() ? 1 : 0);
        };
        List<Thread> running =
                Stream.generate(() -> new Thread(comingAndGoing)).limit(threads).toList();
        running.forEach(Thread::start);
        for (Thread thread : running) {
            thread.join();
        }
        assertEquals(0, last.get());
        assertTrue(count.leave());
    }

    /**
     * One of two leaves, and the office takes back what is lent, from so many stripes that this takes a while. The other
     * makes a third meanwhile, on the first stripe, and leaves on the last.
     */
    @Test
    void nobodyIsOverlookedWhoEntersBehindTheOffice() throws Exception {
        int stripes = 1 << 14;
        for (int round = 0; round < 300; round++) {
            Headcount count = new Headcount(1, stripes);
            int first = count.stripe(0);
            int last = count.stripe(stripes - 1);
            count.enter(last);
            AtomicInteger told = new AtomicInteger();
            CountDownLatch ready = new CountDownLatch(1);
            AtomicBoolean leaving = new AtomicBoolean();
            Thread maker = new Thread(() -> {
                ready.countDown();
                while (!leaving.get()) {
                    Thread.onSpinWait();
                }
                count.enter(first);
                told.addAndGet(count.leave(last) ? 1 : 0);
            });
            maker.start();
            ready.await();
            leaving.set(true);
            told.addAndGet(count.leave(count.stripe(1)) ? 1 : 0);
            maker.join();
            assertEquals(0, told.get(), "round " + round);
            assertTrue(count.leave());
        }
    }

    /** Random trees: every node enters for its children and leaves, in a pool with threads enough to be interrupted. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void exactlyOneIsToldAndNobodyIsLeftThen(int stripes) throws Exception {
        ForkJoinPool pool = new ForkJoinPool(8);
        try {
            for (int round = 0; round < 300; round++) {
                Tree tree = new Tree(new Headcount(1, stripes));
                pool.submit(tree.new Node(new SplittableRandom(round), 12)).join();
                assertEquals(1, tree.last.get(), "round " + round);
                assertEquals(0, tree.tooEarly.get(), "round " + round);
                assertThrows(IllegalStateException.class, tree.count::leave);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static final class Tree {
        final Headcount count;
        final AtomicLong alive = new AtomicLong(1);
        final AtomicInteger last = new AtomicInteger();
        final AtomicInteger tooEarly = new AtomicInteger();

        Tree(Headcount count) {
            this.count = count;
        }

        final class Node extends RecursiveAction {
            private static final long serialVersionUID = 1;

            private final transient SplittableRandom random;
            private final int depth;

            Node(SplittableRandom random, int depth) {
                this.random = random;
                this.depth = depth;
            }

            @Override
            protected void compute() {
                List<Node> children = new ArrayList<>();
                for (int left = depth == 0 ? 0 : random.nextInt(4); left > 0; left--) {
                    alive.incrementAndGet();
                    count.enter();
                    Node child = new Node(random.split(), depth - 1);
                    children.add(child);
                    child.fork();
                }
                alive.decrementAndGet();
                if (count.leave()) {
                    last.incrementAndGet();
                    tooEarly.addAndGet(alive.get() == 0 ? 0 : 1);
                }
                children.forEach(Node::join);
            }
        }
    }
}
