package scoville.scalaz;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class ScalazLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new ScalazLibrary();
    }
}
