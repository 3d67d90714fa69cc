package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.FacadeTest;
import scoville.actor.Run;

/** What every library has to pass: its module has a subclass that names it. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class LibraryTest extends FacadeTest {
    /** Called with a started library before its first use. */
    protected void started(ActorLibrary.Runtime runtime) {}

    /** Called after all benchmarks have run, before the library is closed. */
    protected void finished(ActorLibrary.Runtime runtime) {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void computesWhatTheSpecificationSays(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            started(runtime);
            assertEquals(workers, runtime.workers());
            for (ExpectedResults expected : ExpectedResults.all()) {
                for (int iteration = 0; iteration < iterations(expected); iteration++) {
                    check(runtime, expected);
                }
            }
            finished(runtime);
        }
    }

    private static int iterations(ExpectedResults expected) {
        return expected.benchmark().equals("spawn") ? 1 : 3; // spawn collects garbage and pauses
    }

    private static void check(ActorLibrary.Runtime runtime, ExpectedResults expected) throws Exception {
        Benchmark benchmark = benchmark(expected.benchmark());
        Parameters parameters = Parameters.check(benchmark, expected.parameters());

        Run run = run(runtime, true);
        Outcome outcome = benchmark.run(run, parameters);
        expected.assertFields(outcome);
        expected.assertWork(outcome, run.work());
        expected.assertPerActor(outcome);
        assertTrue(run.elapsed() > 0);

        expected.assertFields(benchmark.run(run(runtime, false), parameters));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void letsActorsOutliveTheirCreatorAndTheTimedRegion(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime, true);
            Survivor survivor = new Survivor();
            Survivor lasting = new Survivor();
            ActorRef[] address = new ActorRef[1];
            run.timed(() -> run.spawn(new Creator(survivor, lasting, address)));
            assertEquals(2, survivor.handled);
            run.check(() -> {
                address[0].send("first");
                address[0].dismiss("second");
            });
            assertEquals(2, lasting.handled);
            assertEquals(new Run.Work(3, 3), run.work());
        }
    }

    /** Stops with its first handler, and leaves two actors behind. */
    private static final class Creator extends Actor {
        private final Survivor survivor;
        private final Survivor lasting;
        private final ActorRef[] address;

        Creator(Survivor survivor, Survivor lasting, ActorRef[] address) {
            this.survivor = survivor;
            this.lasting = lasting;
            this.address = address;
        }

        @Override
        protected void started() {
            address[0] = spawnLasting(lasting);
            ActorRef other = spawnTopLevel(survivor);
            other.send("first");
            other.send("second");
            stop();
        }

        @Override
        protected void receive(Object message) {
            throw unexpected(message);
        }
    }

    /** Stops at its second message. */
    private static final class Survivor extends Actor {
        private int handled;

        @Override
        protected void receive(Object message) {
            handled++;
            if (handled == 2) {
                stop();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void endsEveryPhaseWhenALastingActorThrows(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime, false);
            ActorRef lasting = run.spawnLasting(new Thrower());
            run.timed(() -> {});
            CompletableFuture<Void> never = new CompletableFuture<>();
            assertThrows(
                    Run.Failed.class,
                    () -> run.check(() -> {
                        lasting.send("unknown");
                        run.await(never);
                    }));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void failsTheIterationWhenAnActorThrows(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime, false);
            Run.Failed failure = assertThrows(
                    Run.Failed.class,
                    () -> run.timed(() -> {
                        run.spawn(new Thrower()); // waits for ever
                        run.spawn(new Thrower()).send("unknown");
                    }));
            assertEquals("Thrower received an unexpected message: unknown", failure.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void handlesNothingAfterStop(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime, false);
            int[] handled = {0};
            run.timed(() -> run.spawn(new OneShot(handled)).send("start"));
            assertEquals(1, handled[0]);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void keepsTheOrderOfOneSender(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Run run = run(runtime, false);
            run.timed(() -> {
                ActorRef receiver = run.spawn(new InOrder(10_000));
                for (long i = 0; i < 10_000; i++) {
                    receiver.send(i);
                }
            });
        }
    }

    private static final class Thrower extends Actor {
        @Override
        protected void receive(Object message) {
            throw unexpected(message);
        }
    }

    /** Stops at the first message, with two more in its mailbox. */
    private static final class OneShot extends Actor {
        private final int[] handled;

        OneShot(int[] handled) {
            this.handled = handled;
        }

        @Override
        protected void receive(Object message) {
            handled[0]++;
            self().send("more");
            self().send("more");
            stop();
        }
    }

    private static final class InOrder extends Actor {
        private final long last;
        private long next;

        InOrder(long last) {
            this.last = last;
        }

        @Override
        protected void receive(Object message) {
            require(message.equals(next), "out of order");
            next++;
            if (next == last) {
                stop();
            }
        }
    }

    static Benchmark benchmark(String name) {
        return Benchmark.all().stream()
                .collect(Collectors.toMap(Benchmark::name, each -> each))
                .get(name);
    }

    static Run run(ActorLibrary.Runtime runtime, boolean counting) {
        return new Run(runtime, counting, () -> {}, () -> {});
    }
}
