package scoville.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import scoville.actor.ActorLibrary;

/** What a library has to pass that is a module of its own. */
public abstract class ModuleTest extends LibraryTest {
    @Test
    void isFoundAsTheOnlyLibrary() {
        List<? extends Class<? extends ActorLibrary>> found = ServiceLoader.load(ActorLibrary.class).stream()
                .map(ServiceLoader.Provider::type)
                .toList();
        assertEquals(List.of(library().getClass()), found);
    }

    @Test
    void knowsItsVersion() {
        String version = library().version();
        assertTrue(version.matches("[0-9]+(\\.[0-9]+)+"), version);
    }
}
