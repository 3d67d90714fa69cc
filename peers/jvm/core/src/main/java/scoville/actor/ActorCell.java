package scoville.actor;

/**
 * An address that hosts its actor itself, for libraries whose actors are a handler and a mailbox: nothing tells them that
 * they begin, and nothing ends them. The first message begins the actor, if it wants to do something before its own
 * messages; a flag ends it, and what comes later is dropped.
 */
public abstract class ActorCell extends ActorRef {
    private static final Object START = new Object();

    private final Actor actor;
    private final Spawner spawner;

    /** Written and read by the actor alone: the library handles one of its messages at a time and orders them. */
    private boolean ended;

    /** A cell for an actor that has not begun. */
    protected ActorCell(Actor actor, Spawner spawner) {
        this.actor = actor;
        this.spawner = spawner;
    }

    /** The creator calls it once the library's actor can be sent to, and before anybody else has the address. */
    protected final ActorRef begin() {
        if (actor.actsOnStart()) {
            deliver(START);
        } else {
            actor.start(this, spawner);
        }
        return this;
    }

    /** To be called by the library with each message. */
    protected final void accept(Object message) {
        if (ended) {
            return;
        }
        boolean goingOn = message == START ? actor.start(this, spawner) : actor.handle(message);
        if (!goingOn) {
            ended = true;
            end();
        }
    }

    /**
     * Called by the actor itself when it wants no more messages: ends the library's actor and then calls {@link #stopped}.
     * This one is for libraries whose actors just become garbage.
     */
    protected void end() {
        stopped();
    }

    /** To be called once when the library has ended the actor. */
    protected final void stopped() {
        actor.stopped();
    }
}
