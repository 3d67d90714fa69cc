package scoville.lift;

import java.util.concurrent.ForkJoinPool;
import net.liftweb.actor.ILAExecute;
import net.liftweb.actor.LAScheduler;
import net.liftweb.actor.LiftActor;
import scala.Function0;
import scala.runtime.BoxedUnit;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.PoolTask;
import scoville.actor.WorkerPool;

/** Lift's actors. */
public final class LiftLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "lift";
    }

    @Override
    public String version() {
        return Artifact.versionOf(LiftActor.class);
    }

    /** Lift has one scheduler for all of the process. Its own pool has a bounded queue and refuses tasks when that is full. */
    @Override
    public Runtime start(int workers) {
        ForkJoinPool pool = WorkerPool.start(workers);
        LAScheduler.createExecutor_$eq(() -> new OnPool(pool));
        return new Started(pool);
    }

    private record Started(ForkJoinPool pool) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return LiftCell.create(actor, this);
        }

        @Override
        public int workers() {
            return pool.getParallelism();
        }

        @Override
        public void close() {
            LAScheduler.shutdown();
            pool.shutdownNow();
        }
    }

    private record OnPool(ForkJoinPool pool) implements ILAExecute {
        @Override
        public void execute(Function0<BoxedUnit> task) {
            pool.execute(new Step(task));
        }

        @Override
        public void shutdown() {
            pool.shutdown();
        }
    }

    @SuppressWarnings("serial") // as all tasks
    private static final class Step extends PoolTask {
        private final Function0<BoxedUnit> step;

        Step(Function0<BoxedUnit> step) {
            this.step = step;
        }

        @Override
        protected void run() {
            step.apply();
        }
    }
}
