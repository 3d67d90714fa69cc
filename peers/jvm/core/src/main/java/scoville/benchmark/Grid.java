package scoville.benchmark;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A directed graph on the points of a cube, and which node claimed each node first. Actors share it. */
final class Grid {
    private static final int UNCLAIMED = -1;
    private static final int ORIGIN = -2;

    private final int side;
    private final int target;
    private final int[][] neighbours;
    private final AtomicIntegerArray parent;

    /** Draws the graph: a node may have edges to those that are further by at most one in each direction. */
    Grid(int side) {
        this.side = side;
        int t = 4 * side / 5;
        target = node(t, t, t);
        int nodes = side * side * side;
        neighbours = new int[nodes][];
        J48 random = new J48(123456);
        for (int id = 0; id < nodes; id++) {
            neighbours[id] = draw(random, id);
        }
        parent = new AtomicIntegerArray(nodes);
        for (int id = 1; id < nodes; id++) {
            parent.set(id, UNCLAIMED);
        }
        parent.set(0, ORIGIN);
    }

    private int node(int i, int j, int k) {
        return (i * side + j) * side + k;
    }

    private int[] draw(J48 random, int id) {
        int i = id / (side * side);
        int j = id / side % side;
        int k = id % side;
        int[] found = new int[6];
        int count = 0;
        for (int step = 2; step <= 7; step++) {
            boolean accepted = step == 7 && count == 0 || random.bool();
            int offset = step - 1; // its three bits are the steps in each direction
            int candidate = node(
                    Math.min(side - 1, i + (offset >> 2)),
                    Math.min(side - 1, j + (offset >> 1 & 1)),
                    Math.min(side - 1, k + (offset & 1)));
            if (accepted && candidate != id && !contains(found, count, candidate)) {
                found[count++] = candidate;
            }
        }
        return Arrays.copyOf(found, count);
    }

    private static boolean contains(int[] list, int size, int node) {
        for (int at = 0; at < size; at++) {
            if (list[at] == node) {
                return true;
            }
        }
        return false;
    }

    int target() {
        return target;
    }

    int[] neighbours(int node) {
        return neighbours[node];
    }

    /** Makes a node the parent of another, unless that has one already. */
    boolean claim(int node, int by) {
        return parent.compareAndSet(node, UNCLAIMED, by);
    }

    /** The steps that are left from a node to the far corner, in the worst direction. */
    int distance(int node) {
        return Math.max(side - node / (side * side), Math.max(side - node / side % side, side - node % side));
    }

    /** The number of edges from the target back to the origin; -1 if the parents lead elsewhere. */
    long pathLength() {
        int node = target;
        for (long edges = 0; edges < neighbours.length; edges++) {
            int next = parent.get(node);
            if (next == ORIGIN) {
                return edges;
            } else if (next == UNCLAIMED) {
                return -1;
            }
            node = next;
        }
        return -1;
    }
}
