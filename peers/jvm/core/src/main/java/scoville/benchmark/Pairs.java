package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Concurrent Pairs: servers and their clients exchange payloads without end, independently of each other. */
final class Pairs implements Benchmark {
    private enum Signal {
        START,
        HALT,
        STOP
    }

    private record Data(byte[] payload) {}

    private record Reply(byte[] payload) {}

    private record Progress(long exchanges) {}

    private record Finished(int server, long exchanges, long hash) {}

    /** Written by the aggregator before it stops. */
    private static final class Report {
        final long[] exchanges;
        long total;
        long hashSum;

        Report(int pairs) {
            exchanges = new long[pairs];
        }
    }

    /** What all servers and clients know. */
    private record Settings(long rounds, long interval, int size, boolean share) {}

    private static final class Aggregator extends Actor {
        private final Report report;
        private int finished;

        Aggregator(Report report) {
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Progress progress) {
                report.total += progress.exchanges;
            } else if (message instanceof Finished end) {
                report.exchanges[end.server] = end.exchanges;
                report.hashSum += end.hash;
                finished++;
                if (finished == report.exchanges.length) {
                    stop();
                }
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Server extends Actor {
        private final ActorRef aggregator;
        private final Settings settings;
        private final int id;
        private ActorRef client;
        private long exchanges;
        private long unreported;
        private boolean halted;

        Server(ActorRef aggregator, Settings settings, int id) {
            this.aggregator = aggregator;
            this.settings = settings;
            this.id = id;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Reply reply) {
                exchanged(reply.payload);
            } else if (message == Signal.START) {
                // It is told to stop and may do so after the server.
                client = spawnTopLevel(new Client(self(), settings));
                client.send(new Data(Payload.fresh(settings.size)));
            } else if (message == Signal.HALT) {
                halted = true;
            } else {
                throw unexpected(message);
            }
        }

        private void exchanged(byte[] payload) {
            byte[] next = Payload.passOn(payload, (int) (exchanges % settings.size), settings.share);
            exchanges++;
            unreported++;
            boolean last = halted || exchanges == settings.rounds;
            if (unreported == settings.interval || last) {
                aggregator.send(new Progress(unreported));
                unreported = 0;
            }
            if (last) {
                client.send(Signal.STOP);
                aggregator.send(new Finished(id, exchanges, Payload.checksum(next)));
                stop();
            } else {
                client.send(new Data(next));
            }
        }
    }

    private static final class Client extends Actor {
        private final ActorRef server;
        private final Settings settings;
        private long received;

        Client(ActorRef server, Settings settings) {
            this.server = server;
            this.settings = settings;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Data data) {
                int i = (int) (received % settings.size);
                received++;
                server.send(new Reply(Payload.passOn(data.payload, i, settings.share)));
            } else if (message == Signal.STOP) {
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "pairs";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("pairs", 1),
                Parameter.oneOf("mode", "fixed", "timed"),
                Parameter.atLeast("rounds", 1),
                Parameter.atLeast("seconds", 1),
                Parameter.atLeast("report", 1),
                Parameter.atLeast("size", 1),
                Parameter.oneOf("payload", "copy", "share"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        boolean timed = parameters.word("mode").equals("timed");
        Settings settings = new Settings(
                timed ? Long.MAX_VALUE : parameters.get("rounds"),
                parameters.get("report"),
                parameters.length("size"),
                parameters.word("payload").equals("share"));
        Report report = new Report(parameters.length("pairs"));
        ActorRef aggregator = run.spawn(new Aggregator(report));
        ActorRef[] servers = new ActorRef[report.exchanges.length];
        for (int id = 0; id < servers.length; id++) {
            servers[id] = run.spawn(new Server(aggregator, settings, id));
        }
        run.timed(() -> {
            sendAll(servers, Signal.START);
            if (timed) {
                run.pause(parameters.get("seconds"));
                sendAll(servers, Signal.HALT);
            }
        });
        for (long exchanges : report.exchanges) {
            run.require(exchanges >= 1, "a pair made no exchange");
        }
        run.require(Sums.of(report.exchanges) == report.total, "the reports do not add up to the exchanges");
        return Outcome.of(report.total, timed ? Map.of() : Map.of("hashsum", report.hashSum))
                .withMetrics(Map.of("throughput", report.total * 60e9 / run.elapsed()))
                .withPerActor("n", report.exchanges);
    }

    private static void sendAll(ActorRef[] receivers, Signal signal) {
        for (ActorRef receiver : receivers) {
            receiver.send(signal);
        }
    }
}
