package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Thread Ring: a token hops around a ring of actors, then an exit message collects the sum. */
final class ThreadRing implements Benchmark {
    private record Data(ActorRef next) {}

    private record Token(long k) {}

    private record Exit(long k, long acc) {}

    /** Written by the last actor before it stops. */
    private static final class Report {
        long result;
        long last;
    }

    /** A send is in the receiver's mailbox before it returns, so Data is always there before Token and Exit. */
    private static final class Ring extends Actor {
        private final Report report;
        private final long id;
        private final long size;
        private ActorRef next;
        private long seen;

        Ring(Report report, long id, long size) {
            this.report = report;
            this.id = id;
            this.size = size;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Token token) {
                seen++;
                next.send(token.k > 0 ? new Token(token.k - 1) : new Exit(size - 1, 0));
            } else if (message instanceof Data data) {
                next = data.next;
            } else if (message instanceof Exit exit) {
                leave(exit.k, exit.acc + (id + 1) * seen);
            } else {
                throw unexpected(message);
            }
        }

        private void leave(long k, long acc) {
            if (k > 0) {
                next.send(new Exit(k - 1, acc));
            } else {
                report.result = acc;
                report.last = id;
            }
            stop();
        }
    }

    @Override
    public String name() {
        return "threadring";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("actors", 1), Parameter.atLeast("hops", 0));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int size = parameters.length("actors");
        Report report = new Report();
        run.timed(() -> {
            ActorRef[] ring = new ActorRef[size];
            for (int id = 0; id < size; id++) {
                ring[id] = run.spawn(new Ring(report, id, size));
            }
            for (int i = 0; i < size; i++) {
                ring[i].send(new Data(ring[(i + 1) % size]));
            }
            ring[0].send(new Token(parameters.get("hops")));
        });
        return Outcome.of(report.result, Map.of("last", report.last));
    }
}
