package scoville.benchmark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import scoville.actor.Actor;
import scoville.actor.Run;

/** Fork Join (actor creation): actors that live for one message, made one after the other. */
final class ForkJoinCreate implements Benchmark {
    private record Work(double theta) {}

    /** Its field never changes, so one object serves all sends. */
    private static final Work WORK = new Work(37.2);

    private static final class Worker extends Actor {
        private final AtomicLong sum;
        private final long id;

        Worker(AtomicLong sum, long id) {
            this.sum = sum;
            this.id = id;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Work work)) {
                throw unexpected(message);
            }
            double s = Math.sin(work.theta);
            double r = s * s;
            require(r > 0, "the square of the sine is not positive");
            sum.addAndGet(id);
            stop();
        }
    }

    @Override
    public String name() {
        return "fjcreate";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("actors", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        long actors = parameters.get("actors");
        AtomicLong sum = new AtomicLong();
        run.timed(() -> {
            for (long id = 1; id <= actors; id++) {
                run.spawn(new Worker(sum, id)).send(WORK);
            }
        });
        return Outcome.of(sum.get(), Map.of());
    }
}
