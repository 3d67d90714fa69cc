package scoville.actor;

import java.util.Arrays;

/**
 * An actor as the benchmarks see it. It handles one message at a time and shares nothing.
 *
 * <p>Benchmarks override the protected methods; the public ones are for adapters. The library's own means end an actor:
 * {@link #stop()} only sets a flag, and the adapter acts on it once the handler has returned. So no control-flow
 * exception of a library ever crosses a handler.
 */
public abstract class Actor {
    private static final ClassValue<Boolean> ACTS_ON_START = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type != Actor.class
                    && (Arrays.stream(type.getDeclaredMethods())
                                    .anyMatch(method ->
                                            method.getName().equals("started") && method.getParameterCount() == 0)
                            || get(type.getSuperclass()));
        }
    };

    private Phase phase;
    private ActorRef self;
    private Spawner spawner;
    private boolean stopping;

    /** Called by the actor itself before its first message. */
    protected void started() {}

    /** Handles a message. Whatever it throws fails the iteration. */
    protected abstract void receive(Object message);

    /** This actor's address; not before {@link #started()}. */
    protected final ActorRef self() {
        return self;
    }

    /** Creates an actor from this one, the way the library nests them: this actor must not stop before it. */
    protected final ActorRef spawn(Actor child) {
        phase.run().adopt(child);
        return spawner.spawn(child);
    }

    /** Creates an actor that may outlive this one: at the top, as the driver does. */
    protected final ActorRef spawnTopLevel(Actor actor) {
        return phase.run().spawn(actor);
    }

    /** Creates an actor that may outlive the timed region, see {@link Run#check}. */
    protected final ActorRef spawnLasting(Actor actor) {
        return phase.run().spawnLasting(actor);
    }

    /** Ends this actor when the current handler returns. */
    protected final void stop() {
        stopping = true;
    }

    /** What to throw for a message that this actor does not know. */
    protected final IllegalStateException unexpected(Object message) {
        return new IllegalStateException(getClass().getSimpleName() + " received an unexpected message: " + message);
    }

    /** Throws unless {@code holds}. */
    protected static void require(boolean holds, String reason) {
        if (!holds) {
            throw new IllegalStateException(reason);
        }
    }

    /** Binds the actor to the phase of an iteration that it belongs to, before the library learns of it. */
    final void bind(Phase lifetime) {
        phase = lifetime;
    }

    /**
     * Whether {@link #started()} does anything. If not, {@link #start} may be called by the creator, before the actor can
     * receive: where the library does not tell an actor that it begins, no message has to be spent.
     */
    final boolean actsOnStart() {
        return ACTS_ON_START.get(getClass());
    }

    /** For adapters: first call, on the actor's own thread of execution; on another one see {@link #actsOnStart}. */
    public final boolean start(ActorRef address, Spawner creator) {
        self = address;
        spawner = creator;
        try {
            started();
        } catch (Throwable failure) {
            phase.run().fail(failure);
        }
        return !stopping;
    }

    /**
     * For adapters: handles a message.
     *
     * @return false if the actor must be ended now, without another message
     */
    public final boolean handle(Object message) {
        try {
            receive(message);
        } catch (Throwable failure) {
            phase.run().fail(failure);
        }
        return !stopping;
    }

    /** For adapters: last call, when the library has ended the actor; exactly once. */
    public final void stopped() {
        phase.leave();
    }
}
