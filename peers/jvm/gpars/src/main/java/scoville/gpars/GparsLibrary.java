package scoville.gpars;

import groovyx.gpars.group.DefaultPGroup;
import groovyx.gpars.scheduler.FJPool;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;

/** GPars' actors for Java, on its fork-join pool. */
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
        FJPool pool = new FJPool(workers);
        return new Started(pool, new DefaultPGroup(pool));
    }

    private record Started(FJPool pool, DefaultPGroup group) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return GparsCell.create(group, actor, this);
        }

        @Override
        public int workers() {
            return pool.getForkJoinPool().getParallelism();
        }

        @Override
        public void close() {
            group.shutdown();
        }
    }
}
