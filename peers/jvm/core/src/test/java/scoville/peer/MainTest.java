package scoville.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scoville.actor.Actor;
import scoville.actor.ActorLibrary;
import scoville.actor.ActorRef;

final class MainTest {
    /** The laboratory waits for the exit, whatever its last word was, if any: nothing else may come before. */
    @ParameterizedTest
    @CsvSource({"bye, 0", "stop, 0", ", 1"})
    void endsWithTheStatusOfTheProtocolAndNotTheLibrary(String last, int status) {
        String said = last == null ? "" : "{\"type\":\"%s\"}\n".formatted(last);
        ByteArrayInputStream in = new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8));
        LineChannel laboratory = new LineChannel(in, new ByteArrayOutputStream());
        assertEquals(status, Main.converse(laboratory, new Endless(), 2));
    }

    /** Of whatever kind the error is: the threads of some libraries would keep the process, and the laboratory would wait. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsWithWhateverTheLibraryThrowsAtTheDriver(boolean atTheStart) {
        String said = "{\"type\":\"run\",\"benchmark\":\"fib\",\"parameters\":{\"index\":1},\"iteration\":0}\n";
        ByteArrayInputStream in = new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(1, Main.converse(new LineChannel(in, out), new Broken(atTheStart), 2));
        assertEquals(atTheStart, out.size() == 0);
    }

    private static final class Broken implements ActorLibrary {
        private final ActorLibrary sound = new Endless();
        private final boolean atTheStart;

        Broken(boolean atTheStart) {
            this.atTheStart = atTheStart;
        }

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public Runtime start(int workers) {
            if (atTheStart) {
                throw new NoClassDefFoundError("a class that the library needs");
            }
            return sound.start(workers);
        }
    }

    private static final class Endless implements ActorLibrary {
        @Override
        public String name() {
            return "endless";
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public Runtime start(int workers) {
            return new Runtime() {
                @Override
                public int workers() {
                    return workers;
                }

                @Override
                public ActorRef spawn(Actor actor) {
                    throw new AssertionError("there is no benchmark to run");
                }

                @Override
                public void close() {
                    throw new AssertionError("the program would wait for the library's end");
                }
            };
        }
    }
}
