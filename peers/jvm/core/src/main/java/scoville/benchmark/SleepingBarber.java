package scoville.benchmark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Sleeping Barber: customers wait in a room for one barber, and come back at once if the room is full. */
final class SleepingBarber implements Benchmark {
    private enum Signal {
        START,
        FULL,
        WAIT,
        NEXT,
        SIT,
        LEAVE,
        SLEEP,
        CLOSE
    }

    private record Enter(ActorRef customer) {}

    private record Returned(ActorRef from) {}

    private record Serve(ActorRef customer, ActorRef room) {}

    private record Done(long id) {}

    /** Each field and each element of the array, by customer, is written by one actor before it stops. */
    private static final class Report {
        final long[] refused;
        long barberBusy;
        long sleeps;
        long attempts;
        long idSum;
        long factoryBusy;

        Report(int haircuts) {
            refused = new long[haircuts];
        }
    }

    private static final class Barber extends Actor {
        private final Report report;
        private final long haircuts;
        private final long work;
        private final Rng rng = new Rng(Rng.DEFAULT_SEED);
        private long cuts;
        private long busySum;
        private long sleeps;

        Barber(Report report, long haircuts, long work) {
            this.report = report;
            this.haircuts = haircuts;
            this.work = work;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Serve serve) {
                serve.customer.send(Signal.SIT);
                cuts++;
                busySum += Busy.busy(rng.below(work) + 10);
                serve.customer.send(Signal.LEAVE);
                serve.room.send(Signal.NEXT);
            } else if (message == Signal.SLEEP) {
                sleeps++;
            } else if (message == Signal.CLOSE) {
                require(cuts == haircuts, "the barber made another number of haircuts than were due");
                report.barberBusy = busySum;
                report.sleeps = sleeps;
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Room extends Actor {
        private final ActorRef barber;
        private final long chairs;
        private final ArrayDeque<ActorRef> waiting = new ArrayDeque<>();
        private boolean asleep = true;
        private boolean closing;

        Room(ActorRef barber, long chairs) {
            this.barber = barber;
            this.chairs = chairs;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Enter enter) {
                enter(enter.customer);
            } else if (message == Signal.NEXT) {
                next();
            } else if (message == Signal.CLOSE) {
                closing = true;
                if (asleep) { // otherwise the barber's last Next is still on its way
                    close();
                }
            } else {
                throw unexpected(message);
            }
        }

        private void enter(ActorRef customer) {
            if (waiting.size() == chairs) {
                customer.send(Signal.FULL);
                return;
            }
            waiting.add(customer);
            if (asleep) {
                asleep = false;
                self().send(Signal.NEXT);
            } else {
                customer.send(Signal.WAIT);
            }
        }

        private void next() {
            if (!waiting.isEmpty()) {
                barber.send(new Serve(waiting.remove(), self()));
            } else if (closing) {
                close();
            } else {
                barber.send(Signal.SLEEP);
                asleep = true;
            }
        }

        private void close() {
            barber.send(Signal.CLOSE);
            stop();
        }
    }

    /** Creates the customers, and sends those who were refused again. */
    private static final class Factory extends Actor {
        private final Report report;
        private final ActorRef room;
        private final int haircuts;
        private final long work;
        private long attempts;
        private long served;
        private long idSum;
        private long busySum;

        Factory(Report report, ActorRef room, int haircuts, long work) {
            this.report = report;
            this.room = room;
            this.haircuts = haircuts;
            this.work = work;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Returned returned) {
                attempts++;
                room.send(new Enter(returned.from));
            } else if (message instanceof Done done) {
                done(done.id);
            } else if (message == Signal.START) {
                createAll();
            } else {
                throw unexpected(message);
            }
        }

        private void createAll() {
            Rng rng = new Rng(Rng.DEFAULT_SEED);
            for (int id = 1; id <= haircuts; id++) {
                ActorRef customer = spawn(new Customer(report, self(), id));
                attempts++;
                room.send(new Enter(customer));
                busySum += Busy.busy(rng.below(work) + 10);
            }
        }

        private void done(long id) {
            served++;
            idSum += id;
            if (served == haircuts) {
                report.idSum = idSum;
                report.factoryBusy = busySum;
                report.attempts = attempts;
                room.send(Signal.CLOSE);
                stop();
            }
        }
    }

    private static final class Customer extends Actor {
        private final Report report;
        private final ActorRef factory;
        private final int id;
        private long refused;

        Customer(Report report, ActorRef factory, int id) {
            this.report = report;
            this.factory = factory;
            this.id = id;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.FULL) {
                refused++;
                factory.send(new Returned(self()));
            } else if (message == Signal.LEAVE) {
                report.refused[id - 1] = refused;
                factory.send(new Done(id));
                stop();
            } else if (message != Signal.WAIT && message != Signal.SIT) {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "barber";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("haircuts", 1),
                Parameter.atLeast("chairs", 1),
                Parameter.between("arrival_work", 1, 65536),
                Parameter.between("haircut_work", 1, 65536));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int haircuts = parameters.length("haircuts");
        Report report = new Report(haircuts);
        run.timed(() -> {
            ActorRef barber = run.spawn(new Barber(report, haircuts, parameters.get("haircut_work")));
            ActorRef room = run.spawn(new Room(barber, parameters.get("chairs")));
            run.spawn(new Factory(report, room, haircuts, parameters.get("arrival_work")))
                    .send(Signal.START);
        });
        return Outcome.of(report.idSum, Map.of("factory_busy", report.factoryBusy, "barber_busy", report.barberBusy))
                .withMetrics(Map.of("attempts", report.attempts, "sleeps", report.sleeps))
                .withPerActor("refused", report.refused);
    }
}
