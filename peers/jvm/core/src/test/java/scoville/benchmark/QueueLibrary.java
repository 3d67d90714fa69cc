package scoville.benchmark;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;

/** The simplest library there can be, for the tests: a queue for each actor, and a pool. */
public final class QueueLibrary implements ActorLibrary {
    private final Consumer<Actor> created;
    private final Consumer<Object> sent;
    private final Runnable settled;

    /** Without observers. */
    public QueueLibrary() {
        this(actor -> {}, message -> {}, () -> {});
    }

    /** Tells of every actor that it is to host, of every message, and whenever it is to settle. */
    public QueueLibrary(Consumer<Actor> created, Consumer<Object> sent, Runnable settled) {
        this.created = created;
        this.sent = sent;
        this.settled = settled;
    }

    @Override
    public String name() {
        return "queue";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public Runtime start(int workers) {
        ExecutorService pool = Executors.newFixedThreadPool(workers);
        return new Runtime() {
            @Override
            public int workers() {
                return workers;
            }

            @Override
            public ActorRef spawn(Actor actor) {
                return host(pool, actor);
            }

            @Override
            public void settle() {
                settled.run();
            }

            @Override
            public void close() {
                pool.shutdownNow();
            }
        };
    }

    private ActorRef host(ExecutorService pool, Actor actor) {
        created.accept(actor);
        Mailbox result = new Mailbox(pool, actor);
        result.add(() -> result.endUnless(actor.start(result, child -> host(pool, child))));
        return result;
    }

    private final class Mailbox extends ActorRef implements Runnable {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger pending = new AtomicInteger();
        private final ExecutorService pool;
        private final Actor actor;
        private boolean ended;

        private Mailbox(ExecutorService pool, Actor actor) {
            this.pool = pool;
            this.actor = actor;
        }

        @Override
        protected void deliver(Object message) {
            sent.accept(message);
            add(() -> endUnless(actor.handle(message)));
        }

        private void add(Runnable task) {
            tasks.add(task);
            if (pending.getAndIncrement() == 0) {
                pool.execute(this);
            }
        }

        private void endUnless(boolean goingOn) {
            if (!goingOn) {
                ended = true;
                actor.stopped();
            }
        }

        @Override
        public void run() {
            do {
                Runnable task = tasks.remove();
                if (!ended) {
                    task.run();
                }
            } while (pending.decrementAndGet() > 0);
        }
    }
}
