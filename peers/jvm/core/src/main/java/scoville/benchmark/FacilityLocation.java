package scoville.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Online Facility Location: a quadtree of actors opens facilities as customers arrive. */
final class FacilityLocation implements Benchmark {
    private enum Signal {
        NEXT_CUSTOMER,
        REQUEST_EXIT
    }

    private record Customer(double x, double y, ActorRef producer) {}

    private record Facility(int position, int depth, double x, double y, boolean up) {}

    private record ConfirmExit(long facilities, long customers, long maxDepth, long depthSum, double cost) {}

    private static final int ROOT = -1;

    /** Written by the root before it stops, but for the adder, to which every quadrant adds. */
    private static final class Report {
        final LongAdder facilitiesDown = new LongAdder();
        ConfirmExit totals;
        long ups;
    }

    private record Point(double x, double y) {
        double distance(double px, double py) {
            return Math.sqrt((px - x) * (px - x) + (py - y) * (py - y));
        }
    }

    private record Box(double x1, double y1, double x2, double y2) {
        Point centre() {
            return new Point((x1 + x2) / 2, (y1 + y2) / 2);
        }

        /** All four borders belong to it. */
        boolean contains(double x, double y) {
            return x1 <= x && x <= x2 && y1 <= y && y <= y2;
        }

        Box[] quarters() {
            Point c = centre();
            return new Box[] {
                new Box(x1, c.y, c.x, y2),
                new Box(c.x, c.y, x2, y2),
                new Box(x1, y1, c.x, c.y),
                new Box(c.x, y1, x2, c.y)
            };
        }
    }

    /** What customers are drawn. */
    private record Settings(long customers, double grid, double threshold, long seed, boolean uniform) {}

    private static final class Producer extends Actor {
        private final ActorRef root;
        private final Settings settings;
        private final Rng rng;
        private long produced;

        Producer(ActorRef root, Settings settings) {
            this.root = root;
            this.settings = settings;
            this.rng = new Rng(settings.seed);
        }

        @Override
        protected void started() {
            produce();
        }

        @Override
        protected void receive(Object message) {
            if (message != Signal.NEXT_CUSTOMER) {
                throw unexpected(message);
            }
            if (produced < settings.customers) {
                produce();
            } else {
                root.send(Signal.REQUEST_EXIT);
                stop();
            }
        }

        private void produce() {
            double x = draw();
            double y = draw();
            produced++;
            root.send(new Customer(x, y, self()));
        }

        private double draw() {
            return settings.uniform ? rng.next() / 65536.0 * settings.grid : rng.unit() * settings.grid;
        }
    }

    private static final class Quadrant extends Actor {
        private final Report report;
        private final ActorRef parent;
        private final int position;
        private final Box box;
        private final int depth;
        private final double threshold;

        /** The centres of its ancestors and its own. */
        private final List<Point> facilities;

        /** Those of its parent that it takes over; none once it has started. */
        private List<Customer> given;

        private List<Customer> customers = new ArrayList<>();
        private double cost;

        /** Null while it has none, as their boxes. */
        private ActorRef[] children;

        private Box[] boxes;
        private boolean exiting;
        private long ups;
        private long downs;
        private int confirmed;
        private ConfirmExit totals = new ConfirmExit(0, 0, 0, 0, 0);

        Quadrant(
                Report report,
                ActorRef parent,
                int position,
                Box box,
                int depth,
                double threshold,
                List<Point> known,
                List<Customer> start) {
            this.report = report;
            this.parent = parent;
            this.position = position;
            this.box = box;
            this.depth = depth;
            this.threshold = threshold;
            facilities = new ArrayList<>(known);
            facilities.add(box.centre());
            given = start;
        }

        /** Not in the constructor, which is its parent's to call: the work is the child's. */
        @Override
        protected void started() {
            given.forEach(this::add);
            given = List.of();
        }

        private void add(Customer customer) {
            customers.add(customer);
            double nearest = Double.POSITIVE_INFINITY;
            for (Point facility : facilities) {
                nearest = Math.min(nearest, facility.distance(customer.x, customer.y));
            }
            cost += nearest;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Customer customer) {
                serve(customer);
            } else if (message instanceof Facility facility) {
                learn(facility);
            } else if (message instanceof ConfirmExit confirm) {
                confirmed(confirm);
            } else if (message == Signal.REQUEST_EXIT) {
                exit();
            } else {
                throw unexpected(message);
            }
        }

