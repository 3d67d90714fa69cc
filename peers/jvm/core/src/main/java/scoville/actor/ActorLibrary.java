package scoville.actor;

import java.util.Map;

/** An actor library, found on the class path by {@link java.util.ServiceLoader}; exactly one per program. */
public interface ActorLibrary {
    /** The runtime's name in the manifest. */
    String name();

    /** The library's version, read from the library. */
    String version();

    /** Labels that hold for every benchmark: in what its plain use differs from that of the others. */
    default Map<String, String> labels() {
        return Map.of();
    }

    /** Whether it offers a benchmark, by name. */
    default boolean offers(String benchmark) {
        return true;
    }

    /** Starts the library with this many threads that execute actors. Called once per process. */
    Runtime start(int workers);

    /** The running library: creates actors at the top, from any thread, those of actors included. */
    interface Runtime extends Spawner, AutoCloseable {
        /** Threads that execute actors, as the library tells it. */
        int workers();

        /**
         * Waits until the library has done what it does by itself for actors that were created or have ended. Called outside
         * the clock, lest the next iteration pays for the last one.
         */
        default void settle() {}

        /** Ends the library and its threads. */
        @Override
        void close();
    }
}
