package scoville.functionaljava;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class FunctionalJavaLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new FunctionalJavaLibrary();
    }
}
