package scoville.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** N-Queens, first K solutions: a master deals out partial boards, and workers hand back those with one queen more. */
final class NQueens implements Benchmark {
    private static final int MAX_QUEENS = 20;

    private enum Signal {
        RESULT,
        DONE,
        STOP,
        STOPPED
    }

    /** The columns of the queens in the first rows; the array is shared and never changed. */
    private record Work(int priority, int[] board, int depth) {}

    private record NewWork(int priority, int[] board, int depth) {}

    /** Written by the master before it stops. */
    private static final class Report {
        long results;
        long items;
    }

    /** What to search. */
    private record Settings(int workers, int queens, int aloneFrom, long wanted, int priorities) {}

    /** Tests all pairs of queens, not only those with the newest. */
    private static boolean isValid(int[] board) {
        for (int i = 0; i < board.length; i++) {
            int p = board[i];
            for (int j = i + 1; j < board.length; j++) {
                int q = board[j];
                if (q == p || q == p - (j - i) || q == p + (j - i)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static final class Master extends Actor {
        private final Report report;
        private final Settings settings;
        private final ActorRef[] workers;
        private long sent;
        private long completed;
        private long results;
        private int stopped;
        private boolean stopping;

        Master(Report report, Settings settings) {
            this.report = report;
            this.settings = settings;
            this.workers = new ActorRef[settings.workers];
        }

        @Override
        protected void started() {
            for (int i = 0; i < workers.length; i++) {
                workers[i] = spawn(new Worker(self(), settings));
            }
            dispatch(new Work(settings.priorities - 1, new int[0], 0));
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.RESULT) {
                results++;
                if (results == settings.wanted) {
                    beginStopping();
                }
            } else if (message instanceof NewWork work) {
                if (!stopping) {
                    dispatch(new Work(work.priority, work.board, work.depth));
                }
            } else if (message == Signal.DONE) {
                completed++;
                if (completed == sent) {
                    beginStopping();
                }
            } else if (message == Signal.STOPPED) {
                workerStopped();
            } else {
                throw unexpected(message);
            }
        }

        private void dispatch(Work work) {
            workers[(int) (sent % workers.length)].send(work);
            sent++;
        }

        private void beginStopping() {
            if (!stopping) {
                stopping = true;
                for (ActorRef worker : workers) {
                    worker.send(Signal.STOP);
                }
            }
        }

        private void workerStopped() {
            stopped++;
            if (stopped == workers.length) {
                report.results = results;
                report.items = sent;
                stop();
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final Settings settings;

        /** The board of each level of a search. */
        private final int[][] levels;

        Worker(ActorRef master, Settings settings) {
            this.master = master;
            this.settings = settings;
            levels = new int[settings.queens][];
            for (int depth = 0; depth < levels.length; depth++) {
                levels[depth] = new int[depth + 1];
            }
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Work work) {
                if (work.depth == settings.queens) {
                    master.send(Signal.RESULT);
                } else if (work.depth >= settings.aloneFrom) {
                    search(work.board, work.depth);
                } else {
                    extend(work);
                }
                master.send(Signal.DONE);
            } else if (message == Signal.STOP) {
                master.send(Signal.STOPPED);
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void extend(Work work) {
            for (int column = 0; column < settings.queens; column++) {
                int[] board = Arrays.copyOf(work.board, work.depth + 1);
                board[work.depth] = column;
                if (isValid(board)) {
                    master.send(new NewWork(Math.max(0, work.priority - 1), board, work.depth + 1));
                }
            }
        }

        private void search(int[] board, int depth) {
            if (depth == settings.queens) {
                master.send(Signal.RESULT);
                return;
            }
            int[] longer = levels[depth];
            for (int column = 0; column < settings.queens; column++) {
                System.arraycopy(board, 0, longer, 0, depth);
                longer[depth] = column;
                if (isValid(longer)) {
                    search(longer, depth + 1);
                }
            }
        }
    }

    @Override
    public String name() {
        return "nqueenk";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("w", 1),
                Parameter.between("n", 1, MAX_QUEENS),
                Parameter.between("t", 1, 20),
                Parameter.atLeast("k", 1),
                Parameter.between("p", 1, 29));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Settings settings = new Settings(
                parameters.length("w"),
                parameters.length("n"),
                parameters.length("t"),
                parameters.get("k"),
                parameters.length("p"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, settings)));
        if (report.results < settings.wanted) {
            return Outcome.of(report.results, Map.of("items", report.items));
        }
        // It ended early, so that the number of items depends on scheduling.
        return Outcome.of(settings.wanted, Map.of())
                .withMetrics(Map.of("results", report.results, "items", report.items));
    }
}
