package scoville.virtualthreads;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite on a virtual thread. */
final class ThreadActor extends ActorRef {
    private final BlockingQueue<Object> mailbox = new LinkedBlockingQueue<>();
    private volatile boolean ended;

    private ThreadActor() {}

    static ActorRef create(Actor actor, Spawner spawner) {
        ThreadActor result = new ThreadActor();
        Thread.startVirtualThread(() -> result.live(actor, spawner));
        return result;
    }

    @Override
    protected void deliver(Object message) {
        if (!ended) {
            mailbox.add(message);
        }
    }

    private void live(Actor actor, Spawner spawner) {
        try {
            boolean goingOn = actor.start(this, spawner);
            while (goingOn) {
                goingOn = actor.handle(mailbox.take());
            }
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException("nobody interrupts an actor", interrupt);
        }
        ended = true;
        mailbox.clear();
        actor.stopped();
    }
}
