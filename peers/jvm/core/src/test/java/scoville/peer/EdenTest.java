package scoville.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test has a process of its own, in whose heap nothing has been touched but what a small program needs. */
@Timeout(60)
final class EdenTest {
    /** When Eden was touched for the last time: its size, what all objects occupied then, and what that had added. */
    private record Touched(long size, long used, long resident, long collections) {
        static final String PREFIX = "touched ";

        static Touched of(String printed) {
            long[] numbers = Stream.of(printed.split(" "))
                    .skip(1)
                    .mapToLong(Long::parseLong)
                    .toArray();
            return new Touched(numbers[0], numbers[1], numbers[2], numbers[3]);
        }
    }

    /** What a process of its own runs: touches Eden, and for each argument keeps so many MiB and touches it again. */
    static final class Program {
        private static final Runtime RUNTIME = Runtime.getRuntime();
        private static final Eden EDEN = new Eden();
        private static byte[][] kept;

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            touch();
            for (String argument : arguments) {
                kept = new byte[Integer.parseInt(argument)][1 << 20];
                System.gc();
                touch();
            }
        }

        private static void touch() throws Exception {
            long resident = resident();
            long collections = collections();
            EDEN.touch();
            long used = RUNTIME.totalMemory() - RUNTIME.freeMemory();
            collections = collections() - collections;
            resident = resident() - resident;
            System.out.println(Touched.PREFIX + size() + " " + used + " " + resident + " " + collections);
        }

        private static long resident() throws Exception {
            String status = Files.readString(Path.of("/proc/self/status"));
            return Long.parseLong(status.replaceAll("(?s).*VmRSS:\\s*([0-9]+) kB.*", "$1")) << 10;
        }

        private static long collections() {
            return ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                    .sum();
        }

        /** 0 if there is no Eden. */
        private static long size() {
            return ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getName().contains("Eden"))
                    .mapToLong(pool -> pool.getUsage().getCommitted())
                    .sum();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:+UseParallelGC -Xms300m",
                "-XX:+UseParallelGC -Xms300m -Xmx900m",
                "-XX:+UseSerialGC -Xms300m"
            })
    void makesAllOfItResidentAndLeavesNothing(String options) throws Exception {
        Touched touched = touch(options);
        assertTrue(touched.size > 60 << 20, touched::toString);
        assertTrue(touched.resident > touched.size * 9 / 10, touched::toString);
        assertTrue(touched.used < 8 << 20, touched::toString);
    }

    @Test
    void doesItOnce() throws Exception {
        Touched again = touch("-XX:+UseParallelGC -Xms300m", "0");
        assertEquals(0, again.collections);
    }

    /** This collector enlarges Eden with what it has to keep. */
    @Test
    void doesItAgainWhenEdenHasGrown() throws Exception {
        Touched again = touch("-XX:+UseSerialGC -Xms20m -Xmx900m", "300");
        assertTrue(again.resident > 30 << 20, again::toString); // the rest had been a part of the heap before
    }

    /** Whatever its size is, and where there is no Eden: the last collector knows no generations. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-XX:+UseParallelGC -Xmx8m",
                "-XX:+UseSerialGC -Xmx8m",
                "-XX:+UseG1GC -Xmx16m",
                "-XX:+UseG1GC -Xms900m",
                "-XX:+UseZGC"
            })
    void endsWithEveryHeap(String options) throws Exception {
        touch(options);
    }

    private static Touched touch(String options, String... arguments) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(List.of(options.split(" ")));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), printed);
        return Touched.of(printed.lines()
                .filter(line -> line.startsWith(Touched.PREFIX))
                .reduce((first, last) -> last)
                .orElseThrow());
    }
}
