package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Cigarette Smokers: an arbiter hands out the next cigarette as soon as the last smoker has begun. */
final class CigaretteSmokers implements Benchmark {
    private enum Signal {
        START,
        STARTED,
        EXIT
    }

    private record Smoke(long work) {}

    /** By smoker, each element written by one of them before it stops. */
    private record Report(long[] smoked, long[] busySum) {}

    private static final class Arbiter extends Actor {
        private final Report report;
        private final long roundsDue;
        private final Rng rng;
        private final ActorRef[] smokers;
        private long rounds;

        Arbiter(Report report, long roundsDue) {
            this.report = report;
            this.roundsDue = roundsDue;
            this.smokers = new ActorRef[report.smoked.length];
            this.rng = new Rng(roundsDue * smokers.length);
        }

        /** Smokers may still be busy when the arbiter stops. */
        @Override
        protected void started() {
            for (int id = 0; id < smokers.length; id++) {
                smokers[id] = spawnTopLevel(new Smoker(report, self(), id));
            }
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.STARTED) {
                rounds++;
                if (rounds >= roundsDue) {
                    end();
                } else {
                    choose();
                }
            } else if (message == Signal.START) {
                choose();
            } else {
                throw unexpected(message);
            }
        }

        private void choose() {
            int chosen = (int) rng.scaled(smokers.length);
            smokers[chosen].send(new Smoke(rng.below(1000) + 10));
        }

        private void end() {
            for (ActorRef smoker : smokers) {
                smoker.send(Signal.EXIT);
            }
            stop();
        }
    }

    private static final class Smoker extends Actor {
        private final Report report;
        private final ActorRef arbiter;
        private final int id;
        private long smoked;
        private long busySum;

        Smoker(Report report, ActorRef arbiter, int id) {
            this.report = report;
            this.arbiter = arbiter;
            this.id = id;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Smoke smoke) {
                arbiter.send(Signal.STARTED);
                smoked++;
                busySum += Busy.busy(smoke.work);
            } else if (message == Signal.EXIT) {
                report.smoked[id] = smoked;
                report.busySum[id] = busySum;
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "cigsmok";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("rounds", 1), Parameter.atLeast("smokers", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int smokers = parameters.length("smokers");
        Report report = new Report(new long[smokers], new long[smokers]);
        run.timed(() -> run.spawn(new Arbiter(report, parameters.get("rounds"))).send(Signal.START));
        return Outcome.of(Sums.weighted(report.smoked), Map.of("busy_sum", Sums.of(report.busySum)))
                .withPerActor("smoked", report.smoked);
    }
}
