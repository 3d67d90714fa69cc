package scoville.pekko;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.UntypedAbstractActor;

/**
 * The smallest Pekko program for six of the benchmarks: classic actors, without anything that the peer has in between.
 * Beside it the peer shows what its facade costs.
 *
 * <pre>java -cp TEST-CLASSES:'LIB/*' scoville.pekko.Direct WORKERS BENCHMARK ITERATIONS SIZE...</pre>
 *
 * prints the nanoseconds of each iteration and fails if a result is wrong.
 */
final class Direct {
    /** A program runs with its sizes and throws if the result is wrong. */
    @FunctionalInterface
    interface Program {
        void run(ActorSystem system, int[] sizes) throws Exception;
    }

    /** The bare programs send a message fewer where Pekko needs none: see {@link BarePing} and {@link BareNode}. */
    static final Map<String, Program> PROGRAMS = Map.of(
            "pingpong", Direct::pingPong,
            "pingpong-bare", Direct::barePingPong,
            "count", Direct::count,
            "fjcreate", Direct::forkJoinCreate,
            "fib", Direct::fib,
            "fib-bare", Direct::bareFib,
            "chameneos", Direct::chameneos,
            "big", Direct::big);

    private Direct() {}

    public static void main(String[] args) throws Exception {
        ActorSystem system = start(Integer.parseInt(args[0]));
        int[] sizes =
                Arrays.stream(args, 3, args.length).mapToInt(Integer::parseInt).toArray();
        for (int i = Integer.parseInt(args[2]); i > 0; i--) {
            settle(system);
            long began = System.nanoTime();
            PROGRAMS.get(args[1]).run(system, sizes);
            System.out.println(System.nanoTime() - began);
        }
        system.terminate();
    }

    /** Pekko's own settings but for the number of workers and, as in the peer, messages in turn and the kind of mailbox. */
    static ActorSystem start(int workers) {
        Config settings = ConfigFactory.parseString("""
                pekko.loglevel = "WARNING"
                pekko.log-dead-letters = off
                pekko.actor.default-mailbox.mailbox-type = "org.apache.pekko.dispatch.SingleConsumerOnlyUnboundedMailbox"
                pekko.actor.default-dispatcher {
                  throughput = 50
                  fork-join-executor {
                    parallelism-min = %1$d
                    parallelism-max = %1$d
                  }
                }
                """.formatted(workers));
        return ActorSystem.create("direct", settings.withFallback(ConfigFactory.defaultReference()));
    }

    /** As the peer does between iterations: the guardian answers when it has done what it has to do for earlier ones. */
    private static void settle(ActorSystem system) {
        system.actorSelection("/user")
                .resolveOne(Duration.ofDays(1))
                .toCompletableFuture()
                .join();
    }

    private static <A extends UntypedAbstractActor> Props props(Class<A> type, Supplier<A> make) {
        return Props.create(type, make::get);
    }

    private static void tell(ActorRef to, Object message) {
        to.tell(message, ActorRef.noSender());
    }

    private static void require(long got, long want) {
        if (got != want) {
            throw new IllegalStateException(got + " instead of " + want);
        }
    }

    private enum Signal {
        START,
        NEXT,
        STOP,
        INCREMENT,
        DONE
    }

    private record Ball(ActorRef from, long n) {}

    private record Back(ActorRef from, long n) {}

    private static final class Pong extends UntypedAbstractActor {
        @Override
        public void onReceive(Object message) {
            if (message instanceof Ball ball) {
                tell(ball.from, new Back(getSelf(), ball.n));
            } else {
                getContext().stop(getSelf());
            }
        }
    }

    private static final class Ping extends UntypedAbstractActor {
        private final CompletableFuture<Long> result;
        private final ActorRef pong;
        private long left;
        private long sum;

