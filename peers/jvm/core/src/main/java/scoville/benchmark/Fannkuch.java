package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Fannkuch-redux: workers flip all permutations of a part of their sequence, with hardly a message. */
final class Fannkuch implements Benchmark {
    private enum Signal {
        START
    }

    private record Task(int number) {}

    private record Totals(long checksum, long maxFlips, long flips) {}

    /** Written by the manager before it stops. */
    private static final class Report {
        long checksum;
        long maxFlips;
        long flips;
    }

    /** How the permutations are divided. */
    private record Partition(int n, long permutations, long chunk, int tasks) {
        static Partition of(int n, long chunks) {
            long permutations = factorial(n);
            long chunk = ceilingQuotient(permutations, chunks);
            return new Partition(
                    n, permutations, chunk, Parameters.length("tasks", ceilingQuotient(permutations, chunk)));
        }

        private static long ceilingQuotient(long a, long b) {
            return (a - 1) / b + 1;
        }
    }

    private static long factorial(int n) {
        long product = 1;
        for (int i = 2; i <= n; i++) {
            product *= i;
        }
        return product;
    }

    private static final class Manager extends Actor {
        private final Report report;
        private final Partition partition;
        private int reports;

        Manager(Report report, Partition partition) {
            this.report = report;
            this.partition = partition;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Totals totals) {
                report.checksum += totals.checksum;
                report.maxFlips = Math.max(report.maxFlips, totals.maxFlips);
                report.flips += totals.flips;
                reports++;
                if (reports == partition.tasks) {
                    stop();
                }
            } else if (message == Signal.START) {
                ActorRef[] workers = new ActorRef[partition.tasks];
                for (int task = 0; task < workers.length; task++) {
                    workers[task] = spawn(new Worker(self(), partition));
                }
                for (int task = 0; task < workers.length; task++) {
                    workers[task].send(new Task(task));
                }
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef manager;
        private final Partition partition;

        Worker(ActorRef manager, Partition partition) {
            this.manager = manager;
            this.partition = partition;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Task task)) {
                throw unexpected(message);
            }
            manager.send(flipAll(task.number));
            stop();
        }

        private Totals flipAll(long task) {
            long first = task * partition.chunk;
            long end = Math.min(partition.permutations, first + partition.chunk);
            Permutation permutation = new Permutation(partition.n, first);
            long checksum = 0;
            long maxFlips = 0;
            long sum = 0;
            for (long index = first; index < end; index++) {
                if (index > first) {
                    permutation.next();
                }
                long flips = permutation.flips();
                sum += flips;
                maxFlips = Math.max(maxFlips, flips);
                checksum += index % 2 == 0 ? flips : -flips;
            }
            return new Totals(checksum, maxFlips, sum);
        }
    }

    /** A permutation in the sequence that rotates ever longer beginnings. */
    private static final class Permutation {
        private final int[] p;
        private final int[] count;
        private final int[] flipped;

        /** The permutation with this number. */
        Permutation(int n, long number) {
            p = new int[n];
            count = new int[n];
            flipped = new int[n];
            for (int i = 0; i < n; i++) {
                p[i] = i;
            }
            long index = number;
            for (int i = n - 1; i >= 1; i--) {
                long below = factorial(i);
                count[i] = (int) (index / below);
                index %= below;
                for (int places = count[i]; places > 0; places--) {
                    rotate(i);
                }
            }
        }

        /** Rotates the first last + 1 entries left by one place. */
        private void rotate(int last) {
            int first = p[0];
            for (int i = 0; i < last; i++) {
                p[i] = p[i + 1];
            }
            p[last] = first;
        }

        void next() {
            int i = 1;
            rotate(i);
            count[i]++;
            while (count[i] > i) {
                count[i] = 0;
                i++;
                rotate(i);
                count[i]++;
            }
        }

        /** How often the beginning that the first entry names can be reversed until that entry is 0. */
        long flips() {
            if (p[0] == 0) {
                return 0;
            }
            int[] q = flipped;
            System.arraycopy(p, 0, q, 0, p.length);
            long flips = 0;
            for (int last = q[0]; last != 0; last = q[0]) {
                for (int i = 0, j = last; i < j; i++, j--) {
                    int entry = q[i];
                    q[i] = q[j];
                    q[j] = entry;
                }
                flips++;
            }
            return flips;
        }
    }

    @Override
    public String name() {
        return "fannkuch";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.between("n", 2, 15), Parameter.atLeast("chunks", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Partition partition = Partition.of(parameters.length("n"), parameters.get("chunks"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Manager(report, partition)).send(Signal.START));
        return Outcome.of(report.checksum, Map.of("maxflips", report.maxFlips, "flips", report.flips));
    }
}
