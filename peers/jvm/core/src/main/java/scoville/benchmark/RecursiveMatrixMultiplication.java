package scoville.benchmark;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Recursive Matrix Multiplication: workers divide products of blocks into eight, down to a size. */
final class RecursiveMatrixMultiplication implements Benchmark {
    private enum Signal {
        DONE,
        STOP
    }

    /** A product of two blocks that is to be added to a block of C. */
    private record Product(
            int priority,
            int rowA,
            int columnA,
            int rowB,
            int columnB,
            int rowC,
            int columnC,
            long elements,
            int dimension) {}

    private record Work(Product product) {}

    private record NewWork(Product product) {}

    private record Stopped(long sum, long weightedSum) {}

    /** A block of C that is not divided. */
    private record Block(int row, int column, int dimension) {}

    /**
     * C = A * B, each row by row in one array. Actors share A and B, which never change; one worker writes each block of
     * C.
     */
    private static final class Matrices {
        final int n;
        final double[] a;
        final double[] b;
        final double[] c;

        Matrices(int n) {
            this.n = n;
            a = new double[n * n];
            b = new double[n * n];
            c = new double[n * n];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    a[i * n + j] = i;
                    b[i * n + j] = j;
                }
            }
        }

        /** The plain triple loop. */
        void add(Product p) {
            for (int i = 0; i < p.dimension; i++) {
                for (int j = 0; j < p.dimension; j++) {
                    int rowOfA = (p.rowA + i) * n + p.columnA;
                    int columnOfB = p.rowB * n + p.columnB + j;
                    int place = (p.rowC + i) * n + p.columnC + j;
                    double sum = c[place];
                    for (int k = 0; k < p.dimension; k++) {
                        sum += a[rowOfA + k] * b[columnOfB + k * n];
                    }
                    c[place] = sum;
                }
            }
        }

        /** Whether every element is what it must be; all of them are exact. */
        boolean isRight() {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    if (c[i * n + j] != (double) n * i * j) {
                        return false;
                    }
                }
            }
            return true;
        }
    }

    /** Written by the master before it stops. */
    private static final class Report {
        long items;
        long sum;
        long weightedSum;
    }

    private static final class Master extends Actor {
        private final Report report;
        private final Matrices matrices;
        private final long leafSize;
        private final ActorRef[] workers;
        private long sent;
        private long completed;
        private int stopped;

        Master(Report report, Matrices matrices, int workers, long leafSize) {
            this.report = report;
            this.matrices = matrices;
            this.leafSize = leafSize;
            this.workers = new ActorRef[workers];
        }

        @Override
        protected void started() {
            for (int i = 0; i < workers.length; i++) {
                workers[i] = spawn(new Worker(self(), matrices, leafSize));
            }
            dispatch(new Product(0, 0, 0, 0, 0, 0, 0, (long) matrices.n * matrices.n, matrices.n));
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof NewWork work) {
                dispatch(work.product);
            } else if (message == Signal.DONE) {
                completed++;
                if (completed == sent) {
                    stopWorkers();
                }
            } else if (message instanceof Stopped totals) {
                workerStopped(totals);
            } else {
                throw unexpected(message);
            }
        }

        /** Chooses the worker by the place in C, so that one worker writes each block. */
        private void dispatch(Product product) {
            workers[(product.rowC + product.columnC) % workers.length].send(new Work(product));
            sent++;
        }

        private void stopWorkers() {
            for (ActorRef worker : workers) {
                worker.send(Signal.STOP);
            }
        }

        private void workerStopped(Stopped totals) {
            report.sum += totals.sum;
            report.weightedSum += totals.weightedSum;
            stopped++;
            if (stopped == workers.length) {
                report.items = sent;
                stop();
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final Matrices matrices;
        private final long leafSize;
        private final Set<Block> own = new HashSet<>();

        Worker(ActorRef master, Matrices matrices, long leafSize) {
            this.master = master;
            this.matrices = matrices;
            this.leafSize = leafSize;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Work work) {
                Product product = work.product;
                if (product.elements > leafSize) {
                    divide(product);
                } else {
                    matrices.add(product);
                    own.add(new Block(product.rowC, product.columnC, product.dimension));
                }
                master.send(Signal.DONE);
            } else if (message == Signal.STOP) {
                master.send(totals());
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void divide(Product p) {
            int half = p.dimension / 2;
            for (int i = 0; i <= half; i += half) {
                for (int j = 0; j <= half; j += half) {
                    for (int k = 0; k <= half; k += half) {
                        master.send(new NewWork(new Product(
                                p.priority + 1,
                                p.rowA + i,
                                p.columnA + k,
                                p.rowB + k,
                                p.columnB + j,
                                p.rowC + i,
                                p.columnC + j,
                                p.elements / 4,
                                half)));
                    }
                }
            }
        }

        private Stopped totals() {
            long sum = 0;
            long weightedSum = 0;
            for (Block block : own) {
                for (int i = block.row; i < block.row + block.dimension; i++) {
                    for (int j = block.column; j < block.column + block.dimension; j++) {
                        long x = (long) matrices.c[i * matrices.n + j];
                        sum += x;
                        weightedSum += x % 1000003 * ((31 * i + 17 * j) % 101 + 1);
                    }
                }
            }
            return new Stopped(sum, weightedSum);
        }
    }

    @Override
    public String name() {
        return "recmatmul";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.powerOfTwo("n", 2, 2048),
                Parameter.atLeast("t", 1),
                Parameter.atLeast("w", 1),
                Parameter.between("p", 1, 29));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int workers = parameters.length("w");
        Matrices matrices = new Matrices(parameters.length("n"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, matrices, workers, parameters.get("t"))));
        run.require(matrices.isRight(), "an element of the product is wrong");
        return Outcome.of(report.sum, Map.of("wsum", report.weightedSum, "items", report.items));
    }
}
