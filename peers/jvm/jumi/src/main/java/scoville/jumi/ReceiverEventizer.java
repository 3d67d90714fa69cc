package scoville.jumi;

import fi.jumi.actors.eventizers.Event;
import fi.jumi.actors.eventizers.Eventizer;
import fi.jumi.actors.eventizers.EventizerProvider;
import fi.jumi.actors.queue.MessageSender;

/** Makes events of calls and calls of events; what Jumi's generator would write, and faster than its reflection. */
final class ReceiverEventizer implements Eventizer<Receiver>, EventizerProvider {
    private record Receive(Object message) implements Event<Receiver> {
        @Override
        public void fireOn(Receiver target) {
            target.receive(message);
        }
    }

    @Override
    public Class<Receiver> getType() {
        return Receiver.class;
    }

    @Override
    public Receiver newFrontend(MessageSender<Event<Receiver>> target) {
        return message -> target.send(new Receive(message));
    }

    @Override
    public MessageSender<Event<Receiver>> newBackend(Receiver target) {
        return event -> event.fireOn(target);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> Eventizer<T> getEventizerForType(Class<T> type) {
        if (type != Receiver.class) {
            throw new IllegalArgumentException("no actor of the suite is a " + type);
        }
        return (Eventizer<T>) this;
    }
}
