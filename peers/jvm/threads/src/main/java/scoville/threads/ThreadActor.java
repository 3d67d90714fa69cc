package scoville.threads;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite on a thread of the operating system. */
final class ThreadActor extends ActorRef {
    private final BlockingQueue<Object> mailbox = new LinkedBlockingQueue<>();
    private volatile boolean ended;

    private ThreadActor() {}

    static ActorRef create(Actor actor, Spawner spawner) {
        ThreadActor result = new ThreadActor();
        Thread thread = new Thread(() -> result.live(actor, spawner));
        // One that waits for ever must not keep the process.
        thread.setDaemon(true);
        thread.start();
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
