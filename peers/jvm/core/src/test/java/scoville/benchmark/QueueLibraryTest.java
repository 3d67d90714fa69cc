package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
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

    /** One iteration with two workers. */
    private Outcome iterate(String name, Map<String, Object> given) throws Exception {
        try (ActorLibrary.Runtime runtime = library().start(2)) {
            Benchmark benchmark = benchmark(name);
            return benchmark.run(run(runtime, false), Parameters.check(benchmark, given));
        }
    }
}
