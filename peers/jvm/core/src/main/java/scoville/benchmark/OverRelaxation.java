package scoville.benchmark;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Successive Over-Relaxation: a red-black stencil with an actor for each cell, in two halves. */
final class OverRelaxation implements Benchmark {
    private enum Signal {
        BOOT
    }

    /** The cells of the column at the border. */
    private record Border(ActorRef[] cells) {}

    /** The two to four neighbours. */
    private record Start(ActorRef[] neighbours) {}

    private record Value(double v) {}

    private record CellResult(int i, int j, double value, long received) {}

    private record PeerResult(double total, long received) {}

    /** Written by the runner before it stops. */
    private static final class Report {
        double total;
        long received;
    }

    /** The grid at the start, and what is to be done with it. */
    private record Settings(double[][] values, int iterations, double omega) {
        int side() {
            return values.length;
        }

        /** Columns before this one are the runner's. */
        int part() {
            return side() / 2;
        }
    }

    /** One half of the cells: the columns from the first to before the last. */
    private abstract static class Owner extends Actor {
        protected final Settings settings;
        private final int first;
        private final ActorRef[][] columns;
        private long returned;
        private double total;
        private long received;

        Owner(Settings settings, int first, int last) {
            this.settings = settings;
            this.first = first;
            this.columns = new ActorRef[last - first][settings.side()];
        }

        protected final void createCells() {
            for (int i = 0; i < settings.side(); i++) {
                for (int j = 0; j < columns.length; j++) {
                    columns[j][i] = spawn(new Cell(self(), settings, i, first + j));
                }
            }
        }

        protected final ActorRef[] column(int j) {
            return columns[j - first];
        }

        /** Neighbours across the border are in the other half's column. */
        protected final void startCells(ActorRef[] left, ActorRef[] right) {
            for (int i = 0; i < settings.side(); i++) {
                for (int j = 0; j < columns.length; j++) {
                    ActorRef[] before = j > 0 ? columns[j - 1] : left;
                    ActorRef[] after = j + 1 < columns.length ? columns[j + 1] : right;
                    columns[j][i].send(new Start(neighbours(columns[j], before, after, i)));
                }
            }
        }

        private static ActorRef[] neighbours(ActorRef[] own, ActorRef[] before, ActorRef[] after, int i) {
            return Stream.of(
                            after == null ? null : after[i],
                            i + 1 < own.length ? own[i + 1] : null,
                            before == null ? null : before[i],
                            i > 0 ? own[i - 1] : null)
                    .filter(neighbour -> neighbour != null)
                    .toArray(ActorRef[]::new);
        }

        protected final void add(CellResult result) {
            total += result.value;
            received += result.received;
            returned++;
        }

        protected final boolean isComplete() {
            return returned == (long) columns.length * settings.side();
        }

        protected final PeerResult totals() {
            return new PeerResult(total, received);
        }
    }

    private static final class Runner extends Owner {
        private final Report report;
        private PeerResult peerResult;

        Runner(Report report, Settings settings) {
            super(settings, 0, settings.part());
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof CellResult result) {
                add(result);
                tryFinish();
            } else if (message instanceof PeerResult result) {
                peerResult = result;
                tryFinish();
            } else if (message == Signal.BOOT) {
                createCells();
                spawn(new Peer(settings, self(), column(settings.part() - 1))).send(Signal.BOOT);
            } else if (message instanceof Border border) {
                startCells(null, border.cells);
            } else {
                throw unexpected(message);
            }
        }

        private void tryFinish() {
            if (peerResult != null && isComplete()) {
                report.total = totals().total + peerResult.total;
                report.received = totals().received + peerResult.received;
                stop();
            }
        }
    }

    private static final class Peer extends Owner {
        private final ActorRef runner;
        private final ActorRef[] border;

        Peer(Settings settings, ActorRef runner, ActorRef[] border) {
            super(settings, settings.part(), settings.side());
            this.runner = runner;
            this.border = border;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof CellResult result) {
                add(result);
                if (isComplete()) {
                    runner.send(totals());
                    stop();
                }
            } else if (message == Signal.BOOT) {
                createCells();
                runner.send(new Border(column(settings.part())));
                startCells(border, null);
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Cell extends Actor {
        private static final double[] NONE = {};

        private final ActorRef owner;
        private final int iterations;
        private final double omega;
        private final int i;
        private final int j;
        private ActorRef[] neighbours;
        private double value;
        private long iteration;
        private double sum;
        private int count;
        private long received;

        /** Values that came before the neighbours were known: at most one from each. */
        private double[] early = NONE;

        private int earlyCount;

        Cell(ActorRef owner, Settings settings, int i, int j) {
            this.owner = owner;
            this.iterations = settings.iterations;
            this.omega = settings.omega;
            this.i = i;
            this.j = j;
            this.value = settings.values[i][j];
        }

        private boolean isRed() {
            return (i + j) % 2 == 0;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value other) {
                if (neighbours == null) {
                    keep(other.v);
                } else {
                    add(other.v);
                }
            } else if (message instanceof Start start) {
                start(start.neighbours);
            } else {
                throw unexpected(message);
            }
        }

        private void keep(double v) {
            if (earlyCount == 0) {
                early = new double[4];
            }
            early[earlyCount++] = v;
        }

        private void start(ActorRef[] refs) {
            neighbours = refs;
            if (isRed()) {
                sendValue();
                iteration = 1;
                received++;
            }
            for (int n = 0; n < earlyCount; n++) {
                add(early[n]);
            }
            early = NONE;
        }

        private void add(double v) {
            received++;
            count++;
            sum += v;
            if (count == neighbours.length) {
                update();
            }
        }

        private void update() {
            value = (0.25 * omega) * sum + (1 - omega) * value;
            sum = 0;
            count = 0;
            iteration++;
            boolean last = iteration == iterations;
            if (isRed() || !last) {
                sendValue();
            }
            if (last) {
                owner.send(new CellResult(i, j, value, received));
                stop();
            }
        }

        private void sendValue() {
            for (ActorRef neighbour : neighbours) {
                neighbour.send(new Value(value));
            }
        }
    }

    @Override
    public String name() {
        return "sor";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("size", 3),
                Parameter.atLeast("it", 2),
                Parameter.numberBetween("omega", 0, 2),
                Parameter.integer("seed"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        double[][] values = draw(parameters.length("size"), parameters.get("seed"));
        Settings settings = new Settings(values, parameters.length("it"), parameters.number("omega"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Runner(report, settings)).send(Signal.BOOT));
        return Outcome.of(report.total, Map.of("received", report.received));
    }

    private static double[][] draw(int side, long seed) {
        Rng rng = new Rng(seed);
        double[][] values = new double[side][side];
        for (double[] row : values) {
            for (int j = 0; j < side; j++) {
                row[j] = rng.unit() * 1e-6;
            }
        }
        return values;
    }
}
