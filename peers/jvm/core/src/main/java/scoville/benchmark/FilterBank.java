package scoville.benchmark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** Filter Bank: a stream is split into channels of seven stages each, filtered, and joined again. */
final class FilterBank implements Benchmark {
    private enum Signal {
        BOOT
    }

    private record Next(ActorRef source) {}

    private record Value(double v) {}

    private record Tagged(int channel, double v) {}

    private record Row(double[] values) {}

    /** Ends a stage; carries what the Sample stages counted. */
    private record Exit(long computed, long hash) {
        /** What is passed on. */
        Exit copy() {
            return new Exit(computed, hash);
        }
    }

    /** Written by the sink before it stops. */
    private static final class Report {
        long count;
        double sum;
        double weightedSum;
        Exit exit;
    }

    private static final class Producer extends Actor {
        private final long inputs;
        private long boots;

        Producer(long inputs) {
            this.inputs = inputs;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Next next)) {
                throw unexpected(message);
            }
            if (boots == inputs) {
                next.source.send(new Exit(0, 0));
                stop();
            } else {
                next.source.send(Signal.BOOT);
                boots++;
            }
        }
    }

    private static final class Source extends Actor {
        private final ActorRef producer;
        private final ActorRef branches;
        private int current;

        Source(ActorRef producer, ActorRef branches) {
            this.producer = producer;
            this.branches = branches;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.BOOT) {
                branches.send(new Value(current));
                current = (current + 1) % 1000;
                producer.send(new Next(self()));
            } else if (message instanceof Exit exit) {
                branches.send(exit.copy());
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Branches extends Actor {
        private final ActorRef[] banks;

        Branches(ActorRef[] banks) {
            this.banks = banks;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                for (ActorRef bank : banks) {
                    bank.send(new Value(value.v));
                }
            } else if (message instanceof Exit exit) {
                for (ActorRef bank : banks) {
                    bank.send(exit.copy());
                }
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** A stage of a channel. */
    private abstract static class Stage extends Actor {
        protected final ActorRef next;

        Stage(ActorRef next) {
            this.next = next;
        }

        @Override
        protected final void receive(Object message) {
            if (message instanceof Value value) {
                process(value);
            } else if (message instanceof Exit exit) {
                next.send(pass(exit));
                stop();
            } else {
                throw unexpected(message);
            }
        }

        protected abstract void process(Value value);

        protected Exit pass(Exit exit) {
            return exit.copy();
        }
    }

    private static final class Bank extends Stage {
        Bank(ActorRef next) {
            super(next);
        }

        @Override
        protected void process(Value value) {
            next.send(new Value(value.v));
        }
    }

    private static final class Delay extends Stage {
        private final double[] ring;
        private int position;

        Delay(ActorRef next, int length) {
            super(next);
            ring = new double[length];
        }

        @Override
        protected void process(Value value) {
            next.send(new Value(ring[position]));
            ring[position] = value.v;
            position = (position + 1) % ring.length;
        }
    }

    /** Sends a dot product for every value once its ring is full. The coefficients meet slots, not ages. */
    private static final class Fir extends Stage {
        private final double[] coefficients;
        private final double[] data;
        private int index;
        private boolean full;

        Fir(ActorRef next, double[] coefficients) {
            super(next);
            this.coefficients = coefficients;
            data = new double[coefficients.length];
        }

        @Override
        protected void process(Value value) {
            data[index] = value.v;
            index++;
            if (index == data.length) {
                full = true;
                index = 0;
            }
            if (full) {
                next.send(new Value(dot()));
            }
        }

        private double dot() {
            double sum = 0;
            for (int i = 0; i < data.length; i++) {
                sum += data[i] * coefficients[data.length - 1 - i];
            }
            return sum;
        }
    }

    /** Lets one of so many values pass, sends zeros in the place of the others, and checksums what it got. */
    private static final class Sample extends Stage {
        private final int period;
        private int k;
        private long count;
        private long hash;

        Sample(ActorRef next, int period) {
            super(next);
            this.period = period;
        }

        @Override
        protected void process(Value value) {
            count++;
            hash += (long) value.v % 1000003;
            next.send(new Value(k == 0 ? value.v : 0));
            k = (k + 1) % period;
        }

        @Override
        protected Exit pass(Exit exit) {
            return new Exit(count, hash);
        }
    }

    private static final class Tagger extends Stage {
        private final int channel;

        Tagger(ActorRef next, int channel) {
            super(next);
            this.channel = channel;
        }

        @Override
        protected void process(Value value) {
            next.send(new Tagged(channel, value.v));
        }
    }

    /** Puts the channels together row by row. */
    private static final class Integrator extends Actor {
        private static final class Partial {
            final double[] values;
            int filled;

            Partial(int channels) {
                values = new double[channels];
            }
        }

        private final ActorRef combiner;

        /** For each channel the rows that lack it, oldest first: it fills them in this order. */
        private final List<ArrayDeque<Partial>> lacking;

        private int exits;
        private long computed;
        private long hash;

        Integrator(ActorRef combiner, int channels) {
            this.combiner = combiner;
            lacking = Stream.generate(ArrayDeque<Partial>::new).limit(channels).toList();
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Tagged tagged) {
                put(tagged);
            } else if (message instanceof Exit exit) {
                leave(exit);
            } else {
                throw unexpected(message);
            }
        }

        private void put(Tagged tagged) {
            ArrayDeque<Partial> rows = lacking.get(tagged.channel);
            if (rows.isEmpty()) {
                Partial appended = new Partial(lacking.size());
                lacking.forEach(queue -> queue.add(appended));
            }
            Partial row = rows.remove();
            row.values[tagged.channel] = tagged.v;
            row.filled++;
            if (row.filled == lacking.size()) { // then all rows before it are gone
                combiner.send(new Row(row.values));
            }
        }

        private void leave(Exit exit) {
            computed += exit.computed;
            hash += exit.hash;
            exits++;
            if (exits == lacking.size()) {
                require(lacking.stream().allMatch(ArrayDeque::isEmpty), "the integrator was left with incomplete rows");
                combiner.send(new Exit(computed, hash));
                stop();
            }
        }
    }

    private static final class Combiner extends Actor {
        private final ActorRef sink;

        Combiner(ActorRef sink) {
            this.sink = sink;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Row row) {
                sink.send(new Value(Sums.of(row.values)));
            } else if (message instanceof Exit exit) {
                sink.send(exit.copy());
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Sink extends Actor {
        private final Report report;

        Sink(Report report) {
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                report.sum += value.v;
                report.weightedSum += value.v * (report.count % 7 + 1);
                report.count++;
            } else if (message instanceof Exit exit) {
                report.exit = exit;
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** The coefficients of the two filters, by channel. */
    private record Coefficients(double[][] first, double[][] second) {
        static Coefficients of(int columns, int channels) {
            double[][] first = new double[channels][columns];
            double[][] second = new double[channels][columns];
            for (int j = 0; j < channels; j++) {
                for (int i = 0; i < columns; i++) {
                    first[j][i] = i * columns + j * channels + j + i + j + 1;
                    second[j][i] = i * j + j * j + j + i;
                }
            }
            return new Coefficients(first, second);
        }
    }

    @Override
    public String name() {
        return "filterbank";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.integer("sim"), Parameter.between("col", 2, 16384), Parameter.between("chan", 2, 34));
    }

    @Override
    public List<Relation> relations() {
        return List.of(new Relation("sim", Rule.AT_LEAST, 2, "col", -1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int columns = parameters.length("col");
        int channels = parameters.length("chan");
        Coefficients coefficients = Coefficients.of(columns, channels);
        Report report = new Report();
        run.timed(() -> {
            ActorRef combiner = run.spawn(new Combiner(run.spawn(new Sink(report))));
            ActorRef integrator = run.spawn(new Integrator(combiner, channels));
            ActorRef[] banks = new ActorRef[channels];
            for (int channel = 0; channel < channels; channel++) {
                banks[channel] = spawnChannel(run, integrator, channel, columns, coefficients);
            }
            ActorRef producer = run.spawn(new Producer(parameters.get("sim")));
            ActorRef source = run.spawn(new Source(producer, run.spawn(new Branches(banks))));
            producer.send(new Next(source));
        });
        return Outcome.of(
                report.exit.hash,
                Map.of(
                        "count", report.count,
                        "sum", report.sum,
                        "wsum", report.weightedSum,
                        "fir", report.exit.computed));
    }

    /** Creates the seven actors of a channel from the last to the first, and returns the first. */
    private static ActorRef spawnChannel(
            Run run, ActorRef integrator, int channel, int columns, Coefficients coefficients) {
        ActorRef tagger = run.spawn(new Tagger(integrator, channel));
        ActorRef secondFir = run.spawn(new Fir(tagger, coefficients.second[channel]));
        ActorRef secondDelay = run.spawn(new Delay(secondFir, columns - 1));
        ActorRef sample = run.spawn(new Sample(secondDelay, columns));
        ActorRef firstFir = run.spawn(new Fir(sample, coefficients.first[channel]));
        ActorRef firstDelay = run.spawn(new Delay(firstFir, columns - 1));
        return run.spawn(new Bank(firstDelay));
    }
}
