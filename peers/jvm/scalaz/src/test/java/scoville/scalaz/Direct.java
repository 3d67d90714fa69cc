package scoville.scalaz;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import scala.Function1;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;
import scalaz.concurrent.Actor;
import scalaz.concurrent.Strategy;
import scoville.benchmark.DirectPrograms;

/**
 * Actors that are a function each, as {@link DirectPrograms} says. They work by the peer's strategy, or with
 * {@code -Dstrategy=executor} by Scalaz's own for a pool.
 */
final class Direct extends DirectPrograms {
    private static final Function1<Throwable, BoxedUnit> RETHROW = error -> {
        throw new IllegalStateException(error);
    };

    private final Strategy strategy = "executor".equals(System.getProperty("strategy"))
            ? Strategy.Executor(pool)
            : new ScalazLibrary.OnPool(pool);

    Direct(int workers) {
        super(workers);
    }

    public static void main(String[] args) throws Exception {
        try (Direct programs = new Direct(Integer.parseInt(args[0]))) {
            programs.time(args);
        }
    }

    /** What an actor does with a message, and the actor. */
    private abstract static class Handler extends AbstractFunction1<Object, BoxedUnit> {
        final Strategy strategy;
        final Actor<Object> self;

        Handler(Strategy strategy) {
            this.strategy = strategy;
            this.self = new Actor<>(this, RETHROW, strategy);
        }
    }

    private enum Signal {
        START,
        NEXT,
        STOP
    }

    private record Ball(Actor<Object> from, long n) {}

    private record Back(Actor<Object> from, long n) {}

    private static final class Pong extends Handler {
        Pong(Strategy strategy) {
            super(strategy);
        }

        @Override
        public BoxedUnit apply(Object message) {
            if (message instanceof Ball ball) {
                ball.from.$bang(new Back(self, ball.n));
            }
            return BoxedUnit.UNIT;
        }
    }

    private static final class Ping extends Handler {
        private final CompletableFuture<Long> result;
        private final Actor<Object> pong;
        private long left;
        private long sum;

        Ping(Strategy strategy, CompletableFuture<Long> result, Actor<Object> pong, long left) {
            super(strategy);
            this.result = result;
            this.pong = pong;
            this.left = left;
        }

        @Override
        public BoxedUnit apply(Object message) {
            if (message instanceof Back back) {
                sum += back.n;
                if (left > 0) {
                    self.$bang(Signal.NEXT);
                } else {
                    pong.$bang(Signal.STOP);
                    result.complete(sum);
                }
            } else {
                pong.$bang(new Ball(self, left));
                left--;
            }
            return BoxedUnit.UNIT;
        }
    }

    @Override
    protected long pingPong(int pings) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        Actor<Object> pong = new Pong(strategy).self;
        new Ping(strategy, result, pong, pings).self.$bang(Signal.START);
        return result.join();
    }

    private record Meet(long colour, Actor<Object> who) {}

    private record Change(long colour) {}

    private record Met(long times) {}

    private static final class Creature extends Handler {
        private final Actor<Object> mall;
        private long colour;
        private long met;

        Creature(Strategy strategy, Actor<Object> mall, long colour) {
            super(strategy);
            this.mall = mall;
            this.colour = colour;
        }

        @Override
        public BoxedUnit apply(Object message) {
            if (message instanceof Meet meet) {
                colour = colour == meet.colour ? colour : 3 - colour - meet.colour;
                met++;
                meet.who.$bang(new Change(colour));
                mall.$bang(new Meet(colour, self));
            } else if (message instanceof Change change) {
                colour = change.colour;
                met++;
                mall.$bang(new Meet(colour, self));
            } else if (message == Signal.START) {
                mall.$bang(new Meet(colour, self));
            } else {
                mall.$bang(new Met(met));
            }
            return BoxedUnit.UNIT;
        }
    }

    private static final class Mall extends Handler {
        private final CompletableFuture<Long> result;
        private int creatures;
        private long left;
        private Actor<Object> waiting;
        private long sum;

        Mall(Strategy strategy, CompletableFuture<Long> result, int creatures, long left) {
            super(strategy);
            this.result = result;
            this.creatures = creatures;
            this.left = left;
        }

        @Override
        public BoxedUnit apply(Object message) {
            if (message instanceof Meet meet) {
                if (left == 0) {
                    meet.who.$bang(Signal.STOP);
                } else if (waiting == null) {
                    waiting = meet.who;
                } else {
                    left--;
                    waiting.$bang(meet);
                    waiting = null;
                }
            } else if (message instanceof Met count) {
                sum += count.times;
                creatures--;
                if (creatures == 0) {
                    result.complete(sum);
                }
            } else {
                for (int i = 0; i < creatures; i++) {
                    new Creature(strategy, self, i % 3).self.$bang(Signal.START);
                }
            }
            return BoxedUnit.UNIT;
        }
    }

    @Override
    protected long chameneos(int creatures, int meetings) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        new Mall(strategy, result, creatures, meetings).self.$bang(Signal.START);
        return result.join();
    }

    private static final class Worker extends Handler {
        private final AtomicLong sum;
        private final CountDownLatch all;
        private final long id;
        private final int messages;
        private int count;

        Worker(Strategy strategy, AtomicLong sum, CountDownLatch all, long id, int messages) {
            super(strategy);
            this.sum = sum;
            this.all = all;
            this.id = id;
            this.messages = messages;
        }

        @Override
        public BoxedUnit apply(Object message) {
            double sine = Math.sin((Double) message);
            if (sine * sine > 0) {
                count++;
            }
            if (count == messages) {
                sum.addAndGet(id * count);
                all.countDown();
            }
            return BoxedUnit.UNIT;
        }
    }

    @Override
    protected long forkJoinThroughput(int messages, int actors) throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        CountDownLatch all = new CountDownLatch(actors);
        Worker[] workers = new Worker[actors];
        for (int i = 0; i < actors; i++) {
            workers[i] = new Worker(strategy, sum, all, i + 1, messages);
        }
        Double theta = 37.2;
        for (int m = 0; m < messages; m++) {
            for (Worker worker : workers) {
                worker.self.$bang(theta);
            }
        }
        all.await();
        return sum.get();
    }

    private record Request(long n) {}

    /** Gathers the responses of two calls; the root has no parent and completes the result. */
    private static final class Node extends Handler {
        private final CompletableFuture<Response> result;
        private final Actor<Object> parent;
        private int got;
        private long value;
        private long actors = 1;

        Node(Strategy strategy, CompletableFuture<Response> result, Actor<Object> parent) {
            super(strategy);
            this.result = result;
            this.parent = parent;
        }

        @Override
        public BoxedUnit apply(Object message) {
            if (message instanceof Response response) {
                value += response.value();
                actors += response.actors();
                got++;
                if (got == 2) {
                    finish(new Response(value, actors));
                }
            } else if (message instanceof Request request) {
                if (request.n <= 2) {
                    finish(new Response(1, 1));
                } else {
                    new Node(strategy, result, self).self.$bang(new Request(request.n - 1));
                    new Node(strategy, result, self).self.$bang(new Request(request.n - 2));
                }
            }
            return BoxedUnit.UNIT;
        }

        private void finish(Response response) {
            if (parent != null) {
                parent.$bang(response);
            } else {
                result.complete(response);
            }
        }
    }

    @Override
    protected Response fib(int index) {
        CompletableFuture<Response> result = new CompletableFuture<>();
        new Node(strategy, result, null).self.$bang(new Request(index));
        return result.join();
    }
}
