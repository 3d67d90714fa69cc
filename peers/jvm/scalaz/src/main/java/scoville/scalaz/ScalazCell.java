package scoville.scalaz;

import scala.Function1;
import scala.runtime.BoxedUnit;
import scalaz.concurrent.Strategy;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in an actor of Scalaz. */
final class ScalazCell extends ActorCell implements Function1<Object, BoxedUnit> {
    /** {@link #accept} catches what handlers throw, so that only an error of this adapter comes here. */
    private static final Function1<Throwable, BoxedUnit> RETHROW = error -> {
        throw new IllegalStateException("outside of every handler", error);
    };

    private final scalaz.concurrent.Actor<Object> target;

    private ScalazCell(Strategy strategy, Actor actor, Spawner spawner) {
        super(actor, spawner);
        target = new scalaz.concurrent.Actor<>(this, RETHROW, strategy);
    }

    static ActorRef create(Strategy strategy, Actor actor, Spawner spawner) {
        return new ScalazCell(strategy, actor, spawner).begin();
    }

    @Override
    protected void deliver(Object message) {
        target.$bang(message);
    }

    @Override
    public BoxedUnit apply(Object message) {
        accept(message);
        return BoxedUnit.UNIT;
    }
}
