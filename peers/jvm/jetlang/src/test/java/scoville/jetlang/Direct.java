package scoville.jetlang;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jetlang.fibers.Fiber;
import org.jetlang.fibers.PoolFiberFactory;
import scoville.benchmark.DirectPrograms;

/** Objects with a fiber each, as {@link DirectPrograms} says. A message is a task that the object gives its fiber. */
final class Direct extends DirectPrograms {
    private final PoolFiberFactory fibers = new PoolFiberFactory(pool);

    Direct(int workers) {
        super(workers);
    }

    public static void main(String[] args) throws Exception {
        try (Direct programs = new Direct(Integer.parseInt(args[0]))) {
            programs.time(args);
        }
    }

    private static Fiber start(PoolFiberFactory fibers) {
        Fiber result = fibers.create();
        result.start();
        return result;
    }

    private static final class Pong {
        private final Fiber fiber;

        Pong(PoolFiberFactory fibers) {
            fiber = start(fibers);
        }

        void ball(Ping from, long n) {
            fiber.execute(() -> from.back(n));
        }

        void stop() {
            fiber.execute(fiber::dispose);
        }
    }

    private static final class Ping {
        private final Fiber fiber;
        private final CompletableFuture<Long> result;
        private final Pong pong;
        private long left;
        private long sum;

        Ping(PoolFiberFactory fibers, CompletableFuture<Long> result, Pong pong, long left) {
            this.fiber = start(fibers);
            this.result = result;
            this.pong = pong;
            this.left = left;
        }

        void next() {
            fiber.execute(() -> {
                pong.ball(this, left);
                left--;
            });
        }

        void back(long n) {
            fiber.execute(() -> {
                sum += n;
                if (left > 0) {
                    next();
                } else {
                    pong.stop();
                    fiber.dispose();
                    result.complete(sum);
                }
            });
        }
    }

    @Override
    protected long pingPong(int pings) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        new Ping(fibers, result, new Pong(fibers), pings).next();
        return result.join();
    }

    private static final class Creature {
        private final Fiber fiber;
        private final Mall mall;
        private long colour;
        private long met;

        Creature(PoolFiberFactory fibers, Mall mall, long colour) {
            this.fiber = start(fibers);
            this.mall = mall;
            this.colour = colour;
        }

        void begin() {
            fiber.execute(() -> mall.meet(this, colour));
        }

        void meet(Creature other, long othersColour) {
            fiber.execute(() -> {
                colour = colour == othersColour ? colour : 3 - colour - othersColour;
                met++;
                other.change(colour);
                mall.meet(this, colour);
            });
        }

        void change(long newColour) {
            fiber.execute(() -> {
                colour = newColour;
                met++;
                mall.meet(this, colour);
            });
        }

        void stop() {
            fiber.execute(() -> {
                mall.met(met);
                fiber.dispose();
            });
        }
    }

    private static final class Mall {
        private final PoolFiberFactory fibers;
        private final Fiber fiber;
        private final CompletableFuture<Long> result;
        private int creatures;
        private long left;
        private Creature waiting;
        private long sum;

        Mall(PoolFiberFactory fibers, CompletableFuture<Long> result, int creatures, long left) {
            this.fibers = fibers;
            this.fiber = start(fibers);
            this.result = result;
            this.creatures = creatures;
            this.left = left;
        }

        void begin() {
            fiber.execute(() -> {
                for (int i = 0; i < creatures; i++) {
                    new Creature(fibers, this, i % 3).begin();
                }
            });
        }

        void meet(Creature who, long colour) {
            fiber.execute(() -> {
                if (left == 0) {
                    who.stop();
                } else if (waiting == null) {
                    waiting = who;
                } else {
                    left--;
                    waiting.meet(who, colour);
                    waiting = null;
                }
            });
        }

        void met(long times) {
            fiber.execute(() -> {
                sum += times;
                creatures--;
                if (creatures == 0) {
                    fiber.dispose();
                    result.complete(sum);
                }
            });
        }
    }

    @Override
    protected long chameneos(int creatures, int meetings) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        new Mall(fibers, result, creatures, meetings).begin();
        return result.join();
    }

    private static final class Worker {
        private final Fiber fiber;
        private final AtomicLong sum;
        private final CountDownLatch all;
        private final long id;
        private final int messages;
        private int count;

        Worker(PoolFiberFactory fibers, AtomicLong sum, CountDownLatch all, long id, int messages) {
            this.fiber = start(fibers);
            this.sum = sum;
            this.all = all;
            this.id = id;
            this.messages = messages;
        }

        void work(double theta) {
            fiber.execute(() -> {
                double sine = Math.sin(theta);
                if (sine * sine > 0) {
                    count++;
                }
                if (count == messages) {
                    sum.addAndGet(id * count);
                    fiber.dispose();
                    all.countDown();
                }
            });
        }
    }

    @Override
    protected long forkJoinThroughput(int messages, int actors) throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        CountDownLatch all = new CountDownLatch(actors);
        Worker[] workers = new Worker[actors];
        for (int i = 0; i < actors; i++) {
            workers[i] = new Worker(fibers, sum, all, i + 1, messages);
        }
        for (int m = 0; m < messages; m++) {
            for (Worker worker : workers) {
                worker.work(37.2);
            }
        }
        all.await();
        return sum.get();
    }

    /** Gathers the responses of two calls; the root has no parent and completes the result. */
    private static final class Node {
        private final PoolFiberFactory fibers;
        private final Fiber fiber;
        private final CompletableFuture<Response> result;
        private final Node parent;
        private int got;
        private long value;
        private long actors = 1;

        Node(PoolFiberFactory fibers, CompletableFuture<Response> result, Node parent) {
            this.fibers = fibers;
            this.fiber = start(fibers);
            this.result = result;
            this.parent = parent;
        }

        void request(long n) {
            fiber.execute(() -> {
                if (n <= 2) {
                    finish(new Response(1, 1));
                } else {
                    new Node(fibers, result, this).request(n - 1);
                    new Node(fibers, result, this).request(n - 2);
                }
            });
        }

        void respond(Response response) {
            fiber.execute(() -> {
                value += response.value();
                actors += response.actors();
                got++;
                if (got == 2) {
                    finish(new Response(value, actors));
                }
            });
        }

        private void finish(Response response) {
            if (parent != null) {
                parent.respond(response);
            } else {
                result.complete(response);
            }
            fiber.dispose();
        }
    }

    @Override
    protected Response fib(int index) {
        CompletableFuture<Response> result = new CompletableFuture<>();
        new Node(fibers, result, null).request(index);
        return result.join();
    }
}
