package scoville.castor;

import castor.Context;
import java.util.concurrent.ForkJoinPool;
import scala.concurrent.ExecutionContext;
import scala.runtime.BoxedUnit;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;
import scoville.actor.WorkerPool;

/** Castor's simple actors. */
public final class CastorLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "castor";
    }

    @Override
    public String version() {
        return Artifact.versionOf(castor.Actor.class);
    }

    @Override
    public Runtime start(int workers) {
        ForkJoinPool pool = WorkerPool.start(workers);
        Context context = new Context.Simple(ExecutionContext.fromExecutor(pool), error -> {
            error.printStackTrace();
            return BoxedUnit.UNIT;
        });
        return new Started(pool, context);
    }

    private record Started(ForkJoinPool pool, Context context) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return CastorCell.create(context, actor, this);
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
