package scoville.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How much memory this process has, by the kernel's account and by the JVM's. */
final class ResidentMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+([0-9]+) kB");

    private ResidentMemory() {}

    /** Collects garbage, twice: the first time may only find what has finalizers. */
    static void collect() {
        System.gc();
        System.gc();
    }

    /**
     * The resident set size in bytes.
     *
     * @throws Unsupported on a system without Linux' proc
     */
    static long bytes() {
        try {
            Matcher matcher = RESIDENT.matcher(Files.readString(STATUS));
            if (!matcher.find()) {
                throw new IOException(STATUS + " does not tell the resident memory");
            }
            return Long.parseLong(matcher.group(1)) * 1024;
        } catch (IOException error) {
            throw new Unsupported("the resident memory is unknown: " + error);
        }
    }

    /** What objects occupy on the heap, garbage included. */
    static long heapBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
