package scoville.virtualthreads;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.ThreadActor;

/** No library at all: a virtual thread for each actor, which waits at a queue. */
public final class VirtualThreadsLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "virtual-threads";
    }

    /** They come with the JDK. */
    @Override
    public String version() {
        return System.getProperty("java.version");
    }

    @Override
    public Runtime start(int workers) {
        VirtualThreadSchedulerMXBean scheduler =
                ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        scheduler.setParallelism(workers);
        return new Started(scheduler);
    }

    private record Started(VirtualThreadSchedulerMXBean scheduler) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return ThreadActor.create(actor, this, Thread::startVirtualThread);
        }

        @Override
        public int workers() {
            return scheduler.getParallelism();
        }

        /** There is nothing to end: virtual threads never keep the process, and one that waits for ever is garbage. */
        @Override
        public void close() {}
    }
}
