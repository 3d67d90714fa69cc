package scoville.jumi;

import fi.jumi.actors.ActorThread;
import fi.jumi.actors.MultiThreadedActors;
import fi.jumi.actors.listeners.CrashEarlyFailureHandler;
import fi.jumi.actors.listeners.NullMessageListener;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Artifact;

/** Jumi's actors. Each belongs to a thread for life; they are dealt out in turn. */
public final class JumiLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "jumi";
    }

    @Override
    public String version() {
        return Artifact.versionOf(ActorThread.class);
    }

    @Override
    public Runtime start(int workers) {
        ThreadPoolExecutor executor = (ThreadPoolExecutor) Executors.newFixedThreadPool(workers);
        MultiThreadedActors actors = new MultiThreadedActors(
                executor, new ReceiverEventizer(), new CrashEarlyFailureHandler(), new NullMessageListener());
        List<ActorThread> threads =
                Stream.generate(actors::startActorThread).limit(workers).toList();
        return new Started(executor, threads, new AtomicInteger());
    }

    private record Started(ThreadPoolExecutor executor, List<ActorThread> threads, AtomicInteger created)
            implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            int turn = Math.floorMod(created.getAndIncrement(), threads.size());
            return JumiCell.create(threads.get(turn), actor, this);
        }

        /** An actor thread keeps a thread of the executor for ever. */
        @Override
        public int workers() {
            return executor.getPoolSize();
        }

        @Override
        public void close() {
            threads.forEach(ActorThread::stop);
            executor.shutdown();
        }
    }
}
