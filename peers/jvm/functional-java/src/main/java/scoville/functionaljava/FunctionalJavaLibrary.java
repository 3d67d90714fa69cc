package scoville.functionaljava;

import fj.P;
import fj.P1;
import fj.Unit;
import fj.control.parallel.Strategy;
import java.util.concurrent.ForkJoinPool;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.PoolTask;
import scoville.actor.WorkerPool;

/** Functional Java's queue actors. Its plain actors handle messages concurrently and in no order. */
public final class FunctionalJavaLibrary implements ActorLibrary {
    private static final P1<Unit> NOT_WAITED_FOR = P.lazy(() -> {
        throw new UnsupportedOperationException("an actor does not wait for its own step");
    });

    @Override
    public String name() {
        return "functional-java";
    }

    @Override
    public String version() {
        return Artifact.versionOf(fj.control.parallel.Actor.class);
    }

    @Override
    public Runtime start(int workers) {
        ForkJoinPool pool = WorkerPool.start(workers);
        // Functional Java's own strategy for a pool makes a Future each time, which an actor never asks.
        Strategy<Unit> strategy = Strategy.strategy(step -> {
            pool.execute(new Step(step));
            return NOT_WAITED_FOR;
        });
        return new Started(pool, strategy);
    }

    private record Started(ForkJoinPool pool, Strategy<Unit> strategy) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return FunctionalJavaCell.create(strategy, actor, this);
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

    @SuppressWarnings("serial") // as all tasks
    private static final class Step extends PoolTask {
        private final P1<Unit> step;

        Step(P1<Unit> step) {
            this.step = step;
        }

        @Override
        protected void run() {
            step._1();
        }
    }
}
