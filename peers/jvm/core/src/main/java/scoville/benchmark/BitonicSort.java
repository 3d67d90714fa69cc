package scoville.benchmark;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Bitonic Sort: a sorting network of very many small actors, all of them created before data flow. */
final class BitonicSort implements Benchmark {
    private enum Signal {
        START,
        EXIT
    }

    private record Value(long v) {}

    private record Data(int input, long v) {}

    private static final class Source extends Actor {
        private final ActorRef kernel;
        private final long count;
        private final long modulus;
        private final Rng rng;

        Source(ActorRef kernel, long count, long modulus, long seed) {
            this.kernel = kernel;
            this.count = count;
            this.modulus = modulus;
            this.rng = new Rng(seed);
        }

        @Override
        protected void receive(Object message) {
            if (message != Signal.START) {
                throw unexpected(message);
            }
            for (long i = 0; i < count; i++) {
                kernel.send(new Value(rng.next() % modulus));
            }
            kernel.send(Signal.EXIT);
            stop();
        }
    }

    private static final class Validator extends Actor {
        private final Arrivals arrivals;

        Validator(Arrivals arrivals) {
            this.arrivals = arrivals;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                arrivals.add(value.v);
            } else if (message == Signal.EXIT) {
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** Kernel, Stage, Step, Partition and Untag: passes everything on. */
    private static final class Forwarder extends Actor {
        private final ActorRef next;

        Forwarder(ActorRef next) {
            this.next = next;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                next.send(new Value(value.v));
            } else if (message == Signal.EXIT) {
                next.send(message);
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** Deals so many values to every receiver in turn. */
    private static final class Splitter extends Actor {
        private final int length;
        private final ActorRef[] receivers;
        private int receiver;
        private int dealt;

        Splitter(int length, ActorRef[] receivers) {
            this.length = length;
            this.receivers = receivers;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                deal(value.v);
            } else if (message == Signal.EXIT) {
                for (ActorRef each : receivers) {
                    each.send(message);
                }
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void deal(long v) {
            receivers[receiver].send(new Value(v));
            dealt++;
            if (dealt == length) {
                dealt = 0;
                receiver = receiver + 1 == receivers.length ? 0 : receiver + 1;
            }
        }
    }

    /** Takes so many values from every input in turn, as soon as they are there. */
    private static final class Joiner extends Actor {
        private final int length;
        private final LongQueue[] queues;
        private final ActorRef next;
        private int input;
        private int taken;
        private int exits;

        Joiner(int length, int inputs, ActorRef next) {
            this.length = length;
            this.next = next;
            queues = IntStream.range(0, inputs).mapToObj(i -> new LongQueue()).toArray(LongQueue[]::new);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Data data) {
                queues[data.input].add(data.v);
                while (!queues[input].isEmpty()) {
                    take();
                }
            } else if (message == Signal.EXIT) {
                exits++;
                if (exits == queues.length) {
                    next.send(message);
                    stop();
                }
            } else {
                throw unexpected(message);
            }
        }

        private void take() {
            next.send(new Value(queues[input].remove()));
            taken++;
            if (taken == length) {
                taken = 0;
                input = input + 1 == queues.length ? 0 : input + 1;
            }
        }
    }

    /** Orders pairs of values. */
    private static final class Compare extends Actor {
        private final int input;
        private final boolean up;
        private final ActorRef joiner;
        private boolean pending;
        private long first;

        Compare(int input, boolean up, ActorRef joiner) {
            this.input = input;
            this.up = up;
            this.joiner = joiner;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                if (pending) {
                    order(first, value.v);
                } else {
                    first = value.v;
                }
                pending = !pending;
            } else if (message == Signal.EXIT) {
                require(!pending, "a compare received a value without a partner");
                joiner.send(message);
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void order(long a, long b) {
            boolean keep = a <= b == up;
            joiner.send(new Data(input, keep ? a : b));
            joiner.send(new Data(input, keep ? b : a));
        }
    }

    /** Turns what an inner joiner sends into an input of the outer one. */
    private static final class Tag extends Actor {
        private final int input;
        private final ActorRef joiner;

        Tag(int input, ActorRef joiner) {
            this.input = input;
            this.joiner = joiner;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                joiner.send(new Data(input, value.v));
            } else if (message == Signal.EXIT) {
                joiner.send(message);
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** Builds the network from its end to its beginning; each method returns the entrance of the part that it built. */
    private record Network(Run run) {
        ActorRef build(int n, ActorRef validator) {
            ActorRef next = forwarder(validator);
            for (int length = 2; length <= n; length *= 2) {
                next = step(length, n / length, worker -> true, next);
            }
            next = forwarder(next); // the last stage
            for (int block = n / 2; block >= 2; block /= 2) {
                next = forwarder(mergeSteps(n, block, next));
            }
            return forwarder(next); // the kernel
        }

        private ActorRef mergeSteps(int n, int block, ActorRef end) {
            ActorRef next = end;
            for (int length = 2; length <= block; length *= 2) {
                int half = block / length;
                next = step(length, n / block * half, worker -> worker / half % 2 == 0, forwarder(next));
            }
            return next;
        }

        private ActorRef step(int length, int workers, IntPredicate up, ActorRef next) {
            ActorRef joiner = run.spawn(new Joiner(length, workers, next));
            ActorRef[] receivers = new ActorRef[workers];
            for (int j = 0; j < workers; j++) {
                receivers[j] = length > 2
                        ? partition(j, length, up.test(j), joiner)
                        : run.spawn(new Compare(j, up.test(j), joiner));
            }
            return forwarder(run.spawn(new Splitter(length, receivers)));
        }

        private ActorRef partition(int j, int length, boolean up, ActorRef outer) {
            ActorRef tag = run.spawn(new Tag(j, outer));
            ActorRef joiner = run.spawn(new Joiner(1, length / 2, tag));
            ActorRef[] compares = new ActorRef[length / 2];
            for (int o = 0; o < compares.length; o++) {
                compares[o] = run.spawn(new Compare(o, up, joiner));
            }
            return forwarder(run.spawn(new Splitter(1, compares)));
        }

        private ActorRef forwarder(ActorRef next) {
            return run.spawn(new Forwarder(next));
        }
    }

    @Override
    public String name() {
        return "bitonicsort";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.powerOfTwo("n", 2, Long.MAX_VALUE), Parameter.atLeast("m", 1), Parameter.integer("s"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int n = parameters.length("n");
        Arrivals arrivals = new Arrivals();
        run.timed(() -> {
            ActorRef kernel = new Network(run).build(n, run.spawn(new Validator(arrivals)));
            run.spawn(new Source(kernel, n, parameters.get("m"), parameters.get("s")))
                    .send(Signal.START);
        });
        return arrivals.outcome();
    }
}
