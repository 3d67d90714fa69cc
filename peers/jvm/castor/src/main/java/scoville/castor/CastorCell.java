package scoville.castor;

import castor.Context;
import castor.SimpleActor;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;
import sourcecode.FileName;
import sourcecode.Line;

/** Hosts an actor of the suite in a simple actor. */
final class CastorCell extends ActorCell {
    /**
     * The place of a send, which Castor's debugging context would log. In Scala a macro gives it, and makes both objects
     * anew with each send; here they are constants, a small advantage.
     */
    private static final FileName FILE = new FileName("CastorCell.java");

    private static final Line LINE = new Line(1);

    private final Host target;

    private CastorCell(Context context, Actor actor, Spawner spawner) {
        super(actor, spawner);
        target = new Host(context);
    }

    static ActorRef create(Context context, Actor actor, Spawner spawner) {
        return new CastorCell(context, actor, spawner).begin();
    }

    @Override
    protected void deliver(Object message) {
        target.send(message, FILE, LINE);
    }

    private final class Host extends SimpleActor<Object> {
        Host(Context context) {
            super(context);
        }

        @Override
        public void run(Object message) {
            accept(message);
        }
    }
}
