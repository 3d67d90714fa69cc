package scoville.actor;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many there are, where many threads come and go: it tells exactly one of them that it was the last.
 *
 * <p>One shared number would cost every actor two transfers of its cache line between processors, as much as some
 * libraries need for an actor's whole life. So most of the count lies in stripes, which threads choose by their own
 * number and change alone as long as there is something in them. Who finds an empty one goes to the office, a lock. It
 * keeps at least one of the count to itself, so that nobody can be the last without coming there; lends to stripes what
 * it does not need; and takes back all that is lent before it says that nobody is left. Only the office fills an empty
 * stripe, so none that it has emptied can change behind its back.
 */
final class Headcount {
    /** Longs between two stripes: two cache lines, since processors fetch them in pairs. */
    private static final int STRIDE = 16;

    /** Stripes for each processor. Threads whose numbers follow one another never share one. */
    private static final int SPARE = 4;

    private final int mask;
    private final AtomicLongArray stripes;

    /** What lies in no stripe; guarded by this. At least 1 whenever nobody is in the office, until the last has left. */
    private long rest;

    /** As many as {@code initial}, at least 1. */
    Headcount(long initial) {
        this(initial, SPARE * Runtime.getRuntime().availableProcessors());
    }

    /** With at least so many stripes. */
    Headcount(long initial, int atLeast) {
        int number = Integer.highestOneBit(2 * atLeast - 1);
        mask = number - 1;
        stripes = new AtomicLongArray((number + 1) * STRIDE);
        rest = initial;
    }

    /** One more, made by one who has not left. */
    void enter() {
        enter(ownStripe());
    }

    /** The same on any stripe. */
    void enter(int stripe) {
        if (!change(stripe, 1)) {
            enterThroughOffice(stripe);
        }
    }

    /**
     * One less.
     *
     * @return whether it was the last
     * @throws IllegalStateException if more have left than were there
     */
    boolean leave() {
        return leave(ownStripe());
    }

    /** The same on any stripe. */
    boolean leave(int stripe) {
        return !change(stripe, -1) && leaveThroughOffice(stripe);
    }

    /** Where a stripe of some number lies. */
    int stripe(int number) {
        return ((number & mask) + 1) * STRIDE;
    }

    private int ownStripe() {
        return stripe((int) Thread.currentThread().getId());
    }

    /** Changes a stripe by one, unless it is empty. */
    private boolean change(int stripe, int by) {
        for (long count = stripes.get(stripe); count > 0; count = stripes.get(stripe)) {
            if (stripes.compareAndSet(stripe, count, count + by)) {
                return true;
            }
        }
        return false;
    }

    private synchronized void enterThroughOffice(int stripe) {
        rest++;
        lend(stripe);
    }

    private synchronized boolean leaveThroughOffice(int stripe) {
        rest--;
        if (rest <= 0) {
            takeBack();
        }
        if (rest < 0) {
            throw new IllegalStateException("more actors stopped than were created");
        }
        lend(stripe);
        return rest == 0;
    }

    /** The smaller half: one always stays, and other threads will come. */
    private void lend(int stripe) {
        long loan = rest / 2;
        rest -= loan;
        stripes.addAndGet(stripe, loan);
    }

    private void takeBack() {
        for (int stripe = STRIDE; stripe < stripes.length(); stripe += STRIDE) {
            if (stripes.get(stripe) != 0) {
                rest += stripes.getAndSet(stripe, 0);
            }
        }
    }
}
