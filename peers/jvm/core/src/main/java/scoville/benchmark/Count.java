package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Counting Actor: a flood from one actor into the mailbox of another. */
final class Count implements Benchmark {
    private enum Signal {
        START,
        INCREMENT
    }

    private record Retrieve(ActorRef from) {}

    private record Result(long value) {}

    /** Written by the producer before it stops. */
    private static final class Report {
        long result = -1;
    }

    private static final class Counter extends Actor {
        private long count;

        @Override
        protected void receive(Object message) {
            if (message == Signal.INCREMENT) {
                count++;
            } else if (message instanceof Retrieve retrieve) {
                retrieve.from.send(new Result(count));
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Producer extends Actor {
        private final Report report;
        private final ActorRef counter;
        private final long messages;

        Producer(Report report, ActorRef counter, long messages) {
            this.report = report;
            this.counter = counter;
            this.messages = messages;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.START) {
                for (long i = 0; i < messages; i++) {
                    counter.send(Signal.INCREMENT);
                }
                counter.send(new Retrieve(self()));
            } else if (message instanceof Result result) {
                report.result = result.value;
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "count";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("messages", 0));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Report report = new Report();
        run.timed(() -> {
            ActorRef counter = run.spawn(new Counter());
            ActorRef producer = run.spawn(new Producer(report, counter, parameters.get("messages")));
            producer.send(Signal.START);
        });
        return Outcome.of(report.result, Map.of());
    }
}
