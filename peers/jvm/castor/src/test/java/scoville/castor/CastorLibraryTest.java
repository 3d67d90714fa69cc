package scoville.castor;

import scoville.actor.ActorLibrary;
import scoville.benchmark.ModuleTest;

final class CastorLibraryTest extends ModuleTest {
    @Override
    protected ActorLibrary library() {
        return new CastorLibrary();
    }
}
