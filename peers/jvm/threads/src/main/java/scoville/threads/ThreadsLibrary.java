package scoville.threads;

import java.util.Map;
import java.util.Set;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.ThreadActor;

/** No library at all: a thread of the operating system for each actor, which waits at a queue. */
public final class ThreadsLibrary implements ActorLibrary {
    /** What somebody measured with threads; most of the others create more actors than a machine can have threads. */
    private static final Set<String> BENCHMARKS = Set.of("chameneosfair");

    @Override
    public String name() {
        return "java-threads";
    }

    /** They come with the JDK. */
    @Override
    public String version() {
        return System.getProperty("java.version");
    }

    @Override
    public Map<String, String> labels() {
        return Map.of("threads", "per-actor");
    }

    @Override
    public boolean offers(String benchmark) {
        return BENCHMARKS.contains(benchmark);
    }

    @Override
    public Runtime start(int workers) {
        return new Started(workers);
    }

    /** There are as many threads as actors; the CPUs of the process, as many as workers, let so many of them run at a time. */
    private record Started(int workers) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return ThreadActor.create(actor, this, Started::run);
        }

        private static void run(Runnable life) {
            Thread thread = new Thread(life);
            // One that waits for ever must not keep the process.
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() {}
    }
}
