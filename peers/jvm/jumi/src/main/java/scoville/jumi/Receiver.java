package scoville.jumi;

/** What can be said to an actor: in Jumi a message is the call of a method. */
@FunctionalInterface
interface Receiver {
    void receive(Object message);
}
