package scoville.scalaactors;

import scala.actors.Reactor;
import scala.actors.Scheduler$;
import scala.actors.scheduler.ForkJoinScheduler;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;

/** The actors that were part of Scala's standard library up to 2.12. */
@SuppressWarnings("deprecation") // as a whole, since Scala 2.11
public final class ScalaActorsLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "scala-actors";
    }

    @Override
    public String version() {
        return Artifact.versionOf(Reactor.class);
    }

    /** There is one scheduler for all of the process. */
    @Override
    public Runtime start(int workers) {
        Started started = new Started(new Lasting(workers));
        started.scheduler.start();
        Scheduler$.MODULE$.impl_$eq(started.scheduler);
        return started;
    }

    private record Started(Lasting scheduler) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return ScalaActorsCell.create(actor, this);
        }

        @Override
        public int workers() {
            return scheduler.maxSize();
        }

        @Override
        public void close() {
            scheduler.shutdown();
        }
    }

    /**
     * Stays when no actor is alive. The stock one would end, and an actor made later would silently get a new one, of
     * another size and with threads that keep the process.
     */
    private static final class Lasting extends ForkJoinScheduler {
        Lasting(int workers) {
            super(workers, workers, true, true);
        }

        @Override
        public boolean allActorsTerminated() {
            return false;
        }

        @Override
        public boolean isActive() {
            return true;
        }
    }
}
