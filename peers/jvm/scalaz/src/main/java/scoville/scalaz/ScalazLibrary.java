package scoville.scalaz;

import java.util.concurrent.ForkJoinPool;
import scala.Function0;
import scalaz.concurrent.Strategy;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.PoolTask;
import scoville.actor.WorkerPool;

/** Scalaz's actors. */
public final class ScalazLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "scalaz";
    }

    @Override
    public String version() {
        return Artifact.versionOf(scalaz.concurrent.Actor.class);
    }

    @Override
    public Runtime start(int workers) {
        ForkJoinPool pool = WorkerPool.start(workers);
        return new Started(pool, new OnPool(pool));
    }

    private record Started(ForkJoinPool pool, Strategy strategy) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return ScalazCell.create(strategy, actor, this);
        }

        @Override
        public int workers() {
            return pool.getParallelism();
        }

        @Override
        public void close() {
            pool.shutdownNow();
        }
    }

    /** Scalaz's own strategy for a pool makes a Future each time, which an actor never asks. */
    record OnPool(ForkJoinPool pool) implements Strategy {
        @Override
        public <A> Function0<A> apply(Function0<A> task) {
            pool.execute(new Step(task));
            return () -> {
                throw new UnsupportedOperationException("an actor does not wait for its own step");
            };
        }
    }

    @SuppressWarnings("serial") // as all tasks
    private static final class Step extends PoolTask {
        private final Function0<?> step;

        Step(Function0<?> step) {
            this.step = step;
        }

        @Override
        protected void run() {
            step.apply();
        }
    }
}
