package scoville.actor;

import java.util.concurrent.atomic.LongAdder;

/** The address of an actor. An adapter has one subclass, so that {@link #send} has one target and can be inlined. */
public abstract class ActorRef {
    /**
     * Whether messages are counted. A plain field: it is written while no actor exists, and creating an actor passes it
     * on. Off, it costs one predicted branch on a cached byte.
     */
    private static boolean counting;

    private static final LongAdder MESSAGES = new LongAdder();

    /** Switches counting and sets the count to zero; no actor may exist. */
    static void countMessages(boolean enabled) {
        MESSAGES.reset();
        counting = enabled;
    }

    /** Messages sent since counting began. */
    static long messages() {
        return MESSAGES.sum();
    }

    /** Puts a message into the actor's mailbox and returns. Messages of one sender arrive in the order sent. */
    public final void send(Object message) {
        if (counting) {
            MESSAGES.increment();
        }
        deliver(message);
    }

    /** Sends a message that does not count as one: where the driver stops an actor and the entry lists no message for it. */
    public final void dismiss(Object message) {
        deliver(message);
    }

    /** For adapters: the library's own send. */
    protected abstract void deliver(Object message);
}
