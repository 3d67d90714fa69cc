package scoville.jetlang;

import java.util.concurrent.ForkJoinPool;
import org.jetlang.fibers.PoolFiberFactory;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.WorkerPool;

/** Jetlang's fibers on a pool. */
public final class JetlangLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "jetlang";
    }

    @Override
    public String version() {
        return Artifact.versionOf(PoolFiberFactory.class);
    }

    @Override
    public Runtime start(int workers) {
        ForkJoinPool pool = WorkerPool.start(workers);
        return new Started(pool, new PoolFiberFactory(pool));
    }

    private record Started(ForkJoinPool pool, PoolFiberFactory fibers) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return JetlangCell.create(fibers.create(), actor, this);
        }

        @Override
        public int workers() {
            return pool.getParallelism();
        }

        @Override
        public void close() {
            fibers.dispose();
            pool.shutdownNow();
        }
    }
}
