package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Dining Philosophers: an arbitrator lends the forks, and who is denied asks again at once. */
final class DiningPhilosophers implements Benchmark {
    private enum Signal {
        START,
        EAT,
        DENIED
    }

    private record Hungry(ActorRef from, int id) {}

    private record Done(int id) {}

    private record Exit(long denied) {}

    /** The array by philosopher, each element written by one of them; the rest is the arbitrator's. */
    private static final class Report {
        final long[] denied;
        long[] meals;
        long retries;
        long errors;
        long messages;

        Report(int philosophers) {
            denied = new long[philosophers];
        }
    }

    private static final class Arbitrator extends Actor {
        private final Report report;
        private final int philosophers;
        private final boolean[] taken;
        private final long[] meals;
        private long exited;
        private long retries;
        private long errors;
        private long messages;

        Arbitrator(Report report, int philosophers) {
            this.report = report;
            this.philosophers = philosophers;
            this.taken = new boolean[philosophers];
            this.meals = new long[philosophers];
        }

        @Override
        protected void receive(Object message) {
            messages++;
            if (message instanceof Hungry hungry) {
                lend(hungry);
            } else if (message instanceof Done done) {
                takeBack(done.id, rightOf(done.id));
            } else if (message instanceof Exit exit) {
                leave(exit);
            } else {
                throw unexpected(message);
            }
        }

        private int rightOf(int id) {
            return id + 1 == philosophers ? 0 : id + 1;
        }

        private void lend(Hungry hungry) {
            int left = hungry.id;
            int right = rightOf(left);
            if (taken[left] || taken[right]) {
                hungry.from.send(Signal.DENIED);
                return;
            }
            taken[left] = true;
            taken[right] = true;
            meals[left]++;
            hungry.from.send(Signal.EAT);
        }

        private void takeBack(int left, int right) {
            if (!taken[left] || !taken[right]) {
                errors++;
            }
            taken[left] = false;
            taken[right] = false;
        }

        private void leave(Exit exit) {
            exited++;
            retries += exit.denied;
            if (exited < philosophers) {
                return;
            }
            for (boolean fork : taken) {
                errors += fork ? 1 : 0;
            }
            report.meals = meals;
            report.retries = retries;
            report.errors = errors;
            report.messages = messages;
            stop();
        }
    }

    private static final class Philosopher extends Actor {
        private final Report report;
        private final ActorRef arbitrator;
        private final int id;
        private final long rounds;
        private long eaten;
        private long denied;

        Philosopher(Report report, ActorRef arbitrator, int id, long rounds) {
            this.report = report;
            this.arbitrator = arbitrator;
            this.id = id;
            this.rounds = rounds;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.DENIED) {
                denied++;
                arbitrator.send(new Hungry(self(), id));
            } else if (message == Signal.EAT) {
                eat();
            } else if (message == Signal.START) {
                arbitrator.send(new Hungry(self(), id));
            } else {
                throw unexpected(message);
            }
        }

        private void eat() {
            eaten++;
            arbitrator.send(new Done(id));
            if (eaten < rounds) {
                self().send(Signal.START);
            } else {
                arbitrator.send(new Exit(denied));
                report.denied[id] = denied;
                stop();
            }
        }
    }

    @Override
    public String name() {
        return "philosopher";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("philosophers", 1), Parameter.atLeast("rounds", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int philosophers = parameters.length("philosophers");
        Report report = new Report(philosophers);
        run.timed(() -> {
            ActorRef arbitrator = run.spawn(new Arbitrator(report, philosophers));
            ActorRef[] refs = new ActorRef[philosophers];
            for (int id = 0; id < philosophers; id++) {
                refs[id] = run.spawn(new Philosopher(report, arbitrator, id, parameters.get("rounds")));
            }
            for (ActorRef philosopher : refs) {
                philosopher.send(Signal.START);
            }
        });
        return Outcome.of(Sums.weighted(report.meals), Map.of("errors", report.errors))
                .withMetrics(Map.of("retries", report.retries, "arbitrator_messages", report.messages))
                .withPerActor("denied", report.denied);
    }
}
