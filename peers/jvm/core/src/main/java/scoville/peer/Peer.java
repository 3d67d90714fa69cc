package scoville.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import scoville.actor.ActorLibrary;
import scoville.actor.Run;
import scoville.benchmark.BadParameter;
import scoville.benchmark.Benchmark;
import scoville.benchmark.Outcome;
import scoville.benchmark.Parameters;
import scoville.benchmark.Unsupported;

/** The conversation with the laboratory (docs/protocol.md). */
final class Peer {
    /** Why a conversation ended. */
    enum Ending {
        /** As planned; already answered. */
        BYE,
        /** Asked to leave at once. */
        STOP,
        /** The laboratory closed its end. */
        GONE,
        /** An iteration failed; already reported. Actors may be left that wait for ever. */
        FAILED
    }

    /** The laboratory said something that the protocol does not allow. */
    static final class ProtocolError extends Exception {
        private static final long serialVersionUID = 1;

        ProtocolError(String message) {
            super(message);
        }
    }

    private final LineChannel laboratory;
    private final ActorLibrary library;
    private final ActorLibrary.Runtime runtime;
    private final List<Benchmark> benchmarks;

    /** Has the kernel give the heap the pages that it has not. */
    private final Runnable touchHeap;

    Peer(LineChannel laboratory, ActorLibrary library, ActorLibrary.Runtime runtime, Runnable touchHeap) {
        this.laboratory = laboratory;
        this.library = library;
        this.runtime = runtime;
        this.touchHeap = touchHeap;
        this.benchmarks = Benchmark.all().stream()
                .filter(benchmark -> library.offers(benchmark.name()))
                .toList();
    }

    /** Says hello, then runs what is asked for until told to leave. */
    Ending serve() throws IOException, ProtocolError {
        send(hello());
        for (String line = laboratory.read(); line != null; line = laboratory.read()) {
            Map<?, ?> message = parse(line);
            String type = text(message, "type");
            switch (type) {
                case "run" -> {
                    Map<String, Object> answer = answer(message);
                    send(answer);
                    if ("failed".equals(answer.get("code"))) {
                        return Ending.FAILED;
                    }
                }
                case "bye" -> {
                    send(Map.of("type", "bye"));
                    return Ending.BYE;
                }
                case "stop" -> {
                    return Ending.STOP;
                }
                default -> throw new ProtocolError("a message of the unknown type " + type);
            }
        }
        return Ending.GONE;
    }

    private void send(Map<String, Object> message) throws IOException {
        laboratory.write(Json.write(message));
    }

    private static Map<?, ?> parse(String line) throws ProtocolError {
        try {
            if (Json.parse(line) instanceof Map<?, ?> message) {
                return message;
            }
        } catch (Json.SyntaxError error) {
            throw new ProtocolError("a line that is not JSON: " + error.getMessage());
        }
        throw new ProtocolError("a line that is not a JSON object");
    }

    private static String text(Map<?, ?> message, String field) throws ProtocolError {
        if (message.get(field) instanceof String value) {
            return value;
        }
        throw new ProtocolError("a message without the string field " + field);
    }

    private Map<String, Object> hello() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("type", "hello");
        result.put("protocol", 1);
        result.put("runtime", library.name());
        result.put("version", library.version());
        result.put(
                "language",
                "Java " + System.getProperty("java.version") + " (" + System.getProperty("java.vm.name") + ")");
        result.put("workers", runtime.workers());
        result.put("gc", Collector.describe());
        result.put("capabilities", List.of("count-messages", "gc"));
        Map<String, String> labels = new TreeMap<>(library.labels());
        benchmarks.forEach(benchmark -> labels.putAll(benchmark.labels()));
        result.put("labels", labels);
        result.put("benchmarks", benchmarks.stream().map(Benchmark::name).toList());
        return result;
    }

    /** The answer to a `run`, apart from `begin`. */
    private Map<String, Object> answer(Map<?, ?> message) throws IOException, ProtocolError {
        String name = text(message, "benchmark");
        Map<String, Object> given = parameters(message);
        boolean counting = wantsCounting(message);
        try {
            Benchmark benchmark = find(name);
            return iterate(benchmark, Parameters.check(benchmark, given), counting);
        } catch (BadParameter error) {
            return fail("bad-parameter", error.getMessage());
        } catch (Unsupported error) {
            return fail("unsupported", name + ": " + error.getMessage());
        } catch (Run.Failed error) {
            error.getCause().printStackTrace();
            return fail("failed", name + ": " + error.getMessage());
        } catch (UncheckedIOException error) {
            throw error.getCause();
        }
    }

    private static Map<String, Object> parameters(Map<?, ?> message) throws ProtocolError {
        if (!(message.get("parameters") instanceof Map<?, ?> given)) {
            throw new ProtocolError("a run whose field parameters is not an object");
        }
        Map<String, Object> result = new LinkedHashMap<>();
        given.forEach((key, value) -> result.put((String) key, value));
        return result;
    }

    private static boolean wantsCounting(Map<?, ?> message) throws ProtocolError {
        if (!message.containsKey("count_messages")) {
            return false;
        }
        if (message.get("count_messages") instanceof Boolean flag) {
            return flag;
        }
        throw new ProtocolError("a run whose field count_messages is neither true nor false");
    }

    private Benchmark find(String name) throws BadParameter {
        return benchmarks.stream()
                .filter(benchmark -> benchmark.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadParameter(name + ": unknown benchmark"));
    }

    private static Map<String, Object> fail(String code, String text) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("type", "fail");
        result.put("code", code);
        result.put("message", text);
        return result;
    }

    private Map<String, Object> iterate(Benchmark benchmark, Parameters parameters, boolean counting)
            throws Run.Failed {
        Collector[] readings = new Collector[2];
        Run run = new Run(
                runtime,
                counting,
                () -> {
                    readings[0] = Collector.now();
                    begin();
                },
                () -> readings[1] = Collector.now());
        // Nobody looks at the time of an iteration that counts.
        if (!counting && !benchmark.measuresMemory()) {
            touchHeap.run();
        }
        run.settle();
        Outcome outcome = benchmark.run(run, parameters);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("type", "end");
        result.put("wall_ns", run.elapsed());
        result.put("result", outcome.result());
        result.put("checks", outcome.checks());
        result.put("metrics", outcome.metrics());
        if (!outcome.perActor().isEmpty()) {
            result.put("per_actor", outcome.perActor());
        }
        if (counting) {
            Run.Work work = run.work();
            result.put("work", Map.of("actors", work.actors(), "messages", work.messages()));
        }
        result.put("gc", readings[1].since(readings[0]));
        return result;
    }

    private void begin() {
        try {
            send(Map.of("type", "begin"));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
