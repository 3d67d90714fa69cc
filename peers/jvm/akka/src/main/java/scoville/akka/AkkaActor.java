package scoville.akka;

import akka.actor.ActorRefFactory;
import akka.actor.Props;
import akka.actor.UntypedAbstractActor;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite in a classic actor of Akka. */
final class AkkaActor extends UntypedAbstractActor implements Spawner {
    private final Actor actor;
    private final AkkaRef self;

    private AkkaActor(Actor actor, AkkaRef self) {
        this.actor = actor;
        this.self = self;
    }

    /** Creates an actor under the system or, with an actor's context, under that actor. */
    static ActorRef create(ActorRefFactory parent, Actor actor) {
        AkkaRef ref = new AkkaRef();
        ref.target = parent.actorOf(Props.create(AkkaActor.class, () -> new AkkaActor(actor, ref)));
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

    /** Akka's address; final in effect once anybody but creator and actor can see it. */
    private static final class AkkaRef extends ActorRef {
        private akka.actor.ActorRef target;

        @Override
        protected void deliver(Object message) {
            target.tell(message, akka.actor.ActorRef.noSender());
        }
    }
}
