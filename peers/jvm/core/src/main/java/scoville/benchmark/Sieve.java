package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Sieve of Eratosthenes: a pipeline of filters that grows with the primes found. */
final class Sieve implements Benchmark {
    private record Start(ActorRef first) {}

    private record Candidate(long x) {}

    private record Exit(long count, long sum) {}

    /** Written by the last filter before it stops. */
    private static final class Report {
        long primes;
        long sum;
        long filters;
    }

    private static final class Producer extends Actor {
        private final long limit;

        Producer(long limit) {
            this.limit = limit;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Start start)) {
                throw unexpected(message);
            }
            for (long x = 3; x < limit; x += 2) {
                start.first.send(new Candidate(x));
            }
            start.first.send(new Exit(0, 0));
            stop();
        }
    }

    private static final class Filter extends Actor {
        private final Report report;
        private final long id;
        private final long capacity;
        private final LongList primes = new LongList(8);
        private ActorRef next;

        Filter(Report report, long id, long firstPrime, long capacity) {
            this.report = report;
            this.id = id;
            this.capacity = capacity;
            primes.add(firstPrime);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Candidate candidate) {
                if (passes(candidate.x)) {
                    accept(candidate.x);
                }
            } else if (message instanceof Exit exit) {
                leave(exit);
            } else {
                throw unexpected(message);
            }
        }

        private boolean passes(long x) {
            for (int i = 0; i < primes.size(); i++) {
                if (x % primes.get(i) == 0) {
                    return false;
                }
            }
            return true;
        }

        private void accept(long x) {
            if (next != null) {
                next.send(new Candidate(x));
            } else if (primes.size() < capacity) {
                primes.add(x);
            } else {
                next = spawnTopLevel(new Filter(report, id + 1, x, capacity));
            }
        }

        private void leave(Exit exit) {
            long count = exit.count + primes.size();
            long sum = exit.sum;
            for (int i = 0; i < primes.size(); i++) {
                sum += primes.get(i);
            }
            if (next != null) {
                next.send(new Exit(count, sum));
            } else {
                report.primes = count;
                report.sum = sum;
                report.filters = id;
            }
            stop();
        }
    }

    @Override
    public String name() {
        return "sieve";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("n", 3), Parameter.atLeast("m", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Report report = new Report();
        run.timed(() -> {
            ActorRef producer = run.spawn(new Producer(parameters.get("n")));
            ActorRef first = run.spawn(new Filter(report, 1, 2, parameters.get("m")));
            producer.send(new Start(first));
        });
        return Outcome.of(report.primes, Map.of("sum", report.sum, "filters", report.filters));
    }
}
