package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.peer.Json;

/** What every library has to pass: its module has a subclass that names it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class LibraryTest {
    private record Expected(
            String benchmark, Map<String, Long> parameters, Number result, Map<String, Number> checks, Run.Work work) {}

    /** The preset `tiny` of the specification, and the smallest sizes that are allowed. */
    private static final Expected[] EXPECTED = {
        expect("pingpong", Map.of("pings", 100L), 5050L, Map.of("pongs", 100L), 2, 301),
        expect("pingpong", Map.of("pings", 1L), 1L, Map.of("pongs", 1L), 2, 4),
        expect("threadring", Map.of("actors", 7L, "hops", 40L), 161L, Map.of("last", 5L), 7, 55),
        expect("threadring", Map.of("actors", 1L, "hops", 0L), 1L, Map.of("last", 0L), 1, 3),
        expect("count", Map.of("messages", 1000L), 1000L, Map.of(), 2, 1003),
        expect("count", Map.of("messages", 0L), 0L, Map.of(), 2, 3),
        expect("fjthrput", Map.of("messages", 50L, "actors", 7L), 1400L, Map.of("sum", 80.185670383472), 7, 350),
        expect("fjcreate", Map.of("actors", 500L), 125250L, Map.of(), 500, 500),
        expect("fib", Map.of("index", 10L), 55L, Map.of("actors", 109L), 109, 217),
        expect("fib", Map.of("index", 1L), 1L, Map.of("actors", 1L), 1, 1),
        expect("chameneos", Map.of("creatures", 5L, "meetings", 100L), 200L, Map.of("colour", 1L), 6, 415),
        expect("chameneos", Map.of("creatures", 2L, "meetings", 0L), 0L, Map.of("colour", 1L), 3, 6),
        expect("big", Map.of("pings", 50L, "actors", 10L), 2806L, Map.of("pings", 500L), 11, 1041),
        expect("big", Map.of("pings", 0L, "actors", 1L), 0L, Map.of("pings", 0L), 2, 5),
    };

    private static Expected expect(
            String benchmark,
            Map<String, Long> parameters,
            Number result,
            Map<String, Number> checks,
            long actors,
            long messages) {
        return new Expected(benchmark, parameters, result, checks, new Run.Work(actors, messages));
    }

    /** The library under test. */
    protected abstract ActorLibrary library();

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
            for (Expected expected : EXPECTED) {
                for (int iteration = 0; iteration < 3; iteration++) {
                    check(runtime, expected);
                }
            }
            finished(runtime);
        }
    }

    private static void check(ActorLibrary.Runtime runtime, Expected expected) throws Exception {
        Benchmark benchmark = benchmark(expected.benchmark);
        Map<String, Object> given = new LinkedHashMap<>();
        expected.parameters.forEach((name, value) -> given.put(name, new Json.Written(value.toString())));
        Parameters parameters = Parameters.check(expected.benchmark, benchmark.parameters(), given);

        Run run = run(runtime, true);
        Outcome outcome = benchmark.run(run, parameters);
        assertEquals(expected.result, outcome.result(), expected.benchmark);
        assertEquals(expected.checks.keySet(), outcome.checks().keySet(), expected.benchmark);
        expected.checks.forEach((name, value) -> assertEquals(
                value.doubleValue(), outcome.checks().get(name).doubleValue(), 1e-9 * value.doubleValue(), name));
        assertEquals(expected.work, run.work(), expected.benchmark);
        assertTrue(run.elapsed() > 0);

        assertEquals(
                expected.result, benchmark.run(run(runtime, false), parameters).result());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void countsTheMeetingsOfEachCreature(int workers) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(workers)) {
            Map<String, Object> given = Map.of("creatures", new Json.Written("5"), "meetings", new Json.Written("100"));
            Benchmark benchmark = benchmark("chameneos");
            Outcome outcome =
                    benchmark.run(run(runtime, false), Parameters.check("chameneos", benchmark.parameters(), given));
            long[] meetings = outcome.perActor().get("meetings");
            assertEquals(5, meetings.length);
            assertEquals(200, Arrays.stream(meetings).sum());
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

    private static Benchmark benchmark(String name) {
        return Benchmark.all().stream()
                .collect(Collectors.toMap(Benchmark::name, each -> each))
                .get(name);
    }

    private static Run run(ActorLibrary.Runtime runtime, boolean counting) {
        return new Run(runtime, counting, () -> {}, () -> {});
    }
}
