package scoville.actor;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** One iteration of a benchmark: creation, the timed region, and the end of all actors. */
public final class Run {
    /** What a counting iteration saw. */
    public record Work(long actors, long messages) {}

    /** An assertion of the benchmark was violated, or an actor threw. Other actors may still be alive. */
    public static final class Failed extends Exception {
        private static final long serialVersionUID = 1;

        Failed(Throwable cause) {
            super(describe(cause), cause);
        }

        private static String describe(Throwable cause) {
            return cause instanceof IllegalStateException && cause.getMessage() != null
                    ? cause.getMessage()
                    : "an actor threw " + cause;
        }
    }

    private final Spawner library;
    private final boolean counting;
    private final Runnable begin;
    private final Runnable afterwards;

    /** Actors alive, and one for the driver while it may still create some. */
    private final AtomicLong alive = new AtomicLong(1);

    private final AtomicLong created = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Opens when no actor is left or one has failed. */
    private final CountDownLatch over = new CountDownLatch(1);

    private long elapsed;

    /**
     * An iteration on a started library.
     *
     * @param begin called immediately before the clock starts
     * @param afterwards called immediately after it stopped
     */
    public Run(Spawner library, boolean counting, Runnable begin, Runnable afterwards) {
        this.library = library;
        this.counting = counting;
        this.begin = begin;
        this.afterwards = afterwards;
        ActorRef.countMessages(counting);
    }

    /** Executes the body, which creates actors and sends, and waits until all of them have stopped. */
    public void timed(Runnable body) throws Failed {
        begin.run();
        long start = System.nanoTime();
        body.run();
        actorStopped(); // the driver creates no more
        awaitEnd();
        elapsed = System.nanoTime() - start;
        afterwards.run();
        if (failure.get() != null) {
            throw new Failed(failure.get());
        }
    }

    /** Creates an actor from outside. */
    public ActorRef spawn(Actor actor) {
        adopt(actor);
        return library.spawn(actor);
    }

    /** Length of the timed region in nanoseconds. */
    public long elapsed() {
        return elapsed;
    }

    /** What was counted; meaningful only in a counting iteration. */
    public Work work() {
        return new Work(created.get(), ActorRef.messages());
    }

    void adopt(Actor actor) {
        actor.bind(this);
        alive.incrementAndGet();
        if (counting) {
            created.incrementAndGet();
        }
    }

    void actorStopped() {
        if (alive.decrementAndGet() == 0) {
            over.countDown();
        }
    }

    void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        over.countDown();
    }

    private void awaitEnd() {
        try {
            over.await();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException("the driver was interrupted", interrupt);
        }
    }
}
