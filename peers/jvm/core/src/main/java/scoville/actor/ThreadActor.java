package scoville.actor;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Consumer;

/** Hosts an actor of the suite on a thread of its own, of whatever kind, which waits at a queue. */
public final class ThreadActor extends ActorRef {
    /** The JDK's unbounded queue without locks; of the one with locks, every message takes two at least. */
    private final BlockingQueue<Object> mailbox = new LinkedTransferQueue<>();

    private volatile boolean ended;

    private ThreadActor() {}

    /** Makes an actor whose life {@code thread} runs on a new thread. */
    public static ActorRef create(Actor actor, Spawner spawner, Consumer<Runnable> thread) {
        ThreadActor result = new ThreadActor();
        thread.accept(() -> result.live(actor, spawner));
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
