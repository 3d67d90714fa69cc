package scoville.benchmark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Big: every actor pings random others, one ping at a time. */
final class Big implements Benchmark {
    /** One array for all actors; nobody changes it. */
    private record Peers(ActorRef[] refs) {}

    private record Ping(int id) {}

    private record Pong(int id) {}

    private enum Signal {
        DONE,
        EXIT
    }

    private static final class Report {
        final LongAdder result = new LongAdder();
        final LongAdder pings = new LongAdder();
    }

    private static final class Sink extends Actor {
        private ActorRef[] peers;
        private int done;

        @Override
        protected void receive(Object message) {
            if (message == Signal.DONE) {
                done++;
                if (done == peers.length) {
                    for (ActorRef worker : peers) {
                        worker.send(Signal.EXIT);
                    }
                    stop();
                }
            } else if (message instanceof Peers list) {
                peers = list.refs;
            } else {
                throw unexpected(message);
            }
        }
    }

    /** A send is in the receiver's mailbox before it returns, so Peers is always there before Ping and Pong. */
    private static final class Worker extends Actor {
        private final Report report;
        private final ActorRef sink;
        private final int id;
        private final long pings;
        private final Rng rng;
        private ActorRef[] peers;
        private long sent;
        private long expect = -1;
        private long received;

        Worker(Report report, ActorRef sink, int id, long pings) {
            this.report = report;
            this.sink = sink;
            this.id = id;
            this.pings = pings;
            this.rng = new Rng(id);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Ping ping) {
                received++;
                peers[ping.id].send(new Pong(id));
            } else if (message instanceof Pong pong) {
                require(pong.id == expect, "a worker got a pong from another than it pinged");
                pingNext();
            } else if (message instanceof Peers list) {
                peers = list.refs;
            } else if (message == Signal.EXIT) {
                report.result.add((id + 1) * received);
                report.pings.add(received);
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void pingNext() {
            if (sent == pings) {
                sink.send(Signal.DONE);
                return;
            }
            int target = (int) rng.below(peers.length);
            expect = target;
            sent++;
            peers[target].send(new Ping(id));
        }
    }

    @Override
    public String name() {
        return "big";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("pings", 0), Parameter.between("actors", 1, 65536));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int actors = parameters.length("actors");
        Report report = new Report();
        run.timed(() -> {
            ActorRef sink = run.spawn(new Sink());
            ActorRef[] workers = new ActorRef[actors];
            for (int id = 0; id < actors; id++) {
                workers[id] = run.spawn(new Worker(report, sink, id, parameters.get("pings")));
            }
            Peers peers = new Peers(workers);
            sink.send(peers);
            for (ActorRef worker : workers) {
                worker.send(peers);
            }
            for (ActorRef worker : workers) {
                worker.send(new Pong(-1));
            }
        });
        return Outcome.of(report.result.sum(), Map.of("pings", report.pings.sum()));
    }
}
