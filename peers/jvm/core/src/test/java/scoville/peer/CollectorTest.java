package scoville.peer;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class CollectorTest {
    private static final int SIZE = 10 << 20;

    /** Somewhere to keep what is allocated, lest the compiler leave it out. */
    private static volatile byte[] allocated;

    /** Threads of the tests' surroundings may end meanwhile, which leaves a reading without a sum. */
    @Test
    void tellsWhatThreadsAllocatedThatAreStillThere() {
        Object bytes = Stream.generate(CollectorTest::allocatedHereAndByAnotherThreadThatStays)
                .limit(20)
                .filter(each -> each != null)
                .findFirst()
                .orElseThrow();
        assertTrue((Long) bytes >= 2 * SIZE, bytes.toString());
    }

    private static Object allocatedHereAndByAnotherThreadThatStays() {
        CountDownLatch done = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        Collector before = Collector.now();
        allocated = new byte[SIZE];
        Thread thread = new Thread(() -> {
            allocated = new byte[SIZE];
            done.countDown();
            await(read);
        });
        thread.start();
        await(done);
        Object bytes = Collector.now().since(before).get("allocated_bytes");
        read.countDown();
        return bytes;
    }

    /** It would have to leave out what they allocated. */
    @Test
    void tellsNoSumIfAThreadHasEndedThatBeganMeanwhile() throws InterruptedException {
        Collector before = Collector.now();
        Thread thread = new Thread(() -> allocated = new byte[SIZE]);
        thread.start();
        thread.join();
        assertNull(Collector.now().since(before).get("allocated_bytes"));
    }

    @Test
    void tellsNoSumIfAThreadHasEndedThatWasThereBefore() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            await(go);
            allocated = new byte[SIZE];
        });
        thread.start();
        Collector before = Collector.now();
        go.countDown();
        thread.join();
        assertNull(Collector.now().since(before).get("allocated_bytes"));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }
}
