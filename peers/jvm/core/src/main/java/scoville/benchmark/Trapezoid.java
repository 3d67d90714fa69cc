package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Trapezoidal Approximation: every worker integrates an equal share of an interval. */
final class Trapezoid implements Benchmark {
    private record Start(double l, double r, long n) {}

    /** The pieces from the first to before the last, each h wide. */
    private record Work(long first, long last, double l, double h) {}

    private record Result(double area, long pieces) {}

    /** Written by the master before it stops. */
    private static final class Report {
        double area;
        long pieces;
    }

    private static final class Master extends Actor {
        private final Report report;
        private final long workers;
        private long received;

        Master(Report report, long workers) {
            this.report = report;
            this.workers = workers;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Result result) {
                report.area += result.area;
                report.pieces += result.pieces;
                received++;
                if (received == workers) {
                    stop();
                }
            } else if (message instanceof Start start) {
                divide(start);
            } else {
                throw unexpected(message);
            }
        }

        private void divide(Start start) {
            double h = (start.r - start.l) / start.n;
            for (long i = 0; i < workers; i++) {
                Work work = new Work(i * start.n / workers, (i + 1) * start.n / workers, start.l, h);
                spawn(new Worker(self())).send(work);
            }
        }
    }

    private static final class Worker extends Actor {
        private final ActorRef master;

        Worker(ActorRef master) {
            this.master = master;
        }

        @Override
        protected void receive(Object message) {
            if (!(message instanceof Work work)) {
                throw unexpected(message);
            }
            master.send(new Result(area(work), work.last - work.first));
            stop();
        }

        private static double area(Work work) {
            double area = 0;
            for (long p = work.first; p < work.last; p++) {
                double left = work.l + p * work.h;
                double right = left + work.h;
                area += 0.5 * (curve(left) + curve(right)) * work.h;
            }
            return area;
        }

        private static double curve(double x) {
            return Math.sin(x * x * x - 1) / (x + 1) * Math.sqrt(1 + Math.exp(Math.sqrt(2 * x)));
        }
    }

    @Override
    public String name() {
        return "trapezoid";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("n", 1),
                Parameter.atLeast("w", 1),
                Parameter.numberFrom("l", 0),
                Parameter.number("r"));
    }

    @Override
    public List<Relation> relations() {
        return List.of(Relation.to("r", Relation.Rule.ABOVE, "l"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, parameters.get("w")))
                .send(new Start(parameters.number("l"), parameters.number("r"), parameters.get("n"))));
        return Outcome.of(report.area, Map.of("pieces", report.pieces));
    }
}
