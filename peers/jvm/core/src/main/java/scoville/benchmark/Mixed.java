package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Mixed Scenario: rings of short-lived actors pass a token on while numerical workers factorise. */
final class Mixed implements Benchmark {
    private enum Signal {
        START,
        QUIT
    }

    private record Calc(long number) {}

    private record Result(LongList factors) {}

    private record Token(long value) {}

    private record MasterDone(long rounds) {}

    /** Written by the tally before it stops. */
    private static final class Report {
        long factorSum;
        long results;
        long rounds;
    }

    /** How much there is of what. */
    private record Settings(int rings, long size, long token, long repetitions, long number) {}

    private static final class Tally extends Actor {
        private final Report report;
        private final Settings settings;
        private long masters;

        Tally(Report report, Settings settings) {
            this.report = report;
            this.settings = settings;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Result result) {
                add(result.factors);
            } else if (message instanceof MasterDone done) {
                report.rounds += done.rounds;
                masters++;
            } else {
                throw unexpected(message);
            }
            if (masters == settings.rings && report.results == settings.rings * settings.repetitions) {
                stop();
            }
        }

        private void add(LongList factors) {
            require(
                    factors.size() == 2 && factors.get(0) * factors.get(1) == settings.number,
                    "a number was not factorised into two");
            report.results++;
            report.factorSum += factors.get(0) + factors.get(1);
        }
    }

    private static final class Master extends Actor {
        private final ActorRef tally;
        private final Settings settings;
        private ActorRef worker;
        private ActorRef lastLink;
        private long repetition;
        private long rounds;

        Master(ActorRef tally, Settings settings) {
            this.tally = tally;
            this.settings = settings;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Token token) {
                rounds++;
                if (token.value > 0) {
                    lastLink.send(new Token(token.value - 1));
                } else if (repetition < settings.repetitions) {
                    begin();
                } else {
                    end();
                }
            } else if (message == Signal.START) {
                worker = spawnTopLevel(new Worker(tally)); // may have much to do when the master stops
                begin();
            } else {
                throw unexpected(message);
            }
        }

        private void begin() {
            repetition++;
            worker.send(new Calc(settings.number));
            ActorRef next = self();
            for (long link = 1; link < settings.size; link++) {
                next = spawn(new Link(next));
            }
            lastLink = next;
            lastLink.send(new Token(settings.token));
        }

        private void end() {
            worker.send(Signal.QUIT);
            tally.send(new MasterDone(rounds));
            stop();
        }
    }

    private static final class Link extends Actor {
        private final ActorRef next;

        Link(ActorRef next) {
            this.next = next;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Token token)) {
                throw unexpected(message);
            }
            next.send(new Token(token.value));
            if (token.value == 0) {
                stop();
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef tally;

        Worker(ActorRef tally) {
            this.tally = tally;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Calc calc) {
                tally.send(new Result(factorise(calc.number)));
            } else if (message == Signal.QUIT) {
                stop();
            } else {
                throw unexpected(message);
            }
        }

        /** Tries 2 and all odd numbers; that it does not stop at the square root is the work. */
        private static LongList factorise(long number) {
            LongList factors = new LongList(2);
            long x = number;
            long d = 2;
            while (d < x) {
                if (x % d == 0) {
                    factors.add(d);
                    x /= d;
                } else {
                    d = d == 2 ? 3 : d + 2;
                }
            }
            factors.add(d);
            return factors;
        }
    }

    @Override
    public String name() {
        return "mixed";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("rings", 1),
                Parameter.atLeast("size", 2),
                Parameter.atLeast("token", 0),
                Parameter.atLeast("reps", 1),
                Parameter.integer("number"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Settings settings = new Settings(
                parameters.length("rings"),
                parameters.get("size"),
                parameters.get("token"),
                parameters.get("reps"),
                parameters.get("number"));
        Report report = new Report();
        run.timed(() -> {
            ActorRef tally = run.spawn(new Tally(report, settings));
            ActorRef[] masters = new ActorRef[settings.rings];
            for (int ring = 0; ring < masters.length; ring++) {
                masters[ring] = run.spawn(new Master(tally, settings));
            }
            for (ActorRef master : masters) {
                master.send(Signal.START);
            }
        });
        return Outcome.of(report.factorSum, Map.of("results", report.results, "rounds", report.rounds));
    }
}
