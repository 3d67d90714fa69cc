package scoville.benchmark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Logistic Map Series: workers ask their computers for each next term, and defer all else until it comes. */
final class LogisticMap implements Benchmark {
    private enum Signal {
        START,
        NEXT_TERM,
        GET_TERM,
        STOP
    }

    private record Compute(ActorRef from, double x) {}

    private record Value(double x) {}

    private record Term(int series, double x, double orbit, long steps) {}

    /** How much there is of what. */
    private record Sizes(long terms, int series, double startRate, double increment) {}

    /** Written by the master before it stops. */
    private static final class Report {
        double termSum;
        double orbitSum;
        long steps;
    }

    private static final class Master extends Actor {
        private final Report report;
        private final Sizes sizes;
        private final ActorRef[] computers;
        private final ActorRef[] workers;
        private final Term[] answers;
        private int answered;

        Master(Report report, Sizes sizes) {
            this.report = report;
            this.sizes = sizes;
            this.computers = new ActorRef[sizes.series];
            this.workers = new ActorRef[sizes.series];
            this.answers = new Term[sizes.series];
        }

        /** They are told to stop and do so after the master. */
        @Override
        protected void started() {
            for (int i = 0; i < sizes.series; i++) {
                computers[i] = spawnTopLevel(new Computer(sizes.startRate + i * sizes.increment));
            }
            for (int i = 0; i < sizes.series; i++) {
                workers[i] = spawnTopLevel(new Worker(self(), computers[i], i, i * sizes.increment));
            }
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Term term) {
                answers[term.series] = term;
                answered++;
                if (answered == sizes.series) {
                    end();
                }
            } else if (message == Signal.START) {
                request();
            } else {
                throw unexpected(message);
            }
        }

        private void request() {
            for (long t = 0; t < sizes.terms; t++) {
                sendAll(workers, Signal.NEXT_TERM);
            }
            sendAll(workers, Signal.GET_TERM);
        }

        private void end() {
            for (Term term : answers) {
                report.termSum += term.x;
                report.orbitSum += term.orbit;
                report.steps += term.steps;
            }
            sendAll(computers, Signal.STOP);
            sendAll(workers, Signal.STOP);
            stop();
        }

        private static void sendAll(ActorRef[] receivers, Signal signal) {
            for (ActorRef receiver : receivers) {
                receiver.send(signal);
            }
        }
    }

    private static final class Computer extends Actor {
        private final double rate;

        Computer(double rate) {
            this.rate = rate;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Compute compute) {
                compute.from.send(new Value((rate * compute.x) * (1 - compute.x)));
            } else if (message == Signal.STOP) {
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final ActorRef computer;
        private final int series;
        private final ArrayDeque<Signal> deferred = new ArrayDeque<>();
        private double x;
        private double orbit;
        private long steps;
        private boolean waiting;

        Worker(ActorRef master, ActorRef computer, int series, double x) {
            this.master = master;
            this.computer = computer;
            this.series = series;
            this.x = x;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Value value) {
                accept(value.x);
                while (!waiting && !deferred.isEmpty()) {
                    serve(deferred.remove());
                }
            } else if (message instanceof Signal request) {
                if (waiting) {
                    deferred.add(request);
                } else {
                    serve(request);
                }
            } else {
                throw unexpected(message);
            }
        }

        private void accept(double y) {
            require(waiting, "a worker received a value that it did not ask for");
            x = y;
            orbit += y;
            steps++;
            waiting = false;
        }

        /** Stop is always the last request. */
        private void serve(Signal request) {
            switch (request) {
                case NEXT_TERM -> {
                    computer.send(new Compute(self(), x));
                    waiting = true;
                }
                case GET_TERM -> master.send(new Term(series, x, orbit, steps));
                case STOP -> stop();
                default -> throw unexpected(request);
            }
        }
    }

    @Override
    public String name() {
        return "logmap";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("terms", 0),
                Parameter.between("series", 1, 217),
                Parameter.number("start_rate"),
                Parameter.number("increment"));
    }

    @Override
    public Map<String, String> labels() {
        return Map.of("stash", "local");
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Sizes sizes = new Sizes(
                parameters.get("terms"),
                parameters.length("series"),
                parameters.number("start_rate"),
                parameters.number("increment"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, sizes)).send(Signal.START));
        return Outcome.of(report.termSum, Map.of("orbit_sum", report.orbitSum, "steps", report.steps));
    }
}
