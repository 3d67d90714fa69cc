package scoville.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RunTest {
    /** An adapter that tells the end of an actor twice: the phase would end while another actor lives. */
    @Test
    void failsWhenAnActorEndsTwice() {
        Run run = new Run(new Forgetful(), false, () -> {}, () -> {});
        Run.Failed failure = assertThrows(Run.Failed.class, () -> run.timed(() -> run.spawn(new Idle())));
        assertEquals("more actors stopped than were created", failure.getMessage());
    }

    private static final class Forgetful implements ActorLibrary.Runtime {
        @Override
        public ActorRef spawn(Actor actor) {
            actor.stopped();
            actor.stopped();
            return null;
        }

        @Override
        public int workers() {
            return 1;
        }

        @Override
        public void close() {}
    }

    private static final class Idle extends Actor {
        @Override
        protected void receive(Object message) {
            throw unexpected(message);
        }
    }
}
