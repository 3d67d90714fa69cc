package scoville.actor;

import java.util.concurrent.ForkJoinPool;

/** The pool for libraries that leave the choice to their user. */
public final class WorkerPool {
    private WorkerPool() {}

    /**
     * A work-stealing pool of that many threads. Each takes its own tasks in the order in which they came: what suits
     * events that nobody joins, and much faster here than the opposite order or one queue for all.
     */
    public static ForkJoinPool start(int workers) {
        return new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    }
}
