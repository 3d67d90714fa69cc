package scoville.gpars;

import groovyx.gpars.group.DefaultPGroup;
import groovyx.gpars.scheduler.FJPool;
import groovyx.gpars.scheduler.Pool;
import java.util.concurrent.ForkJoinPool;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.PoolTask;
import scoville.actor.WorkerPool;

/** GPars' actors for Java, on the pool of all libraries or, if {@value #OWN_POOL} is true, on GPars' own. */
public final class GparsLibrary implements ActorLibrary {
    private static final String OWN_POOL = "scoville.gpars.own-pool";

    private final boolean ownPool = Boolean.getBoolean(OWN_POOL);

    @Override
    public String name() {
        return ownPool ? "gpars-own-pool" : "gpars";
    }

    @Override
    public String version() {
        return Artifact.versionOf(groovyx.gpars.actor.Actor.class);
    }

    @Override
    public Runtime start(int workers) {
        if (ownPool) {
            FJPool pool = new FJPool(workers);
            return new Started(new DefaultPGroup(pool), pool.getForkJoinPool().getParallelism());
        }
        Pool pool = new OnPool(WorkerPool.start(workers));
        return new Started(new DefaultPGroup(pool), pool.getPoolSize());
    }

    private record Started(DefaultPGroup group, int workers) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return GparsCell.create(group, actor, this);
        }

        @Override
        public void close() {
            group.shutdown();
        }
    }

    private record OnPool(ForkJoinPool pool) implements Pool {
        @Override
        public void execute(Runnable task) {
            pool.execute(new Step(task));
        }

        @Override
        public int getPoolSize() {
            return pool.getParallelism();
        }

        @Override
        public void resize(int size) {
            throw new UnsupportedOperationException("the number of workers is fixed");
        }

        @Override
        public void resetDefaultSize() {
            throw new UnsupportedOperationException("the number of workers is fixed");
        }

        /** Without an interrupt, of which an actor that has just ended would complain. */
        @Override
        public void shutdown() {
            pool.shutdown();
        }
    }

    @SuppressWarnings("serial") // as all tasks
    private static final class Step extends PoolTask {
        private final Runnable step;

        Step(Runnable step) {
            this.step = step;
        }

        @Override
        protected void run() {
            step.run();
        }
    }
}
