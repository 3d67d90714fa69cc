package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RngTest {
    private static String join(LongStream numbers) {
        return numbers.mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 13849 54254 56847 43212 20789 29210 42251 8024",
        "1, 15158 63799 33876 55197 46050 179 51552 58873",
        "74755, 22896 34761 34014 39231 52540 41445 1546 5947",
        "123456, 5977 38958 22863 57100 46709 10842 50251 59800"
    })
    void drawsTheSpecifiedNumbers(long seed, String expected) {
        Rng rng = new Rng(seed);
        LongStream drawn = LongStream.generate(rng::next).limit(8);
        assertEquals(expected, join(drawn));
    }

    @ParameterizedTest
    @CsvSource({"0, 49 14 87 12 29 50", "1, 38 79 36 117 90 59", "119, 28 21 74 35 72 49"})
    void choosesTheSpecifiedTargets(long seed, String expected) {
        Rng rng = new Rng(seed);
        assertEquals(expected, join(LongStream.generate(() -> rng.below(120)).limit(6)));
    }

    @Test
    void derivesUnitAndScaledFromOneDraw() {
        assertEquals(1.0 / 22897, new Rng(Rng.DEFAULT_SEED).unit());
        assertEquals((22896L * 1000) >> 16, new Rng(Rng.DEFAULT_SEED).scaled(1000));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 15158", "2, 7808", "10, 38176", "100, 16528", "1009, 24630"})
    void staysBusyForTheSpecifiedSteps(long k, long expected) {
        assertEquals(expected, Busy.busy(k));
    }
}
