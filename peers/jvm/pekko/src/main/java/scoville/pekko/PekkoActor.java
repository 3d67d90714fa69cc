package scoville.pekko;

import org.apache.pekko.actor.ActorRefFactory;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.UntypedAbstractActor;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in a classic actor of Pekko. */
final class PekkoActor extends UntypedAbstractActor implements Spawner {
    private final Actor actor;
    private final PekkoRef self;

    private PekkoActor(Actor actor, PekkoRef self) {
        this.actor = actor;
        this.self = self;
    }

    /** Creates an actor under the system or, with an actor's context, under that actor. */
    static ActorRef create(ActorRefFactory parent, Actor actor) {
        PekkoRef ref = new PekkoRef();
        ref.target = parent.actorOf(Props.create(PekkoActor.class, () -> new PekkoActor(actor, ref)));
        return ref;
    }

    @Override
    public ActorRef spawn(Actor child) {
        return create(getContext(), child);
    }

    @Override
    public void preStart() {
        // The creator may not have come that far yet. Both write the same reference.
        self.target = getSelf();
        endUnless(actor.start(self, this));
    }

    @Override
    public void onReceive(Object message) {
        endUnless(actor.handle(message));
    }

    @Override
    public void postStop() {
        actor.stopped();
    }

    private void endUnless(boolean goingOn) {
        if (!goingOn) {
            getContext().stop(getSelf());
        }
    }

    /** Pekko's address; final in effect once anybody but creator and actor can see it. */
    private static final class PekkoRef extends ActorRef {
        private org.apache.pekko.actor.ActorRef target;

        @Override
        protected void deliver(Object message) {
            target.tell(message, org.apache.pekko.actor.ActorRef.noSender());
        }
    }
}
