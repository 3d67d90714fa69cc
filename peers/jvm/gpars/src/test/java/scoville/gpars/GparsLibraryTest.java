package scoville.gpars;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class GparsLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new GparsLibrary();
    }
}
