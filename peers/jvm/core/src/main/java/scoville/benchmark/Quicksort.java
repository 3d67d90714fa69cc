package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Quicksort: a tree of actors that send whole lists, down to a length. */
final class Quicksort implements Benchmark {
    private enum Position {
        INITIAL,
        LEFT,
        RIGHT
    }

    private record Sort(LongList data) {}

    private record Sorted(LongList data, Position position) {}

    /** Written by the root before it stops. */
    private static final class Report {
        long count;
        long sum;
        boolean sorted = true;
        long hash;

        void describe(LongList list) {
            Checksum checksum = new Checksum();
            count = list.size();
            for (int i = 0; i < list.size(); i++) {
                long value = list.get(i);
                checksum.add(value);
                sum += value;
                sorted &= i == 0 || list.get(i - 1) <= value;
            }
            hash = checksum.value();
        }
    }

    /** A list divided by its middle element, with one pass for each part. */
    private record Parts(LongList left, LongList equal, LongList right) {
        static Parts of(LongList list) {
            long pivot = list.get(list.size() / 2);
            LongList left = new LongList(list.size() / 2); // a guess; it grows
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i) < pivot) {
                    left.add(list.get(i));
                }
            }
            LongList equal = new LongList(8);
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i) == pivot) {
                    equal.add(list.get(i));
                }
            }
            LongList right = new LongList(list.size() - left.size() - equal.size());
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i) > pivot) {
                    right.add(list.get(i));
                }
            }
            return new Parts(left, equal, right);
        }
    }

    /** The same algorithm without actors. */
    private static LongList sortAlone(LongList list) {
        if (list.size() < 2) {
            return list;
        }
        Parts parts = Parts.of(list);
        return LongList.concat(sortAlone(parts.left), parts.equal, sortAlone(parts.right));
    }

    private static final class Sorter extends Actor {
        private final Report report;
        private final ActorRef parent;
        private final Position position;
        private final long threshold;
        private LongList result;
        private int fragments;

        /** The root has no parent and reports instead. */
        Sorter(Report report, ActorRef parent, Position position, long threshold) {
            this.report = report;
            this.parent = parent;
            this.position = position;
            this.threshold = threshold;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Sorted sorted) {
                add(sorted);
            } else if (message instanceof Sort sort) {
                sort(sort.data);
            } else {
                throw unexpected(message);
            }
        }

        private void sort(LongList data) {
            if (data.size() < threshold) {
                finish(sortAlone(data));
                return;
            }
            Parts parts = Parts.of(data);
            spawn(new Sorter(report, self(), Position.LEFT, threshold)).send(new Sort(parts.left));
            spawn(new Sorter(report, self(), Position.RIGHT, threshold)).send(new Sort(parts.right));
            result = parts.equal;
            fragments = 1;
        }

        private void add(Sorted sorted) {
            result = sorted.position == Position.LEFT
                    ? LongList.concat(sorted.data, result)
                    : LongList.concat(result, sorted.data);
            fragments++;
            if (fragments == 3) {
                finish(result);
            }
        }

        private void finish(LongList sorted) {
            if (parent != null) {
                parent.send(new Sorted(sorted, position));
            } else {
                report.describe(sorted);
            }
            stop();
        }
    }

    @Override
    public String name() {
        return "quicksort";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("n", 1),
                Parameter.atLeast("m", 1),
                Parameter.atLeast("t", 1),
                Parameter.atLeast("s", 0));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int length = parameters.length("n");
        Report report = new Report();
        run.timed(() -> {
            ActorRef root = run.spawn(new Sorter(report, null, Position.INITIAL, parameters.get("t")));
            root.send(new Sort(draw(length, parameters.get("m"), parameters.get("s"))));
        });
        return Outcome.of(
                report.hash, Map.of("count", report.count, "sorted", report.sorted ? 1L : 0L, "sum", report.sum));
    }

    private static LongList draw(int length, long modulus, long seed) {
        Rng rng = new Rng(seed);
        LongList list = new LongList(length);
        for (int i = 0; i < length; i++) {
            list.add(rng.next() % modulus);
        }
        return list;
    }
}
