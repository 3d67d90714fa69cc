package scoville.jetlang;

import org.jetlang.fibers.Fiber;
import scoville.actor.Actor;
import scoville.actor.ActorCell;
import scoville.actor.ActorRef;
import scoville.actor.Spawner;

/** Hosts an actor of the suite on a fiber. A fiber runs tasks in the order given: a message is one. */
final class JetlangCell extends ActorCell {
    private final Fiber fiber;

    private JetlangCell(Fiber fiber, Actor actor, Spawner spawner) {
        super(actor, spawner);
        this.fiber = fiber;
    }

    static ActorRef create(Fiber fiber, Actor actor, Spawner spawner) {
        ActorRef result = new JetlangCell(fiber, actor, spawner).begin();
        fiber.start();
        return result;
    }

    @Override
    protected void deliver(Object message) {
        fiber.execute(() -> accept(message));
    }

    /** The rest of the batch in hand still comes, and is dropped. */
    @Override
    protected void end() {
        fiber.dispose();
        stopped();
    }
}
