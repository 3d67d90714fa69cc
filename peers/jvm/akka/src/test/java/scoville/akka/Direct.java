package scoville.akka;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.tools.ToolProvider;

/**
 * Pekko's direct programs on Akka. Pekko is Akka under another name: their source is taken, renamed and compiled when they
 * are started, since a copy would have to be kept alike.
 *
 * <pre>java -cp TEST-CLASSES:'LIB/*' scoville.akka.Direct JVM-PEER WORKERS BENCHMARK ITERATIONS SIZE...</pre>
 *
 * prints what they print. JVM-PEER is the folder of all modules.
 */
final class Direct {
    private static final String SOURCE = "pekko/src/test/java/scoville/pekko/Direct.java";

    private Direct() {}

    public static void main(String[] args) throws Exception {
        run(compile(Path.of(args[0])), Arrays.copyOfRange(args, 1, args.length));
    }

    /** Compiles the programs into the folder that this class was loaded from. */
    static Class<?> compile(Path jvmPeer) throws Exception {
        String akka = Files.readString(jvmPeer.resolve(SOURCE))
                .replace("org.apache.pekko.", "akka.")
                .replace("scoville.pekko", "scoville.akka.programs")
                .replace("pekko.", "akka.");
        Path classes = Path.of(
                Direct.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path source = Files.writeString(classes.resolve("Direct.java"), akka);
        String[] options = {"-cp", System.getProperty("java.class.path"), "-d", classes.toString(), source.toString()};
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, options) != 0) {
            throw new IllegalStateException(source + " cannot be compiled");
        }
        return Class.forName("scoville.akka.programs.Direct");
    }

    static void run(Class<?> programs, String... args) throws ReflectiveOperationException {
        var main = programs.getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        main.invoke(null, (Object) args);
    }
}
