package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Generators, checksums, busy work and drawn inputs, by the specification's test values. */
final class ArithmeticTest {
    private static long checksum(LongStream numbers) {
        Checksum checksum = new Checksum();
        numbers.forEach(checksum::add);
        return checksum.value();
    }

    @Test
    void checksumsDependOnTheOrder() {
        assertEquals(1, checksum(LongStream.of()));
        assertEquals(330182277, checksum(LongStream.of(1, 2, 3)));
        assertFalse(checksum(LongStream.of(3, 2, 1)) == 330182277);
    }

    /** What was sorted has no errors, so that no benchmark would notice if they were not counted. */
    @Test
    void arrivalsCountWhatIsSmallerThanItsPredecessor() {
        Arrivals arrivals = new Arrivals();
        LongStream.of(5, 5, 3, 9, 4).forEach(arrivals::add);
        assertEquals(
                Outcome.of(checksum(LongStream.of(5, 5, 3, 9, 4)), Map.of("count", 5L, "errors", 2L, "sum", 26L)),
                arrivals.outcome());
    }

    @ParameterizedTest
    @CsvSource({"1, 100, 51005", "70000, 10, 56054", "12345, 1000, 9041", "65537, 0, 1"})
    void spinsFromTheLow16Bits(long v, long n, long expected) {
        assertEquals(expected, Busy.spin(v, n));
    }

    @Test
    void j48DrawsWhatJavasRandomDraws() {
        J48 random = new J48(2);
        assertArrayEquals(
                new long[] {1570126108, 630021372, 1935844040, 8925067},
                LongStream.generate(() -> random.bits(31)).limit(4).toArray());
        J48 coin = new J48(123456);
        java.util.Random java = new java.util.Random(123456);
        for (int toss = 0; toss < 1000; toss++) {
            assertEquals(java.nextBoolean(), coin.bool());
        }
    }

    @Test
    void l32DrawsLetters() {
        L32 letters = new L32(12345);
        assertArrayEquals(
                new int[] {0, 0, 2, 2, 3},
                IntStream.generate(() -> letters.letter(4)).limit(5).toArray());
        L32 many = new L32(7);
        assertTrue(IntStream.generate(() -> Byte.toUnsignedInt(many.letter(256)))
                .limit(1000)
                .anyMatch(letter -> letter > 127));
    }

    @ParameterizedTest
    @CsvSource({"6, 534, 2142788024, 172", "30, 78712, 1240668639, 22344"})
    void drawsTheGrid(int side, long edges, long checksum, int target) {
        Grid grid = new Grid(side);
        int[] all = IntStream.range(0, side * side * side)
                .flatMap(node -> IntStream.of(grid.neighbours(node)))
                .toArray();
        assertEquals(edges, all.length);
        assertEquals(checksum, checksum(IntStream.of(all).asLongStream()));
        assertEquals(target, grid.target());
    }

    @Test
    void claimsANodeOnce() {
        Grid grid = new Grid(5);
        assertEquals(-1, grid.pathLength());
        assertFalse(grid.claim(0, 1));
        assertTrue(grid.claim(grid.target(), 7));
        assertFalse(grid.claim(grid.target(), 8));
        assertEquals(-1, grid.pathLength());
        assertTrue(grid.claim(7, 0));
        assertEquals(2, grid.pathLength());
    }

    @Test
    void copiesPayloadsUnlessTheyAreShared() {
        byte[] fresh = Payload.fresh(300);
        assertEquals(3, fresh[0]);
        assertEquals((byte) (7 * 299 + 3), fresh[299]);
        byte[] copy = Payload.passOn(fresh, 5, false);
        assertNotSame(fresh, copy);
        assertEquals(38, fresh[5]);
        assertEquals(39, copy[5]);
        assertSame(fresh, Payload.passOn(fresh, 5, true));
        assertEquals(checksum(LongStream.of(200)), Payload.checksum(new byte[] {(byte) 200}));
    }
}
