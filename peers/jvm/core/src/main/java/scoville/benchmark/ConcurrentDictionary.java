package scoville.benchmark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** Concurrent Dictionary: workers read and write the map of one actor, each with keys of its own. */
final class ConcurrentDictionary implements Benchmark {
    private enum Signal {
        DO_WORK,
        END
    }

    private record Write(ActorRef from, long key, long value) {}

    private record Read(ActorRef from, long key) {}

    private record Result(long value) {}

    private record Done(long sum, long writes, long reads) {}

    /** Each field is written by one actor before it stops. */
    private static final class Report {
        long sum;
        long writes;
        long reads;
        long mapSize;
        long mapSum;
    }

    private static final class Dictionary extends Actor {
        private final Report report;
        private final Map<Long, Long> map;

        Dictionary(Report report, Map<Long, Long> map) {
            this.report = report;
            this.map = map;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Read read) {
                Long value = map.get(read.key);
                require(value != null, "the dictionary lacks a key");
                read.from.send(new Result(value));
            } else if (message instanceof Write write) {
                map.put(write.key, write.value);
                write.from.send(new Result(write.value));
            } else if (message == Signal.END) {
                report.mapSize = map.size();
                report.mapSum = map.values().stream().mapToLong(Long::longValue).sum();
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** How many there are of what. */
    private record Sizes(int workers, long requests, long writePercent, long keysPerWorker) {}

    private static final class Master extends Actor {
        private final Report report;
        private final ActorRef dictionary;
        private final Sizes sizes;
        private int done;

        Master(Report report, ActorRef dictionary, Sizes sizes) {
            this.report = report;
            this.dictionary = dictionary;
            this.sizes = sizes;
        }

        @Override
        protected void started() {
            for (int w = 0; w < sizes.workers; w++) {
                spawn(new Worker(self(), dictionary, sizes, w)).send(Signal.DO_WORK);
            }
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Done totals)) {
                throw unexpected(message);
            }
            report.sum += totals.sum;
            report.writes += totals.writes;
            report.reads += totals.reads;
            done++;
            if (done == sizes.workers) {
                stop();
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final ActorRef dictionary;
        private final Sizes sizes;
        private final long id;
        private final Rng rng;
        private long sent;
        private long sum;
        private long writes;

        Worker(ActorRef master, ActorRef dictionary, Sizes sizes, long id) {
            this.master = master;
            this.dictionary = dictionary;
            this.sizes = sizes;
            this.id = id;
            this.rng = new Rng(id + sizes.requests + sizes.writePercent);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Result result) {
                sum += result.value;
            } else if (message != Signal.DO_WORK) {
                throw unexpected(message);
            }
            if (sent < sizes.requests) {
                sent++;
                request();
            } else {
                master.send(new Done(sum, writes, sizes.requests - writes));
                stop();
            }
        }

        private void request() {
            boolean writing = rng.scaled(100) < sizes.writePercent;
            long key = rng.below(sizes.keysPerWorker) * sizes.workers + id;
            if (writing) {
                writes++;
                dictionary.send(new Write(self(), key, rng.next()));
            } else {
                dictionary.send(new Read(self(), key));
            }
        }
    }

    @Override
    public String name() {
        return "concdict";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("workers", 1),
                Parameter.atLeast("requests", 0),
                Parameter.between("write_pct", 0, 100),
                Parameter.integer("entries"));
    }

    @Override
    public List<Relation> relations() {
        return List.of(Relation.to("entries", Rule.AT_LEAST, "workers"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int entries = parameters.length("entries");
        int workers = parameters.length("workers");
        Sizes sizes = new Sizes(workers, parameters.get("requests"), parameters.get("write_pct"), entries / workers);
        Report report = new Report();
        ActorRef dictionary = run.spawnLasting(new Dictionary(report, identity(entries)));
        run.timed(() -> run.spawn(new Master(report, dictionary, sizes)));
        run.check(() -> dictionary.send(Signal.END));
        return Outcome.of(
                report.sum,
                Map.of(
                        "writes", report.writes,
                        "reads", report.reads,
                        "map_size", report.mapSize,
                        "map_sum", report.mapSum));
    }

    /** A map that need not grow any more. */
    private static Map<Long, Long> identity(int entries) {
        Map<Long, Long> map = new HashMap<>((int) (entries / 0.75f) + 1);
        for (long key = 0; key < entries; key++) {
            map.put(key, key);
        }
        return map;
    }
}
