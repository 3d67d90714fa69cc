package scoville.akka;

import akka.actor.ActorSystem;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinWorkerThread;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;

/** Akka, classic actors. */
public final class AkkaLibrary implements ActorLibrary {
    @Override
    public String name() {
        return "akka";
    }

    @Override
    public String version() {
        return ActorSystem.Version();
    }

    @Override
    public Runtime start(int workers) {
        Config bound = ConfigFactory.parseString("""
                akka.actor.default-dispatcher.fork-join-executor {
                  parallelism-min = %1$d
                  parallelism-max = %1$d
                }
                """.formatted(workers));
        return new Started(ActorSystem.create("scoville", bound.withFallback(ConfigFactory.load())));
    }

    record Started(ActorSystem system) implements Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            return AkkaActor.create(system, actor);
        }

        /** Asks the pool of the default dispatcher, on one of its threads. */
        @Override
        public int workers() {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            system.dispatcher().execute(() -> {
                try {
                    ForkJoinWorkerThread thread = (ForkJoinWorkerThread) Thread.currentThread();
                    answer.complete(thread.getPool().getParallelism());
                } catch (RuntimeException error) {
                    answer.completeExceptionally(error);
                }
            });
            return answer.join();
        }

        /**
         * The guardian of the actors at the top is told when each is created and when it has ended. It may be behind by a
         * hundred thousand of them, and answers only after that.
         */
        @Override
        public void settle() {
            system.actorSelection("/user")
                    .resolveOne(Duration.ofDays(1)) // who waits for the iteration has a limit of its own
                    .toCompletableFuture()
                    .join();
        }

        @Override
        public void close() {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().join();
        }
    }
}
