package scoville.benchmark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Fork Join (throughput): the driver sends to many actors in turn, from outside the actor system. */
final class ForkJoinThroughput implements Benchmark {
    private record Work(double theta) {}

    /** Its field never changes, so one object serves all sends. */
    private static final Work WORK = new Work(37.2);

    private static final class Report {
        final LongAdder result = new LongAdder();
        final DoubleAdder sum = new DoubleAdder();
    }

    private static final class Worker extends Actor {
        private final Report report;
        private final long id;
        private final long messages;
        private long count;
        private double sum;

        Worker(Report report, long id, long messages) {
            this.report = report;
            this.id = id;
            this.messages = messages;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Work work)) {
                throw unexpected(message);
            }
            double s = Math.sin(work.theta);
            double r = s * s;
            require(r > 0, "the square of the sine is not positive");
            sum += r;
            count++;
            if (count == messages) {
                report.result.add((id + 1) * count);
                report.sum.add(sum);
                stop();
            }
        }
    }

    @Override
    public String name() {
        return "fjthrput";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("messages", 1), Parameter.atLeast("actors", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        long messages = parameters.get("messages");
        int actors = parameters.length("actors");
        Report report = new Report();
        run.timed(() -> {
            ActorRef[] workers = new ActorRef[actors];
            for (int id = 0; id < actors; id++) {
                workers[id] = run.spawn(new Worker(report, id, messages));
            }
            for (long m = 0; m < messages; m++) {
                for (ActorRef worker : workers) {
                    worker.send(WORK);
                }
            }
        });
        return Outcome.of(report.result.sum(), Map.of("sum", report.sum.sum()));
    }
}
