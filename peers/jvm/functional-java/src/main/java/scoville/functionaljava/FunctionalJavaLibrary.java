package scoville.functionaljava;

import fj.Unit;
import fj.control.parallel.Strategy;
import java.util.concurrent.ForkJoinPool;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.WorkerPool;

/** Functional Java's queue actors. Its plain actors handle messages concurrently and in no order. */
public final class FunctionalJavaLibrary implements ActorLibrary {
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
        return new Started(pool, Strategy.executorStrategy(pool));
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
}
