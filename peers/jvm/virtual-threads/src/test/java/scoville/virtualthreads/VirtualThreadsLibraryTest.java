package scoville.virtualthreads;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class VirtualThreadsLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new VirtualThreadsLibrary();
    }

    /** The carrier, whose name stands behind that of the virtual thread. */
    @Override
    protected Object worker() {
        String thread = Thread.currentThread().toString();
        return thread.substring(thread.indexOf('@') + 1);
    }
}
