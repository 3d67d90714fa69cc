package scoville.akka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DirectTest {
    /** The programs compare what they computed with what it should be. */
    @Test
    void everyProgramComputesWhatItShouldOnAkka() throws Exception {
        Class<?> programs = Direct.compile(Path.of(".."));
        var names = programs.getDeclaredField("PROGRAMS");
        names.setAccessible(true);
        Map<?, ?> all = (Map<?, ?>) names.get(null);
        assertEquals(8, all.size());
        for (Object name : all.keySet()) {
            Direct.run(programs, "2", (String) name, "1", "21", "30");
        }
        assertEquals(
                akka.actor.ActorSystem.class,
                programs.getDeclaredMethod("start", int.class).getReturnType());
    }
}
