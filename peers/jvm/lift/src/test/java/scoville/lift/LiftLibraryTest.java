package scoville.lift;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class LiftLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new LiftLibrary();
    }
}
