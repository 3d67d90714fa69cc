package scoville.benchmark;

import java.util.ArrayList;
import java.util.List;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Radix Sort: a pipeline with a stage for each bit, which holds back the values that have it. */
final class RadixSort implements Benchmark {
    private record Next(ActorRef first) {}

    /** Passed on as it is. */
    private record Value(long v) {}

    private static final class Source extends Actor {
        private final long count;
        private final long modulus;
        private final Rng rng;

        Source(long count, long modulus, long seed) {
            this.count = count;
            this.modulus = modulus;
            this.rng = new Rng(seed);
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Next next)) {
                throw unexpected(message);
            }
            for (long i = 0; i < count; i++) {
                next.first.send(new Value(rng.next() % modulus));
            }
            stop();
        }
    }

    private static final class Sorter extends Actor {
        private final ActorRef next;
        private final long radix;
        private final long count;
        private final List<Value> held = new ArrayList<>();
        private long received;

        Sorter(ActorRef next, long radix, long count) {
            this.next = next;
            this.radix = radix;
            this.count = count;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Value value)) {
                throw unexpected(message);
            }
            received++;
            if ((value.v & radix) == 0) {
                next.send(value);
            } else {
                held.add(value);
            }
            if (received == count) {
                for (Value late : held) {
                    next.send(late);
                }
                stop();
            }
        }
    }

    private static final class Validator extends Actor {
        private final Arrivals arrivals;
        private final long expected;

        Validator(Arrivals arrivals, long expected) {
            this.arrivals = arrivals;
            this.expected = expected;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Value value)) {
                throw unexpected(message);
            }
            arrivals.add(value.v);
            if (arrivals.count() == expected) {
                stop();
            }
        }
    }

    @Override
    public String name() {
        return "radixsort";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("n", 1), Parameter.powerOfTwo("m", 2, 1L << 60), Parameter.integer("s"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        long count = parameters.get("n");
        long modulus = parameters.get("m");
        Arrivals arrivals = new Arrivals();
        run.timed(() -> {
            ActorRef stage = run.spawn(new Validator(arrivals, count));
            ActorRef source = run.spawn(new Source(count, modulus, parameters.get("s")));
            for (long radix = modulus / 2; radix > 0; radix /= 2) {
                stage = run.spawn(new Sorter(stage, radix, count));
            }
            source.send(new Next(stage));
        });
        return arrivals.outcome();
    }
}
