package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Ping Pong: two actors and one ball; a message to itself before each further round. */
final class PingPong implements Benchmark {
    private enum Signal {
        START,
        NEXT,
        STOP
    }

    private record Ball(ActorRef from, long n) {}

    private record Back(ActorRef from, long n) {}

    /** Each field is written by one actor before it stops. */
    private static final class Report {
        long sum;
        long pongs;
    }

    private static final class Pong extends Actor {
        private final Report report;
        private long count;

        Pong(Report report) {
            this.report = report;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Ball ball) {
                count++;
                ball.from.send(new Back(self(), ball.n));
            } else if (message == Signal.STOP) {
                report.pongs = count;
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Ping extends Actor {
        private final Report report;
        private final ActorRef pong;
        private long left;
        private long sum;

        Ping(Report report, ActorRef pong, long pings) {
            this.report = report;
            this.pong = pong;
            this.left = pings;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Back back) {
                returned(back.n);
            } else if (message == Signal.NEXT || message == Signal.START) {
                pong.send(new Ball(self(), left));
                left--;
            } else {
                throw unexpected(message);
            }
        }

        private void returned(long n) {
            require(n == left + 1, "Ping got back another number than it sent");
            sum += n;
            if (left > 0) {
                self().send(Signal.NEXT);
            } else {
                pong.send(Signal.STOP);
                report.sum = sum;
                stop();
            }
        }
    }

    @Override
    public String name() {
        return "pingpong";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("pings", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Report report = new Report();
        run.timed(() -> {
            ActorRef pong = run.spawn(new Pong(report));
            ActorRef ping = run.spawn(new Ping(report, pong, parameters.get("pings")));
            ping.send(Signal.START);
        });
        return Outcome.of(report.sum, Map.of("pongs", report.pongs));
    }
}
