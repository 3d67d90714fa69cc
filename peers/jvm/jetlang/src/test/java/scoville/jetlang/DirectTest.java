package scoville.jetlang;

import org.junit.jupiter.api.Test;

final class DirectTest {
    /** The programs compare what they computed with what it should be. */
    @Test
    void everyProgramComputesWhatItShould() throws Exception {
        try (Direct programs = new Direct(2)) {
            programs.runAll();
        }
    }
}
