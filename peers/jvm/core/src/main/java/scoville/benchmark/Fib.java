package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Fibonacci: one actor for each call of the naive recursion. */
final class Fib implements Benchmark {
    private record Request(long n) {}

    private record Response(long value, long actors) {}

    /** Written by the root before it stops. */
    private static final class Report {
        Response root;
    }

    private static final class Node extends Actor {
        private final Report report;
        private final ActorRef parent;
        private int got;
        private long value;
        private long actors = 1;

        /** The root has no parent and reports instead. */
        Node(Report report, ActorRef parent) {
            this.report = report;
            this.parent = parent;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Response response) {
                value += response.value;
                actors += response.actors;
                got++;
                if (got == 2) {
                    finish();
                }
            } else if (message instanceof Request request) {
                compute(request.n);
            } else {
                throw unexpected(message);
            }
        }

        private void compute(long n) {
            if (n <= 2) {
                value = 1;
                finish();
            } else {
                spawn(new Node(report, self())).send(new Request(n - 1));
                spawn(new Node(report, self())).send(new Request(n - 2));
            }
        }

        private void finish() {
            Response response = new Response(value, actors);
            if (parent != null) {
                parent.send(response);
            } else {
                report.root = response;
            }
            stop();
        }
    }

    @Override
    public String name() {
        return "fib";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.between("index", 1, 45));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Report report = new Report();
        run.timed(() -> run.spawn(new Node(report, null)).send(new Request(parameters.get("index"))));
        return Outcome.of(report.root.value, Map.of("actors", report.root.actors));
    }
}
