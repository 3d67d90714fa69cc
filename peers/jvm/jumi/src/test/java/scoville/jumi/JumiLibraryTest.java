package scoville.jumi;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class JumiLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new JumiLibrary();
    }
}
