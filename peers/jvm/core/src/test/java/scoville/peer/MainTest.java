package scoville.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
