package scoville.benchmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** All-Pairs Shortest Path: blocks of a matrix exchange their content with their row and column in every phase. */
final class AllPairsShortestPath implements Benchmark {
    private enum Signal {
        START
    }

    private record Neighbours(ActorRef[] refs) {}

    /** The block's content after a phase; shared and never changed. */
    private record Result(int phase, int block, long[] data) {}

    private record Done(long sum, long weightedSum, long phases) {}

    /** Written by the tally before it stops. */
    private static final class Report {
        long sum;
        long weightedSum;
        long phases;
    }

    /** How the nodes are divided: blocks of a number of nodes on a side, and so many blocks on a side. */
    private record Layout(int nodes, int side, int blocks) {}

    private static final class Tally extends Actor {
        private final Report report;
        private final int blocks;
        private int done;

        Tally(Report report, int blocks) {
            this.report = report;
            this.blocks = blocks;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Done totals)) {
                throw unexpected(message);
            }
            report.sum += totals.sum;
            report.weightedSum += totals.weightedSum;
            report.phases += totals.phases;
            done++;
            if (done == blocks) {
                stop();
            }
        }
    }

    /** What the neighbours sent after a phase, by their row or column. */
    private static final class Wave {
        final long[][] inColumn;
        final long[][] inRow;
        int count;

        Wave(int blocks) {
            inColumn = new long[blocks][];
            inRow = new long[blocks][];
        }

        void clear() {
            Arrays.fill(inColumn, null);
            Arrays.fill(inRow, null);
            count = 0;
        }
    }

    private static final class Block extends Actor {
        private final ActorRef tally;
        private final Layout layout;
        private final int row;
        private final int column;

        /** By parity of the phase: a neighbour is never more than one phase ahead. */
        private final Wave[] waves;

        private ActorRef[] neighbours;
        private boolean running;

        /** The last phase that is finished, and the distances after it, row by row. */
        private int phase = -1;

        private long[] current;

        Block(ActorRef tally, Layout layout, int row, int column, long[][] distances) {
            this.tally = tally;
            this.layout = layout;
            this.row = row;
            this.column = column;
            this.waves = new Wave[] {new Wave(layout.blocks), new Wave(layout.blocks)};
            this.current = cut(distances);
        }

        private long[] cut(long[][] distances) {
            int side = layout.side;
            long[] result = new long[side * side];
            for (int i = 0; i < side; i++) {
                System.arraycopy(distances[row * side + i], column * side, result, i * side, side);
            }
            return result;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Result result) {
                keep(result);
            } else if (message instanceof Neighbours list) {
                neighbours = list.refs;
            } else if (message == Signal.START) {
                running = true;
                share();
            } else {
                throw unexpected(message);
            }
            while (running && wave(phase).count == neighbours.length) {
                advance();
                if (phase == layout.nodes - 1) {
                    tally.send(totals());
                    stop();
                    return;
                }
                share();
            }
        }

        private Wave wave(int ofPhase) {
            return waves[ofPhase & 1];
        }

        private void share() {
            for (ActorRef neighbour : neighbours) {
                neighbour.send(new Result(phase, row * layout.blocks + column, current));
            }
        }

        private void keep(Result result) {
            require(result.phase == phase || result.phase == phase + 1, "a block received a result of another phase");
            Wave wave = wave(result.phase);
            if (result.block % layout.blocks == column) {
                wave.inColumn[result.block / layout.blocks] = result.data;
            } else {
                wave.inRow[result.block % layout.blocks] = result.data;
            }
            wave.count++;
        }

        /** Computes the next phase: paths may now also go through the node of that number. */
        private void advance() {
            int side = layout.side;
            int via = phase + 1;
            int k = via % side;
            Wave wave = wave(phase);
            wave.inColumn[row] = current;
            wave.inRow[column] = current;
            long[] toVia = wave.inRow[via / side];
            long[] fromVia = wave.inColumn[via / side];
            long[] next = new long[side * side];
            for (int i = 0; i < side; i++) {
                long first = toVia[i * side + k];
                for (int j = 0; j < side; j++) {
                    next[i * side + j] = Math.min(current[i * side + j], first + fromVia[k * side + j]);
                }
            }
            wave.clear();
            current = next;
            phase = via;
        }

        private Done totals() {
            int side = layout.side;
            long sum = 0;
            long weightedSum = 0;
            for (int at = 0; at < current.length; at++) {
                int i = row * side + at / side;
                int j = column * side + at % side;
                sum += current[at];
                weightedSum += current[at] * ((31L * i + 17L * j) % 101 + 1);
            }
            return new Done(sum, weightedSum, phase + 1);
        }
    }

    @Override
    public String name() {
        return "apsp";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.integer("n"), Parameter.atLeast("b", 1), Parameter.between("w", 1, 65536));
    }

    @Override
    public List<Relation> relations() {
        return List.of(new Relation("n", Rule.AT_LEAST, 2, "b", 0), Relation.to("n", Rule.MULTIPLE_OF, "b"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int nodes = parameters.length("n");
        int side = parameters.length("b");
        Parameters.length("b * b", (long) side * side);
        Layout layout = new Layout(nodes, side, nodes / side);
        int blocks = Parameters.length("(n / b) * (n / b)", (long) layout.blocks * layout.blocks);
        long[][] distances = distances(nodes, parameters.get("w"));
        Report report = new Report();
        run.timed(() -> {
            ActorRef tally = run.spawn(new Tally(report, blocks));
            ActorRef[] refs = new ActorRef[blocks];
            for (int b = 0; b < blocks; b++) {
                refs[b] = run.spawn(new Block(tally, layout, b / layout.blocks, b % layout.blocks, distances));
            }
            for (int b = 0; b < blocks; b++) {
                refs[b].send(neighbours(refs, layout.blocks, b));
            }
            for (ActorRef block : refs) {
                block.send(Signal.START);
            }
        });
        return Outcome.of(report.sum, Map.of("wsum", report.weightedSum, "phases", report.phases));
    }

    /** Draws the weights of a complete undirected graph. */
    private static long[][] distances(int nodes, long maxWeight) {
        Rng rng = new Rng(nodes);
        long[][] distances = new long[nodes][nodes];
        for (int i = 0; i < nodes; i++) {
            for (int j = i + 1; j < nodes; j++) {
                distances[i][j] = rng.below(maxWeight) + 1;
                distances[j][i] = distances[i][j];
            }
        }
        return distances;
    }

    /** The other blocks of the column, then those of the row. */
    private static Neighbours neighbours(ActorRef[] refs, int blocks, int b) {
        List<ActorRef> result = new ArrayList<>();
        for (int other = b % blocks; other < refs.length; other += blocks) {
            if (other != b) {
                result.add(refs[other]);
            }
        }
        for (int other = b - b % blocks; other < b - b % blocks + blocks; other++) {
            if (other != b) {
                result.add(refs[other]);
            }
        }
        return new Neighbours(result.toArray(ActorRef[]::new));
    }
}
