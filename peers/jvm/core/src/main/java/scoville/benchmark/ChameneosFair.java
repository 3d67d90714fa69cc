package scoville.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Chameneos with Fairness: a place pairs creatures strictly in order of arrival, once all have arrived. */
final class ChameneosFair implements Benchmark {
    private enum Signal {
        RUN,
        STOP
    }

    private record Meet(ActorRef who, int id, int colour) {}

    private record Met(int partner, int colour) {}

    private record Sum(int id, long meetings, int colour, long self) {}

    /** Written by the place before it stops. */
    private static final class Report {
        final long[] meetings;
        long colours;
        long self;

        Report(int creatures) {
            meetings = new long[creatures];
        }
    }

    /** The third colour, or the same if both are the same. */
    private static int complement(int a, int b) {
        return a == b ? a : 3 - a - b;
    }

    private static final class Place extends Actor {
        private final Report report;
        private final int creatures;

        /** Who came before the place was open; null since then. */
        private List<Meet> waiting = new ArrayList<>();

        private Meet first;
        private long left;
        private int done;

        Place(Report report, int creatures, long meetings) {
            this.report = report;
            this.creatures = creatures;
            this.left = meetings;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Meet meet) {
                if (waiting == null) {
                    pair(meet);
                } else {
                    await(meet);
                }
            } else if (message instanceof Sum sum) {
                book(sum);
            } else {
                throw unexpected(message);
            }
        }

        private void await(Meet meet) {
            waiting.add(meet);
            if (waiting.size() == creatures) {
                List<Meet> arrived = waiting;
                waiting = null;
                arrived.forEach(this::pair);
            }
        }

        private void pair(Meet second) {
            if (left == 0) {
                second.who.send(Signal.STOP);
            } else if (first == null) {
                first = second;
            } else {
                int colour = complement(first.colour, second.colour);
                left--;
                second.who.send(new Met(first.id, colour));
                first.who.send(new Met(second.id, colour));
                first = null;
            }
        }

        private void book(Sum sum) {
            report.meetings[sum.id] = sum.meetings;
            report.colours += sum.colour;
            report.self += sum.self;
            done++;
            if (done == creatures) {
                stop();
            }
        }
    }

    private static final class Creature extends Actor {
        private final ActorRef place;
        private final int id;
        private int colour;
        private long meetings;
        private long self;

        Creature(ActorRef place, int id) {
            this.place = place;
            this.id = id;
            this.colour = id % 3;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Met met) {
                meetings++;
                colour = met.colour;
                self += met.partner == id ? 1 : 0;
                place.send(new Meet(self(), id, colour));
            } else if (message == Signal.RUN) {
                place.send(new Meet(self(), id, colour));
            } else if (message == Signal.STOP) {
                place.send(new Sum(id, meetings, colour, self));
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "chameneosfair";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("creatures", 2), Parameter.atLeast("meetings", 1));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int creatures = parameters.length("creatures");
        Report report = new Report(creatures);
        run.timed(() -> {
            ActorRef place = run.spawn(new Place(report, creatures, parameters.get("meetings")));
            ActorRef[] refs = new ActorRef[creatures];
            for (int id = 0; id < creatures; id++) {
                refs[id] = run.spawn(new Creature(place, id));
            }
            for (ActorRef creature : refs) {
                creature.send(Signal.RUN);
            }
        });
        return Outcome.of(Sums.of(report.meetings), Map.of("colours", report.colours % 3, "self", report.self))
                .withPerActor("meetings", report.meetings);
    }
}
