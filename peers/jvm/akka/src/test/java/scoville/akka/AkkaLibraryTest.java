package scoville.akka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.ActorSystem;
import akka.actor.DeadLetter;
import akka.actor.Props;
import akka.actor.UntypedAbstractActor;
import akka.dispatch.Dispatcher;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class AkkaLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new AkkaLibrary();
    }

    private final Queue<Object> deadLetters = new ConcurrentLinkedQueue<>();

    /**
     * Hears of every message that reached nobody. Akka's own messages are not among them: a parent that ends tells children
     * to end that may just have ended themselves, and such letters are suppressed ones.
     */
    private static final class Listener extends UntypedAbstractActor {
        private final Queue<Object> deadLetters;

        Listener(Queue<Object> deadLetters) {
            this.deadLetters = deadLetters;
        }

        @Override
        public void onReceive(Object message) {
            deadLetters.add(message);
        }
    }

    @Override
    protected void started(ActorLibrary.Runtime runtime) {
        ActorSystem system = ((AkkaLibrary.Started) runtime).system();
        system.eventStream()
                .subscribe(
                        system.actorOf(Props.create(Listener.class, () -> new Listener(deadLetters))),
                        DeadLetter.class);
    }

    @Override
    protected void finished(ActorLibrary.Runtime runtime) {
        assertEquals(List.of(), List.copyOf(deadLetters));
    }

    /** A misspelt key would leave the default, which nothing else would tell. */
    @Test
    void handlesManyMessagesInTurn() {
        try (AkkaLibrary.Started runtime = (AkkaLibrary.Started) library().start(1)) {
            assertEquals(50, ((Dispatcher) runtime.system().dispatcher()).throughput());
        }
    }
}