        private void serve(Customer customer) {
            if (children != null) {
                children[quarter(boxes, customer)].send(new Customer(customer.x, customer.y, customer.producer));
            } else {
                add(customer);
                if (cost > threshold) {
                    partition();
                }
            }
            if (position == ROOT) {
                customer.producer.send(Signal.NEXT_CUSTOMER);
            }
        }

        private static int quarter(Box[] boxes, Customer customer) {
            for (int q = 0; q < boxes.length; q++) {
                if (boxes[q].contains(customer.x, customer.y)) {
                    return q;
                }
            }
            throw new IllegalStateException("a customer is outside of its quadrant");
        }

        private void partition() {
            if (position != ROOT) {
                Point centre = box.centre();
                parent.send(new Facility(position, depth, centre.x, centre.y, true));
            }
            boxes = box.quarters();
            List<List<Customer>> starts =
                    List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (Customer customer : customers) {
                starts.get(quarter(boxes, customer)).add(customer);
            }
            customers = List.of();
            children = new ActorRef[boxes.length];
            for (int q = 0; q < boxes.length; q++) {
                children[q] = spawn(
                        new Quadrant(report, self(), q, boxes[q], depth + 1, threshold, facilities, starts.get(q)));
            }
        }

        private void learn(Facility facility) {
            if (facility.up) {
                ups++;
                if (position != ROOT) {
                    parent.send(new Facility(position, facility.depth, facility.x, facility.y, true));
                }
                if (!exiting) {
                    sendDown(facility, 3 - facility.position);
                }
            } else if (children != null && !exiting) {
                for (int q = 0; q < children.length; q++) {
                    sendDown(facility, q);
                }
            }
        }

        private void sendDown(Facility facility, int child) {
            downs++;
            children[child].send(new Facility(position, facility.depth, facility.x, facility.y, false));
        }

        private void exit() {
            exiting = true;
            if (children == null) {
                long n = customers.size();
                finish(new ConfirmExit(0, n, depth, depth * n, cost));
                return;
            }
            for (ActorRef child : children) {
                child.send(Signal.REQUEST_EXIT);
            }
        }

        private void confirmed(ConfirmExit confirm) {
            totals = new ConfirmExit(
                    totals.facilities + confirm.facilities,
                    totals.customers + confirm.customers,
                    Math.max(totals.maxDepth, confirm.maxDepth),
                    totals.depthSum + confirm.depthSum,
                    totals.cost + confirm.cost);
            confirmed++;
            if (confirmed == children.length) {
                finish(new ConfirmExit(
                        totals.facilities + 1, totals.customers, totals.maxDepth, totals.depthSum, totals.cost));
            }
        }

        private void finish(ConfirmExit result) {
            report.facilitiesDown.add(downs);
            if (position == ROOT) {
                report.totals = result;
                report.ups = ups;
            } else {
                parent.send(result);
            }
            stop();
        }
    }

    @Override
    public String name() {
        return "facloc";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("n", 1),
                Parameter.numberAbove("g", 0),
                Parameter.numberAbove("a", 0),
                Parameter.integer("s"),
                Parameter.oneOf("dist", "savina", "uniform"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        double grid = parameters.number("g");
        Settings settings = new Settings(
                parameters.get("n"),
                grid,
                parameters.number("a") * (Math.sqrt(2.0) * grid),
                parameters.get("s"),
                parameters.word("dist").equals("uniform"));
        Report report = new Report();
        run.timed(() -> {
            Box box = new Box(0, 0, grid, grid);
            ActorRef root =
                    run.spawn(new Quadrant(report, null, ROOT, box, 0, settings.threshold, List.of(), List.of()));
            run.spawn(new Producer(root, settings));
        });
        ConfirmExit totals = report.totals;
        return Outcome.of(
                        totals.depthSum,
                        Map.of(
                                "facilities", totals.facilities,
                                "customers", totals.customers,
                                "maxdepth", totals.maxDepth,
                                "cost", totals.cost,
                                "rootups", report.ups))
                .withMetrics(Map.of("facility_down", report.facilitiesDown.sum()));
    }
}
