package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Ping Ping with Payload: two partners send to each other at the same time. */
final class PingPing implements Benchmark {
    private record Start(ActorRef peer) {}

    private record Ping(long left, byte[] payload) {}

    private record Done(long acc, long hash) {}

    /** Written by the tally before it stops. */
    private static final class Report {
        long acc;
        long hash;
    }

    private static final class Tally extends Actor {
        private final Report report;
        private int done;

        Tally(Report report) {
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Done totals)) {
                throw unexpected(message);
            }
            require(done == 0 || totals.hash == report.hash, "the partners' last payloads differ");
            report.acc += totals.acc;
            report.hash = totals.hash;
            done++;
            if (done == 2) {
                stop();
            }
        }
    }

    private static final class Partner extends Actor {
        private final ActorRef tally;
        private final long repetitions;
        private final int size;
        private final boolean share;
        private ActorRef peer;

        /** The peer's first ball, if it came before Start: the peer may have been started first. */
        private Ping early;

        private long received;
        private long acc;
        private long hash;

        Partner(ActorRef tally, long repetitions, int size, boolean share) {
            this.tally = tally;
            this.repetitions = repetitions;
            this.size = size;
            this.share = share;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Ping ping) {
                if (peer == null) {
                    early = ping;
                } else {
                    answer(ping);
                }
            } else if (message instanceof Start start) {
                peer = start.peer;
                peer.send(new Ping(repetitions - 1, Payload.fresh(size)));
                if (early != null) {
                    answer(early);
                }
            } else {
                throw unexpected(message);
            }
        }

        private void answer(Ping ping) {
            received++;
            int i = (int) (ping.left % size);
            acc += Byte.toUnsignedLong(ping.payload[i]);
            byte[] next = Payload.passOn(ping.payload, i, share);
            if (ping.left > 0) {
                peer.send(new Ping(ping.left - 1, next));
            } else {
                hash = Payload.checksum(next);
            }
            if (received == repetitions) {
                tally.send(new Done(acc, hash));
                stop();
            }
        }
    }

    @Override
    public String name() {
        return "pingping";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("r", 1), Parameter.atLeast("size", 1), Parameter.oneOf("mode", "copy", "share"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        long repetitions = parameters.get("r");
        int size = parameters.length("size");
        boolean share = parameters.word("mode").equals("share");
        Report report = new Report();
        run.timed(() -> {
            ActorRef tally = run.spawn(new Tally(report));
            ActorRef a = run.spawn(new Partner(tally, repetitions, size, share));
            ActorRef b = run.spawn(new Partner(tally, repetitions, size, share));
            a.send(new Start(b));
            b.send(new Start(a));
        });
        return Outcome.of(report.acc, Map.of("hash", report.hash));
    }
}
