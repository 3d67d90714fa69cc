package scoville.actor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One iteration of a benchmark in three phases: what is created before {@link #timed} is setup, {@code timed} is the
 * region that is measured, and {@link #check} comes after the clock has stopped. What an actor wrote before it stopped
 * is visible to the driver once the actor's phase is over.
 */
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

    private final ActorLibrary.Runtime library;
    private final boolean counting;
    private final Runnable begin;
    private final Runnable afterwards;

    private final Phase timed = new Phase(this);
    private final Phase lasting = new Phase(this);
    private final AtomicLong created = new AtomicLong();

    /** Completed with the first failure. */
    private final CompletableFuture<Throwable> failed = new CompletableFuture<>();

    private long elapsed;

    /**
     * An iteration on a started library.
     *
     * @param begin called immediately before the clock starts
     * @param afterwards called immediately after it stopped
     */
    public Run(ActorLibrary.Runtime library, boolean counting, Runnable begin, Runnable afterwards) {
        this.library = library;
        this.counting = counting;
        this.begin = begin;
        this.afterwards = afterwards;
        ActorRef.countMessages(counting);
    }

    /** Executes the body, which creates actors and sends, and waits until all but the lasting ones have stopped. */
    public void timed(Runnable body) throws Failed {
        begin.run();
        long start = System.nanoTime();
        execute(body, timed);
        elapsed = System.nanoTime() - start;
        afterwards.run();
        throwFailure();
    }

    /** After the timed region: executes the body, which sends, and waits until the lasting actors too have stopped. */
    public void check(Runnable body) throws Failed {
        execute(body, lasting);
        throwFailure();
    }

    /** Creates an actor from outside. */
    public ActorRef spawn(Actor actor) {
        adopt(actor);
        return library.spawn(actor);
    }

    /** Creates an actor from outside that {@link #timed} does not wait for. */
    public ActorRef spawnLasting(Actor actor) {
        enter(actor, lasting);
        return library.spawn(actor);
    }

    /** For the driver, outside the clock: waits until nothing that the library does by itself is left to do. */
    public void settle() {
        library.settle();
    }

    /** Creates an actor that counts nowhere, and waits until it has stopped; it has to do so by itself. */
    public void rehearse(Actor actor) {
        Phase alone = new Phase(this);
        actor.bind(alone);
        execute(
                () -> {
                    alone.enter();
                    library.spawn(actor);
                },
                alone);
    }

    /** For the driver: waits until an actor has completed this, or one has failed. */
    public void await(CompletableFuture<?> done) {
        CompletableFuture.anyOf(done, failed).join();
    }

    /** For the driver, within the body of {@link #timed}: lets the actors work, shorter if one of them fails. */
    public void pause(long seconds) {
        timed.await(seconds);
    }

    /** For the driver: fails the iteration unless {@code holds}. */
    public void require(boolean holds, String reason) throws Failed {
        if (!holds) {
            throw new Failed(new IllegalStateException(reason));
        }
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
        enter(actor, timed);
    }

    void fail(Throwable cause) {
        failed.complete(cause);
        timed.abort();
        lasting.abort();
    }

    private void enter(Actor actor, Phase lifetime) {
        actor.bind(lifetime);
        lifetime.enter();
        if (counting) {
            created.incrementAndGet();
        }
    }

    private static void execute(Runnable body, Phase phase) {
        body.run();
        phase.leave(); // the driver creates no more
        phase.await();
    }

    private void throwFailure() throws Failed {
        if (failed.isDone()) {
            throw new Failed(failed.join());
        }
    }
}
