package scoville.akka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorRefWithCell;
import akka.actor.ActorSystem;
import akka.actor.DeadLetter;
import akka.actor.ExtendedActorSystem;
import akka.actor.Props;
import akka.actor.UntypedAbstractActor;
import akka.dispatch.Dispatcher;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Run;
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

    /** The guardian is held up while actors at the top end, and has to be told of the end of each. */
    @Test
    void settlesWhenTheGuardianHasForgottenWhoEnded() throws Exception {
        try (AkkaLibrary.Started runtime = (AkkaLibrary.Started) library().start(1)) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            Run run = new Run(runtime, false, () -> {}, () -> {});
            run.timed(() -> {
                List<ActorRef> actors = Stream.generate(() -> run.spawn(new Mayfly()))
                        .limit(1000)
                        .toList();
                run.settle();
                runtime.system()
                        .dispatchers()
                        .lookup("akka.actor.internal-dispatcher")
                        .execute(() -> {
                            held.countDown();
                            await(released);
                        });
                await(held); // or the guardian may hear of some ends before
                actors.forEach(actor -> actor.send("end"));
            });
            int known = known(runtime.system());
            released.countDown(); // before anything can fail: nothing ends while the guardian is held
            assertTrue(known > 900, () -> known + " are known");
            run.settle();
            assertTrue(known(runtime.system()) <= 1); // the last may still be on its way to tell
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }

    /** How many actors at the top the guardian knows. */
    private static int known(ActorSystem system) {
        ActorRefWithCell guardian = (ActorRefWithCell) ((ExtendedActorSystem) system).guardian();
        return guardian.underlying().childrenRefs().children().size();
    }

    private static final class Mayfly extends Actor {
        @Override
        protected void receive(Object message) {
            stop();
        }
    }

    /** A misspelt key would leave the default, which nothing else would tell. */
    @Test
    void handlesManyMessagesInTurn() {
        try (AkkaLibrary.Started runtime = (AkkaLibrary.Started) library().start(1)) {
            assertEquals(50, ((Dispatcher) runtime.system().dispatcher()).throughput());
        }
    }
}
