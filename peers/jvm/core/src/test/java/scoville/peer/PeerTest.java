package scoville.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scoville.actor.ActorLibrary;
import scoville.benchmark.QueueLibrary;

final class PeerTest {
    private static final String BYE = "{\"type\":\"bye\"}";

    private Peer.Ending ending;

    /** For each time that the library was to settle: how many lines the peer had said. */
    private final List<Long> settledAfter = new ArrayList<>();

    /** The same for each time that it touched the heap. */
    private final List<Long> touchedAfter = new ArrayList<>();

    /** Has a whole conversation and returns what the peer said after its hello. */
    private List<String> converse(String... lines) throws Exception {
        String asked = Stream.of(lines).map(line -> line + "\n").collect(Collectors.joining());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineChannel channel = new LineChannel(new ByteArrayInputStream(asked.getBytes(StandardCharsets.UTF_8)), out);
        Supplier<Long> said = () -> out.toString(StandardCharsets.UTF_8).lines().count();
        ActorLibrary library = new QueueLibrary(actor -> {}, message -> {}, () -> settledAfter.add(said.get()));
        try (ActorLibrary.Runtime runtime = library.start(2)) {
            ending = new Peer(channel, library, runtime, () -> touchedAfter.add(said.get())).serve();
        }
        List<String> heard = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertTrue(
                heard.get(0).startsWith("{\"type\":\"hello\",\"protocol\":1,\"runtime\":\"queue\",\"version\":\"1\","));
        assertTrue(heard.get(0).contains("\"workers\":2,"));
        assertTrue(heard.get(0).contains("\"labels\":{\"bignum\":\"java.math.BigInteger\",\"stash\":\"local\"},"));
        assertTrue(heard.get(0).contains("\"benchmarks\":[\"pingpong\",\"threadring\","));
        return heard.subList(1, heard.size());
    }

    private static String run(String benchmark, String parameters) {
        return "{\"type\":\"run\",\"benchmark\":\"%s\",\"parameters\":%s,\"iteration\":0}"
                .formatted(benchmark, parameters);
    }

    private static String counting(String benchmark, String parameters) {
        return run(benchmark, parameters).replace("\"iteration\":0", "\"iteration\":0,\"count_messages\":true");
    }

    @Test
    void runsAndLeaves() throws Exception {
        List<String> heard = converse(run("fib", "{\"index\":10}"), BYE);
        assertEquals("{\"type\":\"begin\"}", heard.get(0));
        assertTrue(
                heard.get(1)
                        .matches(
                                "\\{\"type\":\"end\",\"wall_ns\":[0-9]+,\"result\":55,\"checks\":\\{\"actors\":109},\"metrics\":\\{},"
                                        + "\"gc\":\\{\"collections\":[0-9]+,\"pause_ns\":[0-9]+,\"cpu_ns\":null,"
                                        + "\"allocated_bytes\":([0-9]+|null),\"source\":\"java.lang.management\"}}"),
                heard.get(1));
        assertEquals(List.of(BYE), heard.subList(2, heard.size()));
        assertEquals(Peer.Ending.BYE, ending);
    }

    /** What the library still does for the last iteration must not be in the time of the next one. */
    @Test
    void letsTheLibrarySettleBeforeTheClockStarts() throws Exception {
        converse(run("fib", "{\"index\":1}"), run("fib", "{\"index\":1}"), BYE);
        assertEquals(List.of(1L, 3L), settledAfter); // after the hello, and after begin and end
    }

    @Test
    void touchesTheHeapBeforeTheClockStarts() throws Exception {
        converse(run("fib", "{\"index\":0}"), run("fib", "{\"index\":1}"), run("fib", "{\"index\":1}"), BYE);
        assertEquals(List.of(2L, 4L), touchedAfter); // after the hello and the refusal, and after begin and end
    }

    @Test
    void leavesTheHeapAloneWhereMemoryIsMeasured() throws Exception {
        converse(run("spawn", "{\"n\":10}"), BYE);
        assertEquals(List.of(), touchedAfter);
    }

    @Test
    void leavesTheHeapAloneWhereTheTimeDoesNotMatter() throws Exception {
        converse(counting("fib", "{\"index\":1}"), run("fib", "{\"index\":1}"), BYE);
        assertEquals(List.of(3L), touchedAfter); // after the hello, and begin and end of the one that counts
    }

    @Test
    void countsOnlyWhenAsked() throws Exception {
        String counting = counting("count", "{\"messages\":10}");
        List<String> heard = converse(counting, run("count", "{\"messages\":10}"), BYE);
        assertTrue(heard.get(1).contains("\"messages\":13") && heard.get(1).contains("\"actors\":2"), heard.get(1));
        assertTrue(!heard.get(3).contains("\"work\""), heard.get(3));
    }

    @Test
    void goesOnAfterABadParameter() throws Exception {
        List<String> heard =
                converse(run("nosuch", "{}"), run("pingpong", "{\"pings\":0}"), run("fib", "{\"index\":1}"), BYE);
        assertEquals(
                "{\"type\":\"fail\",\"code\":\"bad-parameter\",\"message\":\"nosuch: unknown benchmark\"}",
                heard.get(0));
        assertEquals(
                "{\"type\":\"fail\",\"code\":\"bad-parameter\","
                        + "\"message\":\"pingpong: pings is 0; it must be at least 1\"}",
                heard.get(1));
        assertEquals("{\"type\":\"begin\"}", heard.get(2));
        assertTrue(heard.get(3).startsWith("{\"type\":\"end\""));
        assertEquals(BYE, heard.get(4));
    }

    @Test
    void saysWhatItCannotDo() throws Exception {
        List<String> heard = converse(run("threadring", "{\"actors\":3000000000,\"hops\":0}"), BYE);
        assertEquals(
                "{\"type\":\"fail\",\"code\":\"unsupported\",\"message\":"
                        + "\"threadring: actors is 3000000000; an array of the JVM holds at most 2147483639\"}",
                heard.get(0));
        assertEquals(BYE, heard.get(1));
    }

    @Test
    void leavesAtOnceWhenAskedOrAlone() throws Exception {
        assertEquals(List.of(), converse("{\"type\":\"stop\"}"));
        assertEquals(Peer.Ending.STOP, ending);
        assertEquals(List.of(), converse());
        assertEquals(Peer.Ending.GONE, ending);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "[]",
                "{}",
                "{\"type\":1}",
                "{\"type\":\"dance\"}",
                "{\"type\":\"run\"}",
                "{\"type\":\"run\",\"benchmark\":\"fib\"}",
                "{\"type\":\"run\",\"benchmark\":\"fib\",\"parameters\":{},\"count_messages\":1}"
            })
    void refusesWhatTheProtocolDoesNotAllow(String line) {
        assertThrows(Peer.ProtocolError.class, () -> converse(line));
    }
}
