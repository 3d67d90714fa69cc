package scoville.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.apache.pekko.actor.ActorSystem;
import org.junit.jupiter.api.Test;

final class DirectTest {
    /** The programs compare what they computed with what it should be. */
    @Test
    void everyProgramComputesWhatItShould() throws Exception {
        ActorSystem system = Direct.start(2);
        try {
            assertEquals(8, Direct.PROGRAMS.size());
            for (Map.Entry<String, Direct.Program> program : Direct.PROGRAMS.entrySet()) {
                for (int size : new int[] {1, 3, 20}) {
                    program.getValue().run(system, new int[] {size + 1, 30});
                }
            }
        } finally {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().join();
        }
    }
}
