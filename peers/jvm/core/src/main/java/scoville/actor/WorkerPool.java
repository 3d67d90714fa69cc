package scoville.actor;

import java.util.concurrent.ForkJoinPool;

/** The pool for libraries that leave the choice to their user. */
public final class WorkerPool {
    private WorkerPool() {}

    /**
     * A work-stealing pool of that many threads. Each takes its own tasks in the order in which they came: what suits
     * events that nobody joins, and much faster than one queue for all.
     */
    public static ForkJoinPool start(int workers) {
        return start(workers, true);
    }

    /** The same in the opposite order, for a library whose own pool has that. */
    public static ForkJoinPool startNewestFirst(int workers) {
        return start(workers, false);
    }

    private static ForkJoinPool start(int workers, boolean oldestFirst) {
        return new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, oldestFirst);
    }
}
