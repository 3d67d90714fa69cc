package scoville.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Big with Neighbourhoods: every actor pings random others of its neighbourhood, one ping at a time. */
final class BigNeighbours implements Benchmark {
    private enum Signal {
        EXIT,
        STOP
    }

    private record Workers(ActorRef[] refs) {}

    /** One array for the whole neighbourhood; nobody changes it. */
    private record Neighbours(ActorRef[] refs) {}

    private record Ping(int id, ActorRef from) {}

    private record Pong(int id) {}

    private record Stopped(long pings, long pongs, long weighted, long errors) {}

    /** Written by the sink before it stops. */
    private static final class Report {
        long pings;
        long pongs;
        long weighted;
        long errors;
    }

    private static final class Sink extends Actor {
        private final Report report;
        private ActorRef[] workers;
        private int exits;
        private int stopped;

        Sink(Report report) {
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Stopped totals) {
                add(totals);
            } else if (message == Signal.EXIT) {
                exits++;
                if (exits == workers.length) {
                    for (ActorRef worker : workers) {
                        worker.send(Signal.STOP);
                    }
                }
            } else if (message instanceof Workers list) {
                workers = list.refs;
            } else {
                throw unexpected(message);
            }
        }

        private void add(Stopped totals) {
            report.pings += totals.pings;
            report.pongs += totals.pongs;
            report.weighted += totals.weighted;
            report.errors += totals.errors;
            stopped++;
            if (stopped == workers.length) {
                stop();
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef sink;
        private final long pings;
        private final int global;
        private final int local;
        private final Rng rng;
        private ActorRef[] neighbours;
        private long sent;
        private int expected = -1;
        private long pingsReceived;
        private long pongsReceived;
        private long errors;

        Worker(ActorRef sink, long pings, int global, int local) {
            this.sink = sink;
            this.pings = pings;
            this.global = global;
            this.local = local;
            this.rng = new Rng(global);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Ping ping) {
                pingsReceived++;
                ping.from.send(new Pong(local));
            } else if (message instanceof Pong pong) {
                pong(pong.id);
            } else if (message instanceof Neighbours list) {
                neighbours = list.refs;
            } else if (message == Signal.STOP) {
                long weighted = pingsReceived * (global % 97 + 1);
                sink.send(new Stopped(pingsReceived, pongsReceived, weighted, errors));
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void pong(int from) {
            errors += from == expected ? 0 : 1;
            pongsReceived += from >= 0 ? 1 : 0;
            if (sent == pings) {
                sink.send(Signal.EXIT);
                return;
            }
            expected = (int) rng.below(neighbours.length);
            sent++;
            neighbours[expected].send(new Ping(local, self()));
        }
    }

    @Override
    public String name() {
        return "bigneighbours";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("workers", 1), Parameter.atLeast("hood", 1), Parameter.atLeast("pings", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int count = parameters.length("workers");
        long hood = parameters.get("hood");
        Report report = new Report();
        run.timed(() -> {
            ActorRef sink = run.spawn(new Sink(report));
            int hoods = (int) Math.max(1, count / hood);
            ActorRef[] workers = new ActorRef[count];
            for (int g = 0; g < count; g++) {
                int local = (int) (g - Math.min(g / hood, hoods - 1) * hood);
                workers[g] = run.spawn(new Worker(sink, parameters.get("pings"), g, local));
            }
            sink.send(new Workers(workers));
            for (int k = 0; k < hoods; k++) {
                // The last neighbourhood has the remainder, too.
                int end = k == hoods - 1 ? count : (int) ((k + 1) * hood);
                ActorRef[] members = Arrays.copyOfRange(workers, (int) (k * hood), end);
                Neighbours neighbours = new Neighbours(members);
                for (ActorRef member : members) {
                    member.send(neighbours);
                }
            }
            for (ActorRef worker : workers) {
                worker.send(new Pong(-1));
            }
        });
        return Outcome.of(
                report.weighted, Map.of("pings", report.pings, "pongs", report.pongs, "errors", report.errors));
    }
}
