package scoville.benchmark;

import scoville.actor.ActorLibrary;

final class QueueLibraryTest extends LibraryTest {
    @Override
    protected ActorLibrary library() {
        return new QueueLibrary();
    }
}
