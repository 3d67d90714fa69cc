package scoville.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the facade promises of every library, beyond what benchmarks would notice. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class FacadeTest {
    /** Of a thousand objects, how many a thread or a queue may still know as its last. */
    private static final long REMEMBERED = 20;

    /** The library under test. */
    protected abstract ActorLibrary library();

    /** What executes the handler that calls this, if it is not the thread. */
    protected Object worker() {
        return Thread.currentThread();
    }

    private static Run run(ActorLibrary.Runtime runtime) {
        return new Run(runtime, false, () -> {}, () -> {});
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void handlesOnAsManyWorkersAsAskedFor(int workers) throws Exception {
        Set<Object> seen = ConcurrentHashMap.newKeySet();
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            CountDownLatch together = new CountDownLatch(workers);
            Run run = run(runtime);
            run.timed(() -> {
                for (int i = 0; i < workers; i++) {
                    run.spawn(new Meeting(together)).send("meet");
                }
                for (int i = 0; i < 20 * workers; i++) {
                    run.spawn(new SelfSender(500, () -> seen.add(worker()))).send("go");
                }
            });
        }
        assertTrue(seen.size() <= workers, seen.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void doesNotDeepenTheStackWithEverySend(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime);
            AtomicInteger handled = new AtomicInteger();
            run.timed(() ->
                    run.spawn(new SelfSender(100_000, handled::incrementAndGet)).send("go"));
            assertEquals(100_000, handled.get());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void keepsTheOrderOfEverySender(int workers) throws Exception {
        int senders = 4;
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime);
            run.timed(() -> {
                ActorRef receiver = run.spawn(new InOrder(senders, 5_000));
                for (int id = 0; id < senders; id++) {
                    run.spawn(new Sender(receiver, id, 5_000)).send("go");
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void startsBeforeTheFirstMessage(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime);
            List<Object> entries = new ArrayList<>();
            run.timed(() -> run.spawn(new Diary(entries)).send("sent"));
            assertEquals(List.of("started", "sent"), entries);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void handlesNothingWhenStoppedAtTheStart(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime);
            run.timed(() -> run.spawn(new BornDead()).send("too late"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void dropsWhatIsSentToTheStopped(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            AtomicInteger handled = new AtomicInteger();
            ActorRef[] stopped = new ActorRef[1];
            Run first = run(runtime);
            first.timed(() -> {
                stopped[0] = first.spawn(new SelfSender(1, handled::incrementAndGet));
                stopped[0].send("go");
            });
            Run second = run(runtime);
            second.timed(() -> {
                stopped[0].send("from outside");
                second.spawn(new Sender(stopped[0], 0, 1_000)).send("go");
            });
            assertEquals(1, handled.get());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void failsOnWhateverIsThrown(int workers) throws Exception {
        List<Actor> defects = List.of(
                new Thrower(new IllegalArgumentException("wrong"), false),
                new Thrower(new AssertionError("worse"), false),
                new Thrower(new IllegalArgumentException("early"), true));
        for (Actor defect : defects) {
            try (ActorLibrary.Runtime runtime = library().start(workers)) {
                Run run = run(runtime);
                Run.Failed failure = assertThrows(
                        Run.Failed.class,
                        () -> run.timed(() -> run.spawn(defect).send("go")));
                assertEquals("an actor threw " + failure.getCause(), failure.getMessage());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void forgetsActorsThatEnded(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime);
            List<WeakReference<Object>> actors = new ArrayList<>();
            run.timed(() -> remember(actors, i -> {
                Actor actor = new SelfSender(1, () -> {});
                run.spawn(actor).send("go");
                return actor;
            }));
            assertForgotten(actors);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void forgetsWhatWasSentToTheStopped(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime);
            ActorRef[] stopped = new ActorRef[1];
            run.timed(() -> {
                stopped[0] = run.spawn(new SelfSender(1, () -> {}));
                stopped[0].send("go");
            });
            List<WeakReference<Object>> messages = new ArrayList<>();
            remember(messages, i -> {
                Object message = new Object();
                stopped[0].send(message);
                return message;
            });
            assertForgotten(messages);
            stopped[0].send("the address was alive all the time");
        }
    }

    private static void remember(List<WeakReference<Object>> references, IntFunction<Object> make) {
        for (int i = 0; i < 1_000; i++) {
            references.add(new WeakReference<>(make.apply(i)));
        }
    }

    /** Ends as soon as the garbage collector has found nearly all of them; the test's limit ends it otherwise. */
    private static void assertForgotten(List<WeakReference<Object>> references) throws InterruptedException {
        for (int attempt = 0; attempt < 100 && known(references) > REMEMBERED; attempt++) {
            System.gc();
            Thread.sleep(50);
        }
        assertTrue(known(references) <= REMEMBERED, known(references) + " of " + references.size() + " are kept");
    }

    private static long known(List<WeakReference<Object>> references) {
        return references.stream().filter(each -> each.get() != null).count();
    }

    /** Returns from its message only when as many others have come as there are workers. */
    private static final class Meeting extends Actor {
        private final CountDownLatch together;

        Meeting(CountDownLatch together) {
            this.together = together;
        }

        @Override
        protected void receive(Object message) {
            together.countDown();
            try {
                together.await();
            } catch (InterruptedException interrupt) {
                throw new IllegalStateException("not everybody came", interrupt);
            }
            stop();
        }
    }

    /** Sends itself a message until it has had enough, and does something each time. */
    private static final class SelfSender extends Actor {
        private final Runnable each;
        private int left;

        SelfSender(int messages, Runnable each) {
            this.left = messages;
            this.each = each;
        }

        @Override
        protected void receive(Object message) {
            each.run();
            left--;
            if (left == 0) {
                stop();
            } else {
                self().send(message);
            }
        }
    }

    private record Numbered(int sender, long number) {}

    private static final class Sender extends Actor {
        private final ActorRef receiver;
        private final int id;
        private final long messages;

        Sender(ActorRef receiver, int id, long messages) {
            this.receiver = receiver;
            this.id = id;
            this.messages = messages;
        }

        @Override
        protected void receive(Object message) {
            for (long number = 0; number < messages; number++) {
                receiver.send(new Numbered(id, number));
            }
            stop();
        }
    }

    private static final class InOrder extends Actor {
        private final long[] next;
        private long left;

        InOrder(int senders, long each) {
            next = new long[senders];
            left = senders * each;
        }

        @Override
        protected void receive(Object message) {
            Numbered numbered = (Numbered) message;
            require(numbered.number == next[numbered.sender], "out of order");
            next[numbered.sender]++;
            left--;
            if (left == 0) {
                stop();
            }
        }
    }

    /** Writes down what happens to it. */
    private static final class Diary extends Actor {
        private final List<Object> entries;

        Diary(List<Object> entries) {
            this.entries = entries;
        }

        @Override
        protected void started() {
            entries.add("started");
        }

        @Override
        protected void receive(Object message) {
            entries.add(message);
            stop();
        }
    }

    private static final class BornDead extends Actor {
        @Override
        protected void started() {
            self().send("also too late");
            stop();
        }

        @Override
        protected void receive(Object message) {
            throw unexpected(message);
        }
    }

    private static final class Thrower extends Actor {
        private final Throwable defect;
        private final boolean early;

        Thrower(Throwable defect, boolean early) {
            this.defect = defect;
            this.early = early;
        }

        @Override
        protected void started() {
            if (early) {
                raise();
            }
        }

        @Override
        protected void receive(Object message) {
            raise();
        }

        private void raise() {
            if (defect instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) defect;
        }
    }
}
