package scoville.peer;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What the garbage collector did, from the JVM's management beans. */
record Collector(long collections, long pauseMillis, long allocatedBytes) {
    /** Until now. */
    static Collector now() {
        long collections = 0;
        long pauseMillis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += bean.getCollectionCount();
            pauseMillis += bean.getCollectionTime();
        }
        return new Collector(collections, pauseMillis, allocated());
    }

    /** By the threads that are alive: those of the libraries live as long as the process. */
    private static long allocated() {
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads) {
            return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                    .filter(bytes -> bytes > 0)
                    .sum();
        }
        return -1;
    }

    /** The collectors in use and the size that the heap may reach. */
    static String describe() {
        String names = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(" + "));
        return names + ", heap at most " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB";
    }

    /** The protocol's field `gc`: what happened since an earlier reading. */
    Map<String, Object> since(Collector earlier) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("collections", collections - earlier.collections);
        result.put("pause_ns", (pauseMillis - earlier.pauseMillis) * 1_000_000);
        result.put("cpu_ns", null);
        long allocated = allocatedBytes - earlier.allocatedBytes;
        result.put("allocated_bytes", allocatedBytes < 0 || allocated < 0 ? null : (Object) allocated);
        result.put("source", "java.lang.management");
        return result;
    }
}
