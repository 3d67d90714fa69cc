package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;
import scoville.benchmark.Relation.Rule;

/** Unbalanced Cobwebbed Tree: an irregular tree of actors grows under the eyes of its root, and is traversed. */
final class CobwebbedTree implements Benchmark {
    private enum Signal {
        GENERATE_TREE,
        TRY,
        TRAVERSE,
        URGENT_TRAVERSE,
        TERMINATE
    }

    private record Should(ActorRef node, int id, long height) {}

    /** What the children of a node are; no child is urgent if the index is -1. */
    private record Generate(int first, long comp, int urgent) {}

    private record Grant(int child) {}

    private record Terminated(long nodes, long work, long urgent, long grants) {}

    /** Written by the root before it stops. */
    private static final class Report {
        long nodes = 1;
        long work;
        long height = 1;
        long urgent;
        long grants;
    }

    /** What all actors know. */
    private record Settings(int children, long unit) {}

    /** The children of every node that has some, by id, and those of the root. */
    private static final class Plan {
        private final J48 random;
        private final long average;
        private final long deviation;
        private final Generate[] families;
        private final Generate rootFamily;
        private final int size;

        Plan(int limit, int children, long urgentPercent, long average, long deviation, long seed) {
            this.random = new J48(seed);
            this.average = average;
            this.deviation = deviation;
            families = new Generate[limit];
            rootFamily = new Generate(1, normal(), -1);
            int planned = 1 + children;
            for (int id = 1; id < planned; id++) {
                if (planned <= limit - children && random.bool()) {
                    long comp = normal();
                    int urgent = random.below(100) <= urgentPercent ? (int) random.below(children) : -1;
                    families[id] = new Generate(planned, comp, urgent);
                    planned += children;
                }
            }
            size = planned;
        }

        /** About normally distributed, and at least 1. */
        private long normal() {
            while (true) {
                long sum = 0;
                for (int draw = 0; draw < 12; draw++) {
                    sum += random.bits(16);
                }
                long result = average + (sum - 393210) * deviation / 65536;
                if (result >= 1) {
                    return result;
                }
            }
        }
    }

    private static final class Root extends Actor {
        private final Report report;
        private final Settings settings;
        private final Plan plan;
        private final ActorRef[] children;
        private int requests;
        private int replies;

        Root(Report report, Settings settings, Plan plan) {
            this.report = report;
            this.settings = settings;
            this.plan = plan;
            this.children = new ActorRef[settings.children];
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Should should) {
                answer(should);
            } else if (message instanceof Grant) {
                report.grants++;
            } else if (message instanceof Terminated totals) {
                add(totals);
            } else if (message == Signal.GENERATE_TREE) {
                for (int q = 0; q < children.length; q++) {
                    children[q] = spawn(new Node(self(), self(), settings, 1 + q, 2, plan.rootFamily.comp));
                }
                sendAll(children, Signal.TRY);
            } else {
                throw unexpected(message);
            }
        }

        private void answer(Should should) {
            requests++;
            report.height = Math.max(report.height, should.height);
            Generate family = plan.families[should.id];
            if (family != null) {
                should.node.send(new Generate(family.first, family.comp, family.urgent));
            }
            if (requests == plan.size - 1) {
                sendAll(children, Signal.TRAVERSE);
                sendAll(children, Signal.TERMINATE);
            }
        }

        private void add(Terminated totals) {
            report.nodes += totals.nodes;
            report.work += totals.work;
            report.urgent += totals.urgent;
            report.grants += totals.grants;
            replies++;
            if (replies == children.length) {
                stop();
            }
        }
    }

    private static final class Node extends Actor {
        private final ActorRef parent;
        private final ActorRef root;
        private final Settings settings;
        private final int id;
        private final long height;
        private final long comp;
        private ActorRef[] children;
        private int urgentChild = -1;
        private int replies;
        private long nodes = 1;
        private long work;
        private long urgent;
        private long grants;

        Node(ActorRef parent, ActorRef root, Settings settings, int id, long height, long comp) {
            this.parent = parent;
            this.root = root;
            this.settings = settings;
            this.id = id;
            this.height = height;
            this.comp = comp;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Signal signal) {
                obey(signal);
            } else if (message instanceof Generate family) {
                grow(family);
            } else if (message instanceof Grant) {
                grants++;
            } else if (message instanceof Terminated totals) {
                add(totals);
            } else {
                throw unexpected(message);
            }
        }

        private void obey(Signal signal) {
            switch (signal) {
                case TRY -> {
                    work += Busy.spin(id, 100 * settings.unit);
                    root.send(new Should(self(), id, height));
                }
                case TRAVERSE -> traverse();
                case URGENT_TRAVERSE -> {
                    urgent++;
                    traverse();
                }
                case TERMINATE -> {
                    if (children == null) {
                        finish();
                    } else {
                        sendAll(children, Signal.TERMINATE);
                    }
                }
                default -> throw unexpected(signal);
            }
        }

        private void grow(Generate family) {
            parent.send(new Grant((id - 1) % settings.children));
            urgentChild = family.urgent;
            children = new ActorRef[settings.children];
            for (int q = 0; q < children.length; q++) {
                children[q] = spawn(new Node(self(), root, settings, family.first + q, height + 1, family.comp));
            }
            sendAll(children, Signal.TRY);
        }

        private void traverse() {
            work += Busy.spin(id, comp * settings.unit);
            if (children != null) {
                for (int q = 0; q < children.length; q++) {
                    children[q].send(q == urgentChild ? Signal.URGENT_TRAVERSE : Signal.TRAVERSE);
                }
            }
        }

        private void add(Terminated totals) {
            nodes += totals.nodes;
            work += totals.work;
            urgent += totals.urgent;
            grants += totals.grants;
            replies++;
            if (replies == children.length) {
                finish();
            }
        }

        private void finish() {
            parent.send(new Terminated(nodes, work, urgent, grants));
            stop();
        }
    }

    private static void sendAll(ActorRef[] receivers, Signal signal) {
        for (ActorRef receiver : receivers) {
            receiver.send(signal);
        }
    }

    @Override
    public String name() {
        return "uct";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.integer("nodes"),
                Parameter.atLeast("avg", 1),
                Parameter.atLeast("stdev", 0),
                Parameter.atLeast("binomial", 1),
                Parameter.between("urgent", 0, 100),
                Parameter.atLeast("unit", 1),
                Parameter.integer("seed"));
    }

    @Override
    public List<Relation> relations() {
        return List.of(new Relation("nodes", Rule.AT_LEAST, 1, "binomial", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Settings settings = new Settings(parameters.length("binomial"), parameters.get("unit"));
        Plan plan = new Plan(
                parameters.length("nodes"),
                settings.children,
                parameters.get("urgent"),
                parameters.get("avg"),
                parameters.get("stdev"),
                parameters.get("seed"));
        Report report = new Report();
        run.timed(() -> run.spawn(new Root(report, settings, plan)).send(Signal.GENERATE_TREE));
        return Outcome.of(
                report.work,
                Map.of(
                        "nodes", report.nodes,
                        "height", report.height,
                        "urgent", report.urgent,
                        "grants", report.grants));
    }
}
