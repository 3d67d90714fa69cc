package scoville.actor;

/** Creates actors in the way of one library. */
@FunctionalInterface
public interface Spawner {
    /**
     * Creates and starts an actor. Calls {@link Actor#start} before the first {@link Actor#handle}, on the actor's own
     * thread of execution if the actor does anything then. Messages that are sent to the returned address at once must not
     * be lost.
     */
    ActorRef spawn(Actor actor);
}