        Ping(CompletableFuture<Long> result, ActorRef pong, long left) {
            this.result = result;
            this.pong = pong;
            this.left = left;
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof Back back) {
                sum += back.n;
                if (left > 0) {
                    tell(getSelf(), Signal.NEXT);
                } else {
                    tell(pong, Signal.STOP);
                    getContext().stop(getSelf());
                    result.complete(sum);
                }
            } else {
                tell(pong, new Ball(getSelf(), left));
                left--;
            }
        }
    }

    /** Serves again as soon as the ball is back, without a message to itself. */
    private static final class BarePing extends UntypedAbstractActor {
        private final CompletableFuture<Long> result;
        private final ActorRef pong;
        private long left;
        private long sum;

        BarePing(CompletableFuture<Long> result, ActorRef pong, long left) {
            this.result = result;
            this.pong = pong;
            this.left = left;
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof Back back) {
                sum += back.n;
            }
            if (left > 0) {
                tell(pong, new Ball(getSelf(), left));
                left--;
            } else {
                tell(pong, Signal.STOP);
                getContext().stop(getSelf());
                result.complete(sum);
            }
        }
    }

    private static void pingPong(ActorSystem system, int[] sizes) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        ActorRef pong = system.actorOf(props(Pong.class, Pong::new));
        tell(system.actorOf(props(Ping.class, () -> new Ping(result, pong, sizes[0]))), Signal.START);
        require(result.join(), sizes[0] * (sizes[0] + 1L) / 2);
    }

    private static void barePingPong(ActorSystem system, int[] sizes) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        ActorRef pong = system.actorOf(props(Pong.class, Pong::new));
        tell(system.actorOf(props(BarePing.class, () -> new BarePing(result, pong, sizes[0]))), Signal.START);
        require(result.join(), sizes[0] * (sizes[0] + 1L) / 2);
    }

    private record Retrieve(ActorRef from) {}

    private static final class Counter extends UntypedAbstractActor {
        private long count;

        @Override
        public void onReceive(Object message) {
            if (message == Signal.INCREMENT) {
                count++;
            } else if (message instanceof Retrieve retrieve) {
                tell(retrieve.from, count);
                getContext().stop(getSelf());
            }
        }
    }

    private static final class Producer extends UntypedAbstractActor {
        private final CompletableFuture<Long> result;
        private final ActorRef counter;
        private final long messages;

        Producer(CompletableFuture<Long> result, ActorRef counter, long messages) {
            this.result = result;
            this.counter = counter;
            this.messages = messages;
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof Long count) {
                getContext().stop(getSelf());
                result.complete(count);
            } else {
                for (long i = 0; i < messages; i++) {
                    tell(counter, Signal.INCREMENT);
                }
                tell(counter, new Retrieve(getSelf()));
            }
        }
    }

    private static void count(ActorSystem system, int[] sizes) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        ActorRef counter = system.actorOf(props(Counter.class, Counter::new));
        tell(system.actorOf(props(Producer.class, () -> new Producer(result, counter, sizes[0]))), Signal.START);
        require(result.join(), sizes[0]);
    }

    private static final class Worker extends UntypedAbstractActor {
        private final AtomicLong sum;
        private final CountDownLatch all;
        private final long id;

        Worker(AtomicLong sum, CountDownLatch all, long id) {
            this.sum = sum;
            this.all = all;
            this.id = id;
        }

        @Override
        public void onReceive(Object message) {
            double sine = Math.sin((Double) message);
            if (sine * sine > 0) {
                sum.addAndGet(id);
            }
            getContext().stop(getSelf());
            all.countDown();
        }
    }

    private static void forkJoinCreate(ActorSystem system, int[] sizes) throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        CountDownLatch all = new CountDownLatch(sizes[0]);
        Double theta = 37.2;
        for (int i = 1; i <= sizes[0]; i++) {
            long id = i;
            tell(system.actorOf(props(Worker.class, () -> new Worker(sum, all, id))), theta);
        }
        all.await();
        require(sum.get(), sizes[0] * (sizes[0] + 1L) / 2);
    }

    private record Request(long n) {}

    private record Response(long value, long actors) {}

    /** Gathers the responses of two calls; the root has no parent and completes the result. */
    private abstract static class Call extends UntypedAbstractActor {
        final CompletableFuture<Response> result;
        private final ActorRef parent;
        private int got;
        private long value;
        private long actors = 1;

        Call(CompletableFuture<Response> result, ActorRef parent) {
            this.result = result;
            this.parent = parent;
        }

        final void add(Response response) {
            value += response.value;
            actors += response.actors;
            got++;
            if (got == 2) {
                finish(new Response(value, actors));
            }
        }

        final void finish(Response response) {
            if (parent != null) {
                tell(parent, response);
            } else {
                result.complete(response);
            }
            getContext().stop(getSelf());
        }
    }

    private static final class Node extends Call {
        Node(CompletableFuture<Response> result, ActorRef parent) {
            super(result, parent);
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof Response response) {
                add(response);
            } else if (message instanceof Request request) {
                if (request.n <= 2) {
                    finish(new Response(1, 1));
                } else {
                    call(request.n - 1);
                    call(request.n - 2);
                }
            }
        }

        private void call(long n) {
            ActorRef parent = getSelf();
            tell(getContext().actorOf(props(Node.class, () -> new Node(result, parent))), new Request(n));
        }
    }

    /** Gets its number when it is made. */
    private static final class BareNode extends Call {
        private final long n;

        BareNode(CompletableFuture<Response> result, ActorRef parent, long n) {
            super(result, parent);
            this.n = n;
        }

        @Override
        public void preStart() {
            if (n <= 2) {
                finish(new Response(1, 1));
            } else {
                call(n - 1);
                call(n - 2);
            }
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof Response response) {
                add(response);
            }
        }

        private void call(long next) {
            ActorRef parent = getSelf();
            getContext().actorOf(props(BareNode.class, () -> new BareNode(result, parent, next)));
        }
    }

    private static void fib(ActorSystem system, int[] sizes) {
        CompletableFuture<Response> result = new CompletableFuture<>();
        tell(system.actorOf(props(Node.class, () -> new Node(result, null))), new Request(sizes[0]));
        requireFib(result.join(), sizes[0]);
    }

    private static void bareFib(ActorSystem system, int[] sizes) {
        CompletableFuture<Response> result = new CompletableFuture<>();
        system.actorOf(props(BareNode.class, () -> new BareNode(result, null, sizes[0])));
        requireFib(result.join(), sizes[0]);
    }

    private static void requireFib(Response response, int n) {
        long a = 0;
        long b = 1;
        for (int i = 0; i < n; i++) {
            long next = a + b;
            a = b;
            b = next;
        }
        require(response.value, a);
        require(response.actors, 2 * a - 1);
    }

    private record Meet(long colour, ActorRef who) {}

    private record Change(long colour) {}

    private record Met(long times) {}

    private static final class Creature extends UntypedAbstractActor {
        private final ActorRef mall;
        private long colour;
        private long met;

        Creature(ActorRef mall, long colour) {
            this.mall = mall;
            this.colour = colour;
        }

        @Override
        public void preStart() {
            tell(mall, new Meet(colour, getSelf()));
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof Meet meet) {
                colour = colour == meet.colour ? colour : 3 - colour - meet.colour;
                met++;
                tell(meet.who, new Change(colour));
                tell(mall, new Meet(colour, getSelf()));
            } else if (message instanceof Change change) {
                colour = change.colour;
                met++;
                tell(mall, new Meet(colour, getSelf()));
            } else {
                tell(mall, new Met(met));
                getContext().stop(getSelf());
            }
        }
    }

    private static final class Mall extends UntypedAbstractActor {
        private final CompletableFuture<Long> result;
        private int creatures;
        private long left;
        private ActorRef waiting;
        private long sum;

        Mall(CompletableFuture<Long> result, int creatures, long left) {
            this.result = result;
            this.creatures = creatures;
            this.left = left;
        }

        @Override
        public void preStart() {
            for (int i = 0; i < creatures; i++) {
                long colour = i % 3;
                getContext().actorOf(props(Creature.class, () -> new Creature(getSelf(), colour)));
            }
        }

        @Override
        public void onReceive(Object message) {
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
                    getContext().stop(getSelf());
                    result.complete(sum);
                }
            }
        }
    }

    private static void chameneos(ActorSystem system, int[] sizes) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        system.actorOf(props(Mall.class, () -> new Mall(result, sizes[0], sizes[1])));
        require(result.join(), 2L * sizes[1]);
    }

    private record Peers(ActorRef[] refs) {}

    private record PingFrom(int id) {}

    private record PongFrom(int id) {}

    private static final class Player extends UntypedAbstractActor {
        private final AtomicLong sum;
        private final CountDownLatch done;
        private final CountDownLatch gone;
        private final int id;
        private int left;
        private int random;
        private ActorRef[] peers;
        private int expect = -1;
        private long received;

        Player(AtomicLong sum, CountDownLatch done, CountDownLatch gone, int id, int left) {
            this.sum = sum;
            this.done = done;
            this.gone = gone;
            this.id = id;
            this.left = left;
            this.random = id;
        }

        @Override
        public void onReceive(Object message) {
            if (message instanceof PingFrom ping) {
                received++;
                tell(peers[ping.id], new PongFrom(id));
            } else if (message instanceof PongFrom pong) {
                require(pong.id, expect);
                pingNext();
            } else if (message instanceof Peers list) {
                peers = list.refs;
            } else {
                sum.addAndGet(received);
                getContext().stop(getSelf());
                gone.countDown();
            }
        }

        private void pingNext() {
            if (left == 0) {
                done.countDown();
                return;
            }
            left--;
            random = (random * 1309 + 13849) & 65535;
            expect = random % peers.length;
            tell(peers[expect], new PingFrom(id));
        }
    }

    private static void big(ActorSystem system, int[] sizes) throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        CountDownLatch done = new CountDownLatch(sizes[1]);
        CountDownLatch gone = new CountDownLatch(sizes[1]);
        ActorRef[] refs = new ActorRef[sizes[1]];
        Arrays.setAll(refs, id -> system.actorOf(props(Player.class, () -> new Player(sum, done, gone, id, sizes[0]))));
        for (ActorRef ref : refs) {
            tell(ref, new Peers(refs));
        }
        for (ActorRef ref : refs) {
            tell(ref, new PongFrom(-1));
        }
        done.await();
        for (ActorRef ref : refs) {
            tell(ref, Signal.DONE);
        }
        gone.await();
        require(sum.get(), (long) sizes[0] * sizes[1]);
    }
}
