package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** Matrix Search: light controllers send words to heavy seekers, each with a large matrix of its own. */
final class MatrixSearch implements Benchmark {
    private enum Signal {
        START,
        INIT,
        STOP
    }

    private record Job(int n, byte[] word) {}

    private record Found(int seeker, int n, long count) {}

    private record ControllerDone(long matches, long jobs) {}

    /** Arrays by seeker, each element written by one of them; the rest is the tally's. */
    private static final class Report {
        final long[] fillTime;
        final long[] searchTime;
        long matches;
        long jobs;

        Report(int seekers) {
            fillTime = new long[seekers];
            searchTime = new long[seekers];
        }
    }

    /** What all actors know. */
    private record Settings(
            int controllers, int seekers, int size, long jobs, int word, long alphabet, boolean blockwise) {}

    private static final class Tally extends Actor {
        private final Report report;
        private final int controllers;
        private int done;

        Tally(Report report, int controllers) {
            this.report = report;
            this.controllers = controllers;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof ControllerDone totals)) {
                throw unexpected(message);
            }
            report.matches += totals.matches;
            report.jobs += totals.jobs;
            done++;
            if (done == controllers) {
                stop();
            }
        }
    }

    private static final class Controller extends Actor {
        private final Report report;
        private final ActorRef tally;
        private final Settings settings;
        private final int firstSeeker;
        private final ActorRef[] seekers;
        private final int[] nextJob;
        private int round;
        private long matches;
        private long replies;

        Controller(Report report, ActorRef tally, Settings settings, int firstSeeker) {
            this.report = report;
            this.tally = tally;
            this.settings = settings;
            this.firstSeeker = firstSeeker;
            this.seekers = new ActorRef[settings.seekers];
            this.nextJob = new int[settings.seekers];
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Found found) {
                found(found);
            } else if (message == Signal.START) {
                begin();
            } else {
                throw unexpected(message);
            }
        }

        /** Seekers are told to stop and may do so after the controller. */
        private void begin() {
            for (int m = 0; m < seekers.length; m++) {
                seekers[m] = spawnTopLevel(new Seeker(report, self(), settings, m, firstSeeker + m));
            }
            for (ActorRef seeker : seekers) {
                seeker.send(Signal.INIT);
            }
            proceedAll();
        }

        private void found(Found found) {
            matches += found.count;
            replies++;
            if (settings.blockwise) {
                round++;
                if (round == seekers.length) {
                    round = 0;
                    proceedAll();
                }
            } else {
                proceed(found.seeker);
            }
            if (replies == seekers.length * settings.jobs) {
                tally.send(new ControllerDone(matches, replies));
                stop();
            }
        }

        private void proceedAll() {
            for (int m = 0; m < seekers.length; m++) {
                proceed(m);
            }
        }

        /** Gives a seeker its next job, or stops it after the last one. */
        private void proceed(int m) {
            int job = nextJob[m];
            if (job == settings.jobs) {
                seekers[m].send(Signal.STOP);
            } else {
                nextJob[m]++;
                seekers[m].send(new Job(job, word(firstSeeker + m, job)));
            }
        }

        private byte[] word(long seeker, long job) {
            L32 letters = new L32(seeker * 40503 + job * 9973 + 777);
            byte[] word = new byte[settings.word];
            for (int k = 0; k < word.length; k++) {
                word[k] = letters.letter(settings.alphabet);
            }
            return word;
        }
    }

    private static final class Seeker extends Actor {
        private final Report report;
        private final ActorRef controller;
        private final Settings settings;
        private final int local;
        private final int global;
        private byte[] matrix;

        Seeker(Report report, ActorRef controller, Settings settings, int local, int global) {
            this.report = report;
            this.controller = controller;
            this.settings = settings;
            this.local = local;
            this.global = global;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Job job) {
                long start = System.nanoTime();
                long count = occurrences(matrix, settings.size, job.word);
                report.searchTime[global] += System.nanoTime() - start;
                controller.send(new Found(local, job.n, count));
            } else if (message == Signal.INIT) {
                long start = System.nanoTime();
                matrix = fill();
                report.fillTime[global] = System.nanoTime() - start;
            } else if (message == Signal.STOP) {
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private byte[] fill() {
            L32 letters = new L32(global * 2654435761L + 12345);
            byte[] cells = new byte[settings.size * settings.size];
            for (int at = 0; at < cells.length; at++) {
                cells[at] = letters.letter(settings.alphabet);
            }
            return cells;
        }

        /** Counts the word in the columns of a matrix that is stored row by row, column after column. */
        private static long occurrences(byte[] matrix, int size, byte[] word) {
            long count = 0;
            for (int x = 0; x < size; x++) {
                for (int y = 0; y <= size - word.length; y++) {
                    int at = y * size + x;
                    int k = 0;
                    while (k < word.length && matrix[at] == word[k]) {
                        k++;
                        at += size;
                    }
                    count += k == word.length ? 1 : 0;
                }
            }
            return count;
        }
    }

    @Override
    public String name() {
        return "matrixsearch";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("controllers", 1),
                Parameter.atLeast("seekers", 1),
                Parameter.integer("size"),
                Parameter.atLeast("jobs", 1),
                Parameter.between("word", 1, 16),
                Parameter.between("alphabet", 2, 256),
                Parameter.oneOf("assign", "continuous", "blockwise"),
                Parameter.oneOf("place", "local", "roundrobin"));
    }

    @Override
    public List<Relation> relations() {
        return List.of(Relation.to("size", Rule.AT_LEAST, "word"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        if (parameters.word("place").equals("roundrobin")) {
            throw new Unsupported("place is roundrobin; no library of the JVM can be told where a woken actor runs");
        }
        Settings settings = new Settings(
                parameters.length("controllers"),
                parameters.length("seekers"),
                parameters.length("size"),
                parameters.length("jobs"),
                parameters.length("word"),
                parameters.get("alphabet"),
                parameters.word("assign").equals("blockwise"));
        Parameters.length("size * size", (long) settings.size * settings.size);
        Report report =
                new Report(Parameters.length("controllers * seekers", (long) settings.controllers * settings.seekers));
        run.timed(() -> {
            ActorRef tally = run.spawn(new Tally(report, settings.controllers));
            ActorRef[] controllers = new ActorRef[settings.controllers];
            for (int q = 0; q < controllers.length; q++) {
                controllers[q] = run.spawn(new Controller(report, tally, settings, q * settings.seekers));
            }
            for (ActorRef controller : controllers) {
                controller.send(Signal.START);
            }
        });
        return Outcome.of(report.matches, Map.of("jobs", report.jobs))
                .withMetrics(Map.of("fill_ns", Sums.of(report.fillTime), "search_ns", Sums.of(report.searchTime)));
    }
}
