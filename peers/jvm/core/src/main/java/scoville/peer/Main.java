package scoville.peer;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.util.ServiceLoader;
import scoville.actor.ActorLibrary;

/**
 * The peer's program: one argument, the number of workers.
 *
 * <p>Java cannot open a descriptor by its number, so the laboratory's socket has to be the standard input. It is
 * bidirectional: the protocol is read from and written to this one descriptor.
 */
public final class Main {
    private Main() {}

    /** Ends with status 0 after `bye` and `stop`, otherwise with 1. */
    public static void main(String[] arguments) {
        // halt, not exit: threads of the library must not keep the process.
        Runtime.getRuntime().halt(run(arguments));
    }

    private static int run(String[] arguments) {
        if (arguments.length != 1 || !arguments[0].matches("[1-9][0-9]{0,8}")) {
            System.err.println("usage: scoville.peer.Main WORKERS\n"
                    + "WORKERS is the number of threads that execute actors, at least 1. "
                    + "The laboratory must be connected to the standard input, a bidirectional socket.");
            return 1;
        }
        ActorLibrary library = ServiceLoader.load(ActorLibrary.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no actor library on the class path"));
        LineChannel laboratory =
                new LineChannel(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.in));
        return converse(laboratory, library, Integer.parseInt(arguments[0]));
    }

    /**
     * Returns the exit status. The library is not ended: all actors have stopped, and what it would still tidy up goes with
     * the process. Pekko needs seconds to forget a million actors, in which the laboratory would wait for the exit.
     */
    static int converse(LineChannel laboratory, ActorLibrary library, int workers) {
        try {
            ActorLibrary.Runtime runtime = library.start(workers);
            Peer.Ending ending = new Peer(laboratory, library, runtime, new Eden()::touch).serve();
            return ending == Peer.Ending.BYE || ending == Peer.Ending.STOP ? 0 : 1;
        } catch (Peer.ProtocolError mistake) {
            System.err.println("scoville.peer.Main: " + mistake.getMessage());
            return 1;
        } catch (Throwable error) { // any that got away would leave the process to the library's threads
            error.printStackTrace();
            return 1;
        }
    }
}
