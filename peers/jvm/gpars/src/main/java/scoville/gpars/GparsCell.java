package scoville.gpars;

import groovyx.gpars.actor.StaticDispatchActor;
import groovyx.gpars.group.PGroup;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in an actor with static dispatch. */
final class GparsCell extends ActorCell {
    private final Host target = new Host();

    /** GPars refuses messages to an actor that has ended; the facade drops them. */
    private volatile boolean ending;

    private GparsCell(PGroup group, Actor actor, Spawner spawner) {
        super(actor, spawner);
        target.setParallelGroup(group);
        target.silentStart(); // without the call of Groovy's afterStart, which no actor of the suite has
    }

    static ActorRef create(PGroup group, Actor actor, Spawner spawner) {
        return new GparsCell(group, actor, spawner).begin();
    }

    @Override
    protected void deliver(Object message) {
        if (ending) {
            return;
        }
        try {
            target.send(message);
        } catch (IllegalStateException error) {
            if (!ending) {
                throw error;
            } // else it ended in between
        }
    }

    /** By a message to itself: {@code terminate()} gives up the processor each time, to whatever else the machine runs. */
    @Override
    protected void end() {
        ending = true;
        target.stop();
    }

    private final class Host extends StaticDispatchActor<Object> {
        private static final long serialVersionUID = 1;

        /** GPars calls {@link #handleTermination} once more if that throws. */
        private boolean counted;

        @Override
        public void onMessage(Object message) {
            accept(message);
        }

        @Override
        protected void handleTermination() {
            try {
                super.handleTermination();
            } finally {
                if (!counted) {
                    counted = true;
                    stopped();
                }
            }
        }
    }
}
