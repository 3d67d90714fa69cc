package scoville.actor;

import java.util.concurrent.ForkJoinPool;

/** The pool for libraries that leave the choice to their user. */
public final class WorkerPool {
    private WorkerPool() {}

    /**
     * A work-stealing pool of that many threads. Each takes its own tasks in the order in which they came. With the
     * newest first two actors that answer one another at once would keep a worker for ever, and who waits below them would
     * starve: {@code philosopher} did not end.
     */
    public static ForkJoinPool start(int workers) {
        boolean oldestFirst = true;
        return new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, oldestFirst);
    }
}
