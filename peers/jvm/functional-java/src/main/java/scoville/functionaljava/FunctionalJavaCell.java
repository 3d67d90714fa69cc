package scoville.functionaljava;

import fj.Unit;
import fj.control.parallel.Strategy;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in a queue actor. */
final class FunctionalJavaCell extends ActorCell {
    private final fj.control.parallel.Actor<Object> target;

    private FunctionalJavaCell(Strategy<Unit> strategy, Actor actor, Spawner spawner) {
        super(actor, spawner);
        target = fj.control.parallel.Actor.queueActor(strategy, this::accept);
    }

    static ActorRef create(Strategy<Unit> strategy, Actor actor, Spawner spawner) {
        return new FunctionalJavaCell(strategy, actor, spawner).begin();
    }

    @Override
    protected void deliver(Object message) {
        target.act(message);
    }
}
