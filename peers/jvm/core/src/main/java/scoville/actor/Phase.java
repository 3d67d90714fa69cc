package scoville.actor;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The actors of one part of an iteration: the driver waits until the last of them has stopped. */
final class Phase {
    private final Run run;

    /** Actors alive, and one for the driver while it may still create some. */
    private final Headcount alive = new Headcount(1);

    /** Opens when no actor is left or one has failed. */
    private final CountDownLatch over = new CountDownLatch(1);

    Phase(Run run) {
        this.run = run;
    }

    /** The iteration that this is a part of. */
    Run run() {
        return run;
    }

    void enter() {
        alive.enter();
    }

    void leave() {
        try {
            if (alive.leave()) {
                over.countDown();
            }
        } catch (IllegalStateException surplus) {
            run.fail(surplus);
        }
    }

    /** Ends the phase although actors may be alive. */
    void abort() {
        over.countDown();
    }

    void await() {
        try {
            over.await();
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
    }

    /** Waits for at most this time. */
    void await(long seconds) {
        try {
            over.await(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException interrupt) {
            throw interrupted(interrupt);
        }
    }

    private static IllegalStateException interrupted(InterruptedException cause) {
        return new IllegalStateException("the driver was interrupted", cause);
    }
}
