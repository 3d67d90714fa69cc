package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;

final class QueueLibraryTest extends LibraryTest {
    @Override
    protected ActorLibrary library() {
        return new QueueLibrary();
    }

    /** The driver's part does not depend on the library, so that one second with one library is enough. */
    @Test
    void pairsWorkUntilTheTimeIsOver() throws Exception {
        Map<String, Object> given = ExpectedResults.object("{\"pairs\":3,\"mode\":\"timed\",\"rounds\":1,\"seconds\":1,"
                + "\"report\":7,\"size\":4,\"payload\":\"copy\"}");
        Outcome outcome = iterate("pairs", given);
        long[] exchanges = outcome.perActor().get("n");
        assertEquals(3, exchanges.length);
        assertEquals(outcome.result(), Arrays.stream(exchanges).sum());
        assertEquals(Map.of(), outcome.checks());
        double perMinute = outcome.metrics().get("throughput").doubleValue();
        double atMost = outcome.result().doubleValue() * 60;
        assertTrue(perMinute <= atMost && perMinute > atMost / 30, outcome::toString);
    }

    @Test
    void placingActorsIsUnsupported() {
        Map<String, Object> given = ExpectedResults.object(
                "{\"controllers\":1,\"seekers\":1,\"size\":5,\"jobs\":1,\"word\":1,\"alphabet\":2,"
                        + "\"assign\":\"continuous\",\"place\":\"roundrobin\"}");
        assertThrows(Unsupported.class, () -> iterate("matrixsearch", given));
    }

    /** Bounds from the entries for numbers that depend on scheduling. */
    @ParameterizedTest
    @CsvSource({
        "bndbuffer, max_pending, 0, 5", // one less than the buffer holds
        "banking, deferred, 1, 200", // one worker sends all Credits before it handles one
        "barber, attempts, 30, 1000000",
        "philosopher, retries, 0, 1000000",
        "piprecision, terms, 40, 69", // those above 1, and at most as many as are requested ahead
        "chat, turn_median_ns, 1, 1000000000000",
        "matrixsearch, fill_ns, 1, 1000000000000",
        "spawn, t_wake, 1, 1000000000000",
    })
    void reportsMetricsWithinTheirBounds(String name, String metric, double min, double max) throws Exception {
        double value =
                iterate(name, tiny(name).parameters()).metrics().get(metric).doubleValue();
        assertTrue(min <= value && value <= max, () -> metric + " is " + value);
    }

    @Test
    void findsAPathThatIsNoShorterThanTheShortest() throws Exception {
        Map<String, Object> given = ExpectedResults.object("{\"w\":3,\"g\":6,\"t\":8,\"p\":30,\"mode\":\"first\"}");
        Map<String, Number> metrics = iterate("astar", given).metrics();
        assertTrue(metrics.get("path_length").longValue() >= 6, metrics::toString);
        assertTrue(metrics.get("processed").longValue() <= 131, metrics::toString);
    }

    /** The specification has the child add what it takes over from its parent: that is work, and can be done elsewhere. */
    @Test
    void quadrantsLeaveTheWorkOfTheirChildrenToThem() throws Exception {
        List<Actor> quadrants = new ArrayList<>();
        List<Object> customers = new ArrayList<>();
        ActorLibrary watched = new QueueLibrary(
                actor -> {
                    if (actor.getClass().getSimpleName().equals("Quadrant")) {
                        quadrants.add(actor);
                        customers.addAll(customersOf(actor));
                    }
                },
                message -> {},
                () -> {});
        iterate(watched, "facloc", tiny("facloc").parameters());
        assertEquals(21, quadrants.size());
        assertEquals(List.of(), customers);
        assertTrue(
                quadrants.stream().anyMatch(quadrant -> !customersOf(quadrant).isEmpty()));
    }

    private static List<?> customersOf(Actor quadrant) {
        try {
            Field field = quadrant.getClass().getDeclaredField("customers");
            field.setAccessible(true);
            return (List<?>) field.get(quadrant);
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(error);
        }
    }

    /**
     * What is passed on is a message of its own, as in the languages whose messages are values. One object serves many
     * sends only where its fields never change, and in radixsort, whose entry allows it.
     */
    @Test
    void buildsEveryMessageForItself() throws Exception {
        Set<String> repeated = new TreeSet<>();
        for (ExpectedResults expected : ExpectedResults.all()) {
            Set<Object> sent = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
            Consumer<Object> watch = message -> {
                if (!(message instanceof Enum<?>) && !sent.add(message)) {
                    repeated.add(expected.benchmark() + " " + message.getClass().getSimpleName());
                }
            };
            iterate(new QueueLibrary(actor -> {}, watch, () -> {}), expected.benchmark(), expected.parameters());
        }
        Set<String> constant = Set.of("big Peers", "bigneighbours Neighbours", "fjcreate Work", "fjthrput Work");
        Set<String> allowed = new TreeSet<>(constant);
        allowed.add("radixsort Value");
        assertEquals(allowed, repeated);
    }

    /** Else its memory would be that of actors half made. */
    @Test
    void dormantActorsAreMeasuredWhenTheLibraryHasSettled() throws Exception {
        AtomicInteger actors = new AtomicInteger();
        List<Integer> settledAt = new ArrayList<>();
        ActorLibrary watched =
                new QueueLibrary(actor -> actors.incrementAndGet(), message -> {}, () -> settledAt.add(actors.get()));
        iterate(watched, "spawn", ExpectedResults.object("{\"n\":10}"));
        assertEquals(List.of(12), settledAt); // besides these ten the tally, and one for practice
    }

    /** The entry has a tenth of a second pass before memory is read, also if somebody unparks the driver meanwhile. */
    @Test
    void dormantActorsAreLeftAloneForAWhile() throws Exception {
        AtomicLong settledAt = new AtomicLong();
        AtomicLong wokenAt = new AtomicLong();
        ActorLibrary watched =
                new QueueLibrary(actor -> {}, message -> wokenAt.compareAndSet(0, System.nanoTime()), () -> {
                    settledAt.set(System.nanoTime());
                    LockSupport.unpark(Thread.currentThread());
                });
        iterate(watched, "spawn", ExpectedResults.object("{\"n\":10}"));
        long pause = wokenAt.get() - settledAt.get();
        assertTrue(pause >= TimeUnit.MILLISECONDS.toNanos(100), () -> pause + " ns");
    }

    private static ExpectedResults tiny(String name) {
        return ExpectedResults.all().stream()
                .filter(each -> each.benchmark().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Outcome iterate(String name, Map<String, Object> given) throws Exception {
        return iterate(library(), name, given);
    }

    /** One iteration with one worker. */
    private static Outcome iterate(ActorLibrary library, String name, Map<String, Object> given) throws Exception {
        try (ActorLibrary.Runtime runtime = library.start(1)) {
            Benchmark benchmark = benchmark(name);
            return benchmark.run(run(runtime, false), Parameters.check(benchmark, given));
        }
    }
}
