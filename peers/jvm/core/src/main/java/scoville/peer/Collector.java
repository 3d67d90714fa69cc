package scoville.peer;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What the garbage collector did, and what the threads allocated, from the JVM's management beans: the latter by the id of
 * each thread that was alive.
 */
record Collector(long collections, long pauseMillis, long threadsStarted, Map<Long, Long> allocated) {
    /** Until now. */
    static Collector now() {
        long collections = 0;
        long pauseMillis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += bean.getCollectionCount();
            pauseMillis += bean.getCollectionTime();
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return new Collector(collections, pauseMillis, threads.getTotalStartedThreadCount(), allocated(threads));
    }

    /** -1 for a thread whose allocation is not known. */
    private static Map<Long, Long> allocated(ThreadMXBean threads) {
        Map<Long, Long> result = new HashMap<>();
        for (long id : threads.getAllThreadIds()) {
            boolean known = threads instanceof com.sun.management.ThreadMXBean;
            result.put(id, known ? ((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(id) : -1);
        }
        return result;
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
        result.put("allocated_bytes", allocatedSince(earlier));
        result.put("source", "java.lang.management");
        return result;
    }

    /** Null if a thread has ended since, as every actor's own does: the JVM forgets with it what it had allocated. */
    private Long allocatedSince(Collector earlier) {
        long newcomers = allocated.keySet().stream()
                .filter(id -> !earlier.allocated.containsKey(id))
                .count();
        boolean allAlive = allocated.keySet().containsAll(earlier.allocated.keySet())
                && threadsStarted - earlier.threadsStarted == newcomers;
        return allAlive && !allocated.containsValue(-1L) ? sum(allocated) - sum(earlier.allocated) : null;
    }

    private static long sum(Map<Long, Long> allocated) {
        return allocated.values().stream().mapToLong(Long::longValue).sum();
    }
}
