package scoville.actor;

import java.util.concurrent.ForkJoinTask;

/**
 * What a library lets a {@link WorkerPool} do, as the pool's own kind of task. Of anything else the pool makes one of
 * its own, and marks that as done for those who join it. Nobody joins the step of an actor.
 */
@SuppressWarnings("serial") // tasks are written nowhere
public abstract class PoolTask extends ForkJoinTask<Void> {
    /** The step itself. */
    protected abstract void run();

    /** Never done, as seen by the pool. It would keep an error for those who join: here it is told as the pool's others are. */
    @Override
    protected final boolean exec() {
        try {
            run();
        } catch (Throwable error) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        }
        return false;
    }

    @Override
    public final Void getRawResult() {
        return null;
    }

    @Override
    protected final void setRawResult(Void value) {}
}
