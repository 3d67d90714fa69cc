package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Run;

/** A benchmark: what it accepts and what it does. */
public interface Benchmark {
    /** The name in the catalogue. */
    String name();

    /** The parameters in the order of the catalogue. */
    List<Parameter> parameters();

    /** What parameters have to do with each other, in the order of the catalogue. */
    default List<Relation> relations() {
        return List.of();
    }

    /** Labels that the catalogue asks for. */
    default Map<String, String> labels() {
        return Map.of();
    }

    /** Whether it measures how resident memory grows, so that none may be touched before. */
    default boolean measuresMemory() {
        return false;
    }

    /**
     * Makes one iteration.
     *
     * @throws Unsupported before the timed region, if a library of the JVM cannot do this
     */
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
                new Big(),
                new ConcurrentDictionary(),
                new ConcurrentSortedList(),
                new BoundedBuffer(),
                new DiningPhilosophers(),
                new SleepingBarber(),
                new CigaretteSmokers(),
                new LogisticMap(),
                new BankTransaction(),
                new AllPairsShortestPath(),
                new AStar(),
                new NQueens(),
                new RecursiveMatrixMultiplication(),
                new Quicksort(),
                new RadixSort(),
                new FilterBank(),
                new BitonicSort(),
                new Sieve(),
                new CobwebbedTree(),
                new FacilityLocation(),
                new Trapezoid(),
                new PiPrecision(),
                new OverRelaxation(),
                new MatrixSearch(),
                new BigNeighbours(),
                new ChameneosFair(),
                new Fannkuch(),
                new PingPing(),
                new Spawn(),
                new Pairs(),
                new Mixed(),
                new Chat());
    }
}
