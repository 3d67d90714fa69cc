package scoville.jumi;

import fi.jumi.actors.ActorThread;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in an actor of Jumi. */
final class JumiCell extends ActorCell {
    private final Receiver target;

    private JumiCell(ActorThread thread, Actor actor, Spawner spawner) {
        super(actor, spawner);
        Receiver behind = this::accept;
        target = thread.bindActor(Receiver.class, behind).tell();
    }

    static ActorRef create(ActorThread thread, Actor actor, Spawner spawner) {
        return new JumiCell(thread, actor, spawner).begin();
    }

    @Override
    protected void deliver(Object message) {
        target.receive(message);
    }
}
