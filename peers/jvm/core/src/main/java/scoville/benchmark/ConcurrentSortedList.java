package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** Concurrent Sorted Linked-List: workers insert into, search and measure the list of one actor. */
final class ConcurrentSortedList implements Benchmark {
    private enum Signal {
        DO_WORK,
        END
    }

    private record Write(ActorRef from, long value) {}

    private record Size(ActorRef from) {}

    private record Contains(ActorRef from, long value) {}

    private record Result(long value) {}

    private record Done(long hits, long sizes, long contains) {}

    /** Each field is written by one actor; the address of the list is needed after its creator has stopped. */
    private static final class Report {
        ActorRef list;
        long hits;
        long sizes;
        long contains;
        long length;
        long weightedSum;
    }

    private static final class ListOwner extends Actor {
        private final Report report;
        private final SortedList list = new SortedList();

        ListOwner(Report report) {
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Contains request) {
                request.from.send(new Result(list.contains(request.value) ? 1 : 0));
            } else if (message instanceof Write request) {
                list.insert(request.value);
                request.from.send(new Result(request.value));
            } else if (message instanceof Size request) {
                request.from.send(new Result(list.size()));
            } else if (message == Signal.END) {
                report.length = list.size();
                report.weightedSum = list.weightedSum();
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** How many there are of what. */
    private record Sizes(int workers, long requests, long writePercent, long sizePercent) {}

    private static final class Master extends Actor {
        private final Report report;
        private final Sizes sizes;
        private int done;

        Master(Report report, Sizes sizes) {
            this.report = report;
            this.sizes = sizes;
        }

        @Override
        protected void started() {
            ActorRef list = spawnLasting(new ListOwner(report));
            report.list = list;
            for (int w = 0; w < sizes.workers; w++) {
                spawn(new Worker(self(), list, sizes, w)).send(Signal.DO_WORK);
            }
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Done totals)) {
                throw unexpected(message);
            }
            report.hits += totals.hits;
            report.sizes += totals.sizes;
            report.contains += totals.contains;
            done++;
            if (done == sizes.workers) {
                stop();
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final ActorRef list;
        private final Sizes sizes;
        private final long id;
        private final Rng rng;
        private long sent;
        private long hits;
        private long sizeRequests;
        private long contains;
        private boolean searching;

        Worker(ActorRef master, ActorRef list, Sizes sizes, long id) {
            this.master = master;
            this.list = list;
            this.sizes = sizes;
            this.id = id;
            this.rng = new Rng(id + sizes.requests + sizes.writePercent + sizes.sizePercent);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Result result) {
                hits += searching ? result.value : 0;
            } else if (message != Signal.DO_WORK) {
                throw unexpected(message);
            }
            if (sent < sizes.requests) {
                sent++;
                request();
            } else {
                master.send(new Done(hits, sizeRequests, contains));
                stop();
            }
        }

        private void request() {
            long p = rng.scaled(100);
            searching = p >= sizes.sizePercent + sizes.writePercent;
            if (searching) {
                contains++;
                list.send(new Contains(self(), ownValue()));
            } else if (p >= sizes.sizePercent) {
                list.send(new Write(self(), ownValue()));
            } else {
                sizeRequests++;
                list.send(new Size(self()));
            }
        }

        /** Draws a value that no other worker uses. */
        private long ownValue() {
            return (rng.next() >> 2) * sizes.workers + id;
        }
    }

    @Override
    public String name() {
        return "concsll";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("workers", 1),
                Parameter.atLeast("requests", 0),
                Parameter.between("write_pct", 0, 49),
                Parameter.atLeast("size_pct", 0));
    }

    @Override
    public List<Relation> relations() {
        return List.of(new Relation("size_pct", Rule.AT_MOST, -2, "write_pct", 99));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Sizes sizes = new Sizes(
                parameters.length("workers"),
                parameters.get("requests"),
                parameters.get("write_pct"),
                parameters.get("size_pct"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, sizes)));
        run.check(() -> report.list.send(Signal.END));
        return Outcome.of(
                report.weightedSum,
                Map.of(
                        "list_len", report.length,
                        "hits", report.hits,
                        "sizes", report.sizes,
                        "contains", report.contains));
    }
}
