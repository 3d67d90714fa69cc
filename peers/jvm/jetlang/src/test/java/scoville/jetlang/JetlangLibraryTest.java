package scoville.jetlang;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class JetlangLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new JetlangLibrary();
    }
}
