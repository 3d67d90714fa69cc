package scoville.lift;

import net.liftweb.actor.LiftActorJ;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in an actor of Lift. */
final class LiftCell extends ActorCell {
    private final Host target = new Host();

    private LiftCell(Actor actor, Spawner spawner) {
        super(actor, spawner);
    }

    static ActorRef create(Actor actor, Spawner spawner) {
        return new LiftCell(actor, spawner).begin();
    }

    @Override
    protected void deliver(Object message) {
        target.send(message);
    }

    /** Defined for every message. */
    private final class Handler extends AbstractPartialFunction<Object, BoxedUnit> {
        @Override
        public boolean isDefinedAt(Object message) {
            return true;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <M, B> B applyOrElse(M message, Function1<M, B> otherwise) {
            accept(message);
            return (B) BoxedUnit.UNIT;
        }
    }

    private final class Host extends LiftActorJ {
        private final PartialFunction<Object, BoxedUnit> handler = new Handler();

        @Override
        public PartialFunction<Object, BoxedUnit> messageHandler() {
            return handler;
        }
    }
}
