package scoville.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.DeadLetter;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.UntypedAbstractActor;
import org.apache.pekko.dispatch.Dispatcher;
import org.junit.jupiter.api.Test;
import scoville.actor.ActorLibrary;
import scoville.benchmark.LibraryTest;

final class PekkoLibraryTest extends LibraryTest {
    @Override
    protected ActorLibrary library() {
        return new PekkoLibrary();
    }

    private final Queue<Object> deadLetters = new ConcurrentLinkedQueue<>();

    /**
     * Hears of every message that reached nobody. Pekko's own messages are not among them: a parent that ends tells children
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
        ActorSystem system = ((PekkoLibrary.Started) runtime).system();
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
        try (PekkoLibrary.Started runtime = (PekkoLibrary.Started) library().start(1)) {
            assertEquals(50, ((Dispatcher) runtime.system().dispatcher()).throughput());
        }
    }

    @Test
    void isFoundAsTheOnlyLibrary() {
        List<ActorLibrary> found = ServiceLoader.load(ActorLibrary.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        assertEquals(1, found.size());
        assertEquals("pekko", found.get(0).name());
        assertTrue(
                found.get(0).version().matches("[0-9]+\\.[0-9]+\\.[0-9]+.*"),
                found.get(0).version());
    }
}
