package scoville.castor;

import castor.Actor;
import castor.Context;
import castor.SimpleActor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import scala.concurrent.ExecutionContext;
import scala.runtime.BoxedUnit;
import scoville.benchmark.DirectPrograms;
import sourcecode.FileName;
import sourcecode.Line;

/** Simple actors, as {@link DirectPrograms} says. */
final class Direct extends DirectPrograms {
    private static final FileName FILE = new FileName("Direct.java");
    private static final Line LINE = new Line(1);

    private final Context context = new Context.Simple(ExecutionContext.fromExecutor(pool), error -> {
        error.printStackTrace();
        return BoxedUnit.UNIT;
    });

    Direct(int workers) {
        super(workers);
    }

    public static void main(String[] args) throws Exception {
        try (Direct programs = new Direct(Integer.parseInt(args[0]))) {
            programs.time(args);
        }
    }

    private static void tell(Actor<Object> to, Object message) {
        to.send(message, FILE, LINE);
    }

    private enum Signal {
        START,
        NEXT,
        STOP
    }

    private record Ball(Actor<Object> from, long n) {}

    private record Back(Actor<Object> from, long n) {}

    private static final class Pong extends SimpleActor<Object> {
        Pong(Context context) {
            super(context);
        }

        @Override
        public void run(Object message) {
            if (message instanceof Ball ball) {
                tell(ball.from, new Back(this, ball.n));
            }
        }
    }

    private static final class Ping extends SimpleActor<Object> {
        private final CompletableFuture<Long> result;
        private final Actor<Object> pong;
        private long left;
        private long sum;

        Ping(Context context, CompletableFuture<Long> result, Actor<Object> pong, long left) {
            super(context);
            this.result = result;
            this.pong = pong;
            this.left = left;
        }

        @Override
        public void run(Object message) {
            if (message instanceof Back back) {
                sum += back.n;
                if (left > 0) {
                    tell(this, Signal.NEXT);
                } else {
                    tell(pong, Signal.STOP);
                    result.complete(sum);
                }
            } else {
                tell(pong, new Ball(this, left));
                left--;
            }
        }
    }

    @Override
    protected long pingPong(int pings) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        tell(new Ping(context, result, new Pong(context), pings), Signal.START);
        return result.join();
    }

    private record Meet(long colour, Actor<Object> who) {}

    private record Change(long colour) {}

    private record Met(long times) {}

    private static final class Creature extends SimpleActor<Object> {
        private final Actor<Object> mall;
        private long colour;
        private long met;

        Creature(Context context, Actor<Object> mall, long colour) {
            super(context);
            this.mall = mall;
            this.colour = colour;
        }

        @Override
        public void run(Object message) {
            if (message instanceof Meet meet) {
                colour = colour == meet.colour ? colour : 3 - colour - meet.colour;
                met++;
                tell(meet.who, new Change(colour));
                tell(mall, new Meet(colour, this));
            } else if (message instanceof Change change) {
                colour = change.colour;
                met++;
                tell(mall, new Meet(colour, this));
            } else if (message == Signal.START) {
                tell(mall, new Meet(colour, this));
            } else {
                tell(mall, new Met(met));
            }
        }
    }

    private static final class Mall extends SimpleActor<Object> {
        private final Context context;
        private final CompletableFuture<Long> result;
        private int creatures;
        private long left;
        private Actor<Object> waiting;
        private long sum;

        Mall(Context context, CompletableFuture<Long> result, int creatures, long left) {
            super(context);
            this.context = context;
            this.result = result;
            this.creatures = creatures;
            this.left = left;
        }

        @Override
        public void run(Object message) {
            if (message instanceof Meet meet) {
                if (left == 0) {
                    tell(meet.who, Signal.STOP);
                } else if (waiting == null) {
                    waiting = meet.who;
                } else {
                    left--;
                    tell(waiting, meet);
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
                    tell(new Creature(context, this, i % 3), Signal.START);
                }
            }
        }
    }

    @Override
    protected long chameneos(int creatures, int meetings) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        tell(new Mall(context, result, creatures, meetings), Signal.START);
        return result.join();
    }

    private static final class Worker extends SimpleActor<Object> {
        private final AtomicLong sum;
        private final CountDownLatch all;
        private final long id;
        private final int messages;
        private int count;

        Worker(Context context, AtomicLong sum, CountDownLatch all, long id, int messages) {
            super(context);
            this.sum = sum;
            this.all = all;
            this.id = id;
            this.messages = messages;
        }

        @Override
        public void run(Object message) {
            double sine = Math.sin((Double) message);
            if (sine * sine > 0) {
                count++;
            }
            if (count == messages) {
                sum.addAndGet(id * count);
                all.countDown();
            }
        }
    }

    @Override
    protected long forkJoinThroughput(int messages, int actors) throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        CountDownLatch all = new CountDownLatch(actors);
        Worker[] workers = new Worker[actors];
        for (int i = 0; i < actors; i++) {
            workers[i] = new Worker(context, sum, all, i + 1, messages);
        }
        Double theta = 37.2;
        for (int m = 0; m < messages; m++) {
            for (Worker worker : workers) {
                tell(worker, theta);
            }
        }
        all.await();
        return sum.get();
    }

    private record Request(long n) {}

    /** Gathers the responses of two calls; the root has no parent and completes the result. */
    private static final class Node extends SimpleActor<Object> {
        private final Context context;
        private final CompletableFuture<Response> result;
        private final Actor<Object> parent;
        private int got;
        private long value;
        private long actors = 1;

        Node(Context context, CompletableFuture<Response> result, Actor<Object> parent) {
            super(context);
            this.context = context;
            this.result = result;
            this.parent = parent;
        }

        @Override
        public void run(Object message) {
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
                    tell(new Node(context, result, this), new Request(request.n - 1));
                    tell(new Node(context, result, this), new Request(request.n - 2));
                }
            }
        }

        private void finish(Response response) {
            if (parent != null) {
                tell(parent, response);
            } else {
                result.complete(response);
            }
        }
    }

    @Override
    protected Response fib(int index) {
        CompletableFuture<Response> result = new CompletableFuture<>();
        tell(new Node(context, result, null), new Request(index));
        return result.join();
    }
}
