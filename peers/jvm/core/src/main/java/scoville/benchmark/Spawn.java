package scoville.benchmark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Dormant Processes: creates actors, and proves afterwards that all of them live. */
final class Spawn implements Benchmark {
    private enum Signal {
        WAKE,
        STOP
    }

    private record Awake(long id) {}

    /** Written by the tally before it stops. */
    private static final class Report {
        final CompletableFuture<Long> finishedAt = new CompletableFuture<>();
        long count;
        long idSum;
    }

    private static final class Tally extends Actor {
        private final Report report;
        private final long actors;

        Tally(Report report, long actors) {
            this.report = report;
            this.actors = actors;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Awake awake)) {
                throw unexpected(message);
            }
            report.count++;
            report.idSum += awake.id;
            if (report.count == actors) {
                report.finishedAt.complete(System.nanoTime());
                stop();
            }
        }
    }

    private static final class Dormant extends Actor {
        private final ActorRef tally;
        private final long id;

        Dormant(ActorRef tally, long id) {
            this.tally = tally;
            this.id = id;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.WAKE) {
                tally.send(new Awake(id));
            } else if (message == Signal.STOP) {
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    /** Lives for one handler. */
    private static final class Mayfly extends Actor {
        @Override
        protected void started() {
            stop();
        }

        @Override
        protected void receive(Object message) {
            throw unexpected(message);
        }
    }

    /** What memory there is, and how it grew for each actor. */
    private record Memory(long resident, long heap) {
        static Memory now() {
            return new Memory(ResidentMemory.bytes(), ResidentMemory.heapBytes());
        }

        static double perActor(long before, long after, long actors) {
            return (double) (after - before) / actors;
        }
    }

    @Override
    public String name() {
        return "spawn";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("n", 1));
    }

    @Override
    public boolean measuresMemory() {
        return true;
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int n = parameters.length("n");
        Report report = new Report();
        ActorRef tally = run.spawnLasting(new Tally(report, n));
        run.rehearse(new Mayfly());
        ActorRef[] actors = new ActorRef[n];
        ResidentMemory.collect();
        Memory before = Memory.now();
        run.timed(() -> {
            for (int id = 0; id < n; id++) {
                actors[id] = run.spawnLasting(new Dormant(tally, id));
            }
        });
        run.settle();
        ResidentMemory.collect();
        pause();
        Memory dormant = Memory.now();
        long wokenAt = System.nanoTime();
        Memory[] awake = new Memory[1];
        run.check(() -> {
            for (ActorRef actor : actors) {
                actor.send(Signal.WAKE);
            }
            run.await(report.finishedAt);
            awake[0] = Memory.now();
            for (ActorRef actor : actors) {
                actor.dismiss(Signal.STOP);
            }
        });
        return Outcome.of(report.idSum, Map.of("awake", report.count))
                .withMetrics(Map.of(
                        "t_spawn", run.elapsed(),
                        "t_wake", report.finishedAt.join() - wokenAt,
                        "bytes_dormant", Memory.perActor(before.resident, dormant.resident, n),
                        "bytes_awake", Memory.perActor(before.resident, awake[0].resident, n),
                        "heap_bytes_dormant", Memory.perActor(before.heap, dormant.heap, n)));
    }

    /** Not by parking, which ends at once if somebody has just unparked this thread, as those do who complete a future. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException("the driver was interrupted", interrupt);
        }
    }
}
