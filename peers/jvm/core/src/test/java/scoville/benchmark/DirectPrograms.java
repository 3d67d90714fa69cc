package scoville.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import scoville.actor.WorkerPool;

/**
 * The smallest programs for four of the benchmarks, of a library that works on a pool: without anything that the peer has
 * in between. Beside them the peer shows what its facade costs. Here is only what surrounds them: the peer's pool, the
 * clock and what should be computed.
 *
 * <pre>java -cp OUT/MODULE/test-classes:OUT/core/test-classes:'OUT/MODULE/lib/*' scoville.MODULE.Direct
 *     WORKERS BENCHMARK ITERATIONS SIZE...</pre>
 *
 * prints the nanoseconds of each iteration and fails if a result is wrong.
 */
public abstract class DirectPrograms implements AutoCloseable {
    private static final List<String> ALL = List.of("pingpong", "chameneos", "fjthrput", "fib");

    /** What a call of {@code fib} tells its parent. */
    public record Response(long value, long actors) {}

    /** What the library works on. */
    protected final ForkJoinPool pool;

    protected DirectPrograms(int workers) {
        pool = WorkerPool.start(workers);
    }

    /** The sum of what came back. */
    protected abstract long pingPong(int pings) throws Exception;

    /** The sum of all creatures' meetings. */
    protected abstract long chameneos(int creatures, int meetings) throws Exception;

    /** The sum of the actors' numbers, from 1, times their messages. */
    protected abstract long forkJoinThroughput(int messages, int actors) throws Exception;

    /** What the root computed. */
    protected abstract Response fib(int index) throws Exception;

    /** To be called by the program's {@code main}. */
    protected final void time(String[] args) throws Exception {
        int[] sizes =
                Arrays.stream(args, 3, args.length).mapToInt(Integer::parseInt).toArray();
        for (int i = Integer.parseInt(args[2]); i > 0; i--) {
            long began = System.nanoTime();
            run(args[1], sizes);
            System.out.println(System.nanoTime() - began);
        }
    }

    /** For tests: runs every program at small sizes. */
    public final void runAll() throws Exception {
        for (String benchmark : ALL) {
            for (int size : new int[] {2, 4, 21}) {
                run(benchmark, new int[] {size, 30});
            }
        }
    }

    @Override
    public final void close() {
        pool.shutdownNow();
    }

    private void run(String benchmark, int[] sizes) throws Exception {
        switch (benchmark) {
            case "pingpong" -> require(pingPong(sizes[0]), sumTo(sizes[0]));
            case "chameneos" -> require(chameneos(sizes[0], sizes[1]), 2L * sizes[1]);
            case "fjthrput" -> require(forkJoinThroughput(sizes[0], sizes[1]), sizes[0] * sumTo(sizes[1]));
            case "fib" -> {
                Response response = fib(sizes[0]);
                long value = fibonacci(sizes[0]);
                require(response.value, value);
                require(response.actors, 2 * value - 1);
            }
            default -> throw new IllegalArgumentException(benchmark);
        }
    }

    private static long sumTo(long n) {
        return n * (n + 1) / 2;
    }

    private static long fibonacci(int n) {
        long a = 0;
        long b = 1;
        for (int i = 0; i < n; i++) {
            long next = a + b;
            a = b;
            b = next;
        }
        return a;
    }

    private static void require(long got, long want) {
        if (got != want) {
            throw new IllegalStateException(got + " instead of " + want);
        }
    }
}
