package scoville.scalaactors;

import scala.Function1;
import scala.actors.Actor$;
import scala.runtime.AbstractFunction0;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/**
 * Hosts an actor of the suite in an event-based actor: {@code actor { start; eventloop { handle } }} in Scala. The more
 * usual {@code loop { react { handle } }} schedules each message twice: once to be handled, once to go on with the loop.
 */
@SuppressWarnings("deprecation") // as a whole, since Scala 2.11
final class ScalaActorsCell extends ActorRef {
    private final Actor actor;
    private final Spawner spawner;
    private final Handler handler = new Handler();

    /** Final in effect once anybody but creator and actor can see the address. */
    private scala.actors.Actor target;

    /** The library would keep for ever what is sent to an actor that has ended. */
    private volatile boolean ended;

    private ScalaActorsCell(Actor actor, Spawner spawner) {
        this.actor = actor;
        this.spawner = spawner;
    }

    static ActorRef create(Actor actor, Spawner spawner) {
        ScalaActorsCell cell = new ScalaActorsCell(actor, spawner);
        cell.target = Actor$.MODULE$.actor(cell.new Body());
        return cell;
    }

    @Override
    protected void deliver(Object message) {
        if (!ended) {
            target.$bang(message);
        }
    }

    /** Ends the actor by an exception of the library: nothing may be done after it. */
    private void endUnless(boolean goingOn) {
        if (!goingOn) {
            ended = true;
            actor.stopped();
            Actor$.MODULE$.exit();
        }
    }

    private final class Body extends AbstractFunction0<BoxedUnit> {
        @Override
        public BoxedUnit apply() {
            // The creator may not have come that far yet. Both write the same reference.
            target = Actor$.MODULE$.self();
            endUnless(actor.start(ScalaActorsCell.this, spawner));
            Actor$.MODULE$.eventloop(handler);
            return BoxedUnit.UNIT;
        }
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
            endUnless(actor.handle(message));
            return (B) BoxedUnit.UNIT;
        }
    }
}
