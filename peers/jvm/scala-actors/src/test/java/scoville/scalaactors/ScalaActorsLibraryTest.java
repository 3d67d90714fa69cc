package scoville.scalaactors;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class ScalaActorsLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new ScalaActorsLibrary();
    }
}
