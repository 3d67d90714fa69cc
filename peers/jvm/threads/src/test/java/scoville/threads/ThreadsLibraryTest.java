package scoville.threads;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class ThreadsLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new ThreadsLibrary();
    }

    /** The CPUs: every actor has a thread, and how many of them run at a time is not the library's affair. */
    @Override
    protected Object worker() {
        return "CPUs";
    }
}
