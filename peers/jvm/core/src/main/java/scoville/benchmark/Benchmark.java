package scoville.benchmark;

import java.util.List;
import scoville.actor.Run;

/** A benchmark: what it accepts and what it does. */
public interface Benchmark {
    /** The name in the catalogue. */
    String name();

    /** The parameters in the order of the catalogue. */
    List<Parameter> parameters();

    /** Makes one iteration. */
    Outcome run(Run run, Parameters parameters) throws Run.Failed;

    /** All benchmarks in the order of the catalogue. */
    static List<Benchmark> all() {
        return List.of(
                new PingPong(),
                new ThreadRing(),
                new Count(),
                new ForkJoinThroughput(),
                new ForkJoinCreate(),
                new Fib(),
                new Chameneos(),
                new Big());
    }
}
