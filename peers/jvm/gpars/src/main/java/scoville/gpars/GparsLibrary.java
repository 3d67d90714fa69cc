package scoville.gpars;

import groovyx.gpars.group.DefaultPGroup;
import groovyx.gpars.scheduler.Pool;
import java.util.concurrent.ForkJoinPool;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.PoolTask;
import scoville.actor.WorkerPool;

/** GPars' actors for Java. */
public final class GparsLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "gpars";
    }

    @Override
    public String version() {
        return Artifact.versionOf(groovyx.gpars.actor.Actor.class);
    }

    @Override
    public Runtime start(int workers) {
        return new Started(new DefaultPGroup(new OnPool(WorkerPool.startNewestFirst(workers))));
    }

    private record Started(DefaultPGroup group) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return GparsCell.create(group, actor, this);
        }

        @Override
        public int workers() {
            return group.getPoolSize();
        }

        @Override
        public void close() {
            group.shutdown();
        }
    }

    /** GPars' own pool is a preview of the JDK's, in the same order, slower, and makes a Future each time. */
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
