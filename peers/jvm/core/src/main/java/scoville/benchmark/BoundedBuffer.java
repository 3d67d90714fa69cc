package scoville.benchmark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** Producer-Consumer with Bounded Buffer: a manager between producers and consumers holds back who is too fast. */
final class BoundedBuffer implements Benchmark {
    private enum Signal {
        PRODUCE,
        PRODUCER_EXIT,
        CONSUMER_EXIT
    }

    private record Data(double item, long seq, ActorRef from) {
        /** What the manager passes on. */
        Data copy() {
            return new Data(item, seq, from);
        }
    }

    private record Available(ActorRef from) {}

    /** Arrays by consumer, each element written by one of them; the rest is the manager's. */
    private static final class Report {
        final double[] item;
        final long[] seqSum;
        final long[] items;
        int maxPending;

        Report(int consumers) {
            item = new double[consumers];
            seqSum = new long[consumers];
            items = new long[consumers];
        }
    }

    /** How many there are of what. */
    private record Sizes(long buffer, int producers, int consumers, long items, long prodCost, long consCost) {}

    /** The work on one item: adds the same whenever cost is the same, and computes it every time. */
    private static double process(double x, long cost) {
        Rng rng = new Rng(cost);
        double sum = x;
        for (long n = Math.max(1, 100 * cost); n > 0; n--) {
            sum += Math.log(rng.unit() + 0.01);
        }
        return sum;
    }

    private static final class Manager extends Actor {
        private final Report report;
        private final Sizes sizes;
        private final ActorRef[] consumers;
        private final ArrayDeque<ActorRef> idleConsumers = new ArrayDeque<>();
        private final ArrayDeque<ActorRef> parkedProducers = new ArrayDeque<>();
        private final ArrayDeque<Data> pending = new ArrayDeque<>();
        private int finished;

        Manager(Report report, Sizes sizes) {
            this.report = report;
            this.sizes = sizes;
            this.consumers = new ActorRef[sizes.consumers];
        }

        @Override
        protected void started() {
            ActorRef[] producers = new ActorRef[sizes.producers];
            for (int p = 0; p < producers.length; p++) {
                producers[p] = spawn(new Producer(self(), sizes));
            }
            for (int c = 0; c < consumers.length; c++) {
                consumers[c] = spawnTopLevel(new Consumer(report, self(), c, sizes.consCost));
                idleConsumers.add(consumers[c]);
            }
            for (ActorRef producer : producers) {
                producer.send(Signal.PRODUCE);
            }
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Data data) {
                produced(data);
            } else if (message instanceof Available available) {
                consumed(available.from);
            } else if (message == Signal.PRODUCER_EXIT) {
                finished++;
                tryExit();
            } else {
                throw unexpected(message);
            }
        }

        private void produced(Data data) {
            if (idleConsumers.isEmpty()) {
                pending.add(data);
                report.maxPending = Math.max(report.maxPending, pending.size());
            } else {
                idleConsumers.remove().send(data.copy());
            }
            if (pending.size() >= sizes.buffer - sizes.producers) {
                parkedProducers.add(data.from);
            } else {
                data.from.send(Signal.PRODUCE);
            }
        }

        private void consumed(ActorRef consumer) {
            if (pending.isEmpty()) {
                idleConsumers.add(consumer);
                tryExit();
                return;
            }
            consumer.send(pending.remove().copy());
            if (!parkedProducers.isEmpty()) {
                parkedProducers.remove().send(Signal.PRODUCE);
            }
        }

        private void tryExit() {
            if (finished == sizes.producers && idleConsumers.size() == sizes.consumers) {
                for (ActorRef consumer : consumers) {
                    consumer.send(Signal.CONSUMER_EXIT);
                }
                stop();
            }
        }
    }

    private static final class Producer extends Actor {
        private final ActorRef manager;
        private final Sizes sizes;
        private long made;
        private double item;

        Producer(ActorRef manager, Sizes sizes) {
            this.manager = manager;
            this.sizes = sizes;
        }

        @Override
        protected void receive(Object message) {
            if (message != Signal.PRODUCE) {
                throw unexpected(message);
            }
            if (made == sizes.items) {
                manager.send(Signal.PRODUCER_EXIT);
                stop();
                return;
            }
            item = process(item, sizes.prodCost);
            made++;
            manager.send(new Data(item, made, self()));
        }
    }

    private static final class Consumer extends Actor {
        private final Report report;
        private final ActorRef manager;
        private final int id;
        private final long cost;
        private double item;
        private long seqSum;
        private long items;

        Consumer(Report report, ActorRef manager, int id, long cost) {
            this.report = report;
            this.manager = manager;
            this.id = id;
            this.cost = cost;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Data data) {
                item = process(item + data.item, cost);
                seqSum += data.seq;
                items++;
                manager.send(new Available(self()));
            } else if (message == Signal.CONSUMER_EXIT) {
                report.item[id] = item;
                report.seqSum[id] = seqSum;
                report.items[id] = items;
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "bndbuffer";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.integer("buffer"),
                Parameter.atLeast("producers", 1),
                Parameter.atLeast("consumers", 1),
                Parameter.atLeast("items", 0),
                Parameter.atLeast("prod_cost", 0),
                Parameter.atLeast("cons_cost", 0));
    }

    /** With a smaller buffer a producer could be parked while nothing is pending, and stay so for ever. */
    @Override
    public List<Relation> relations() {
        return List.of(new Relation("buffer", Rule.AT_LEAST, 1, "producers", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Sizes sizes = new Sizes(
                parameters.get("buffer"),
                parameters.length("producers"),
                parameters.length("consumers"),
                parameters.get("items"),
                parameters.get("prod_cost"),
                parameters.get("cons_cost"));
        Report report = new Report(sizes.consumers);
        run.timed(() -> run.spawn(new Manager(report, sizes)));
        run.require(report.maxPending <= sizes.buffer - 1, "more items were pending than the buffer holds");
        return Outcome.of(
                        Sums.of(report.seqSum),
                        Map.of("items", Sums.of(report.items), "data_sum", Sums.of(report.item)))
                .withMetrics(Map.of("max_pending", report.maxPending))
                .withPerActor("items", report.items);
    }
}
