package scoville.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** A-Star Search on a 3-D Grid: a master deals out nodes, and workers claim what they reach in a shared graph. */
final class AStar implements Benchmark {
    private enum Signal {
        RECEIVED,
        FOUND,
        STOP
    }

    private record Work(int node, int target, int priority) {}

    private record NewWork(int node, int target, int priority) {}

    private record Stopped(long processed, long spins) {}

    /** Written by the master before it stops. */
    private static final class Report {
        long items;
        long processed;
        long spins;
        boolean found;
    }

    /** How to search. */
    private record Settings(int workers, long nodesPerItem, long priorities, boolean first) {}

    private static final class Master extends Actor {
        private final Report report;
        private final Grid grid;
        private final Settings settings;
        private final ActorRef[] workers;
        private long sent;
        private long completed;
        private int stopped;
        private boolean stopping;

        Master(Report report, Grid grid, Settings settings) {
            this.report = report;
            this.grid = grid;
            this.settings = settings;
            this.workers = new ActorRef[settings.workers];
        }

        @Override
        protected void started() {
            for (int i = 0; i < workers.length; i++) {
                workers[i] = spawn(new Worker(self(), grid, settings));
            }
            dispatch(new Work(0, grid.target(), priority(grid, settings, 0)));
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof NewWork work) {
                if (!stopping) {
                    dispatch(new Work(work.node, work.target, work.priority));
                }
            } else if (message == Signal.RECEIVED) {
                completed++;
                if (completed == sent) {
                    beginStopping();
                }
            } else if (message instanceof Stopped totals) {
                workerStopped(totals);
            } else if (message == Signal.FOUND) {
                report.found = true;
                beginStopping();
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

        private void workerStopped(Stopped totals) {
            report.processed += totals.processed;
            report.spins += totals.spins;
            stopped++;
            if (stopped == workers.length) {
                report.items = sent;
                stop();
            }
        }
    }

    /** Carried by the messages; orders nothing. */
    private static int priority(Grid grid, Settings settings, int node) {
        return (int) Math.abs(settings.priorities - grid.distance(node) / 8);
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final Grid grid;
        private final Settings settings;

        /** Nodes of the current item: those before `next` are done, those from `end` on are garbage. */
        private int[] queue = new int[16];

        private int next;
        private int end;
        private long processed;
        private long spins;

        Worker(ActorRef master, Grid grid, Settings settings) {
            this.master = master;
            this.grid = grid;
            this.settings = settings;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Work work) {
                if (search(work)) {
                    master.send(Signal.FOUND);
                } else {
                    handBack(work.target);
                }
                master.send(Signal.RECEIVED);
            } else if (message == Signal.STOP) {
                master.send(new Stopped(processed, spins));
                stop();
            } else {
                throw unexpected(message);
            }
        }

        /** Expands nodes until none is left or there were enough; in mode first ends at the target. */
        private boolean search(Work work) {
            next = 0;
            end = 0;
            add(work.node);
            for (long done = 0; next < end && done < settings.nodesPerItem; done++) {
                int node = queue[next++];
                spins += Busy.spin(node, 100);
                processed++;
                for (int neighbour : grid.neighbours(node)) {
                    if (!grid.claim(neighbour, node)) {
                        continue;
                    }
                    if (settings.first && neighbour == work.target) {
                        return true;
                    }
                    add(neighbour);
                }
            }
            return false;
        }

        private void add(int node) {
            if (end == queue.length) {
                queue = Arrays.copyOf(queue, 2 * end);
            }
            queue[end++] = node;
        }

        private void handBack(int target) {
            for (int at = next; at < end; at++) {
                master.send(new NewWork(queue[at], target, priority(grid, settings, queue[at])));
            }
        }
    }

    @Override
    public String name() {
        return "astar";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.between("w", 1, 4096),
                Parameter.between("g", 5, 248),
                Parameter.atLeast("t", 1),
                Parameter.between("p", 1, 31),
                Parameter.oneOf("mode", "exhaust", "first"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        boolean first = parameters.word("mode").equals("first");
        Settings settings = new Settings(parameters.length("w"), parameters.get("t"), parameters.get("p"), first);
        Grid grid = new Grid(parameters.length("g"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, grid, settings)));
        if (!first) {
            return Outcome.of(report.processed, Map.of("spins", report.spins))
                    .withMetrics(Map.of("items", report.items));
        }
        long pathLength = grid.pathLength();
        return Outcome.of(report.found ? 1L : 0L, Map.of("valid", pathLength < 0 ? 0L : 1L))
                .withMetrics(Map.of("items", report.items, "processed", report.processed, "path_length", pathLength));
    }
}
