package scoville.benchmark;

import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Chameneos: creatures meet in pairs at one mall and change their colours. */
final class Chameneos implements Benchmark {
    private record Meet(long colour, ActorRef who) {}

    private record Change(long colour) {}

    private enum Signal {
        EXIT
    }

    private record Count(long id, long met, long colour) {}

    /** Written by the mall before it stops. */
    private static final class Report {
        long sum;
        long colours;
        long[] meetings;
    }

    /** The third colour, or the same if both are the same. */
    private static long complement(long a, long b) {
        return a == b ? a : 3 - a - b;
    }

    private static final class Creature extends Actor {
        private final ActorRef mall;
        private final long id;
        private long colour;
        private long met;

        Creature(ActorRef mall, long id) {
            this.mall = mall;
            this.id = id;
            this.colour = id % 3;
        }

        @Override
        protected void started() {
            mall.send(new Meet(colour, self()));
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Meet meet) {
                colour = complement(colour, meet.colour);
                met++;
                meet.who.send(new Change(colour));
                mall.send(new Meet(colour, self()));
            } else if (message instanceof Change change) {
                colour = change.colour;
                met++;
                mall.send(new Meet(colour, self()));
            } else if (message == Signal.EXIT) {
                mall.send(new Count(id, met, colour));
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    private static final class Mall extends Actor {
        private final Report report;
        private final int creatures;
        private final long[] meetings;
        private long left;
        private ActorRef waiting;
        private long gone;
        private long sum;
        private long colours;

        Mall(Report report, int creatures, long meetings) {
            this.report = report;
            this.creatures = creatures;
            this.meetings = new long[creatures];
            this.left = meetings;
        }

        @Override
        protected void started() {
            for (int id = 0; id < creatures; id++) {
                spawn(new Creature(self(), id));
            }
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Meet meet) {
                pair(meet);
            } else if (message instanceof Count count) {
                book(count);
            } else {
                throw unexpected(message);
            }
        }

        private void pair(Meet meet) {
            if (left == 0) {
                meet.who.send(Signal.EXIT);
            } else if (waiting == null) {
                waiting = meet.who;
            } else {
                left--;
                waiting.send(new Meet(meet.colour, meet.who));
                waiting = null;
            }
        }

        private void book(Count count) {
            gone++;
            sum += count.met;
            colours += count.colour;
            meetings[(int) count.id] = count.met;
            if (gone == creatures) {
                report.sum = sum;
                report.colours = colours;
                report.meetings = meetings;
                stop();
            }
        }
    }

    @Override
    public String name() {
        return "chameneos";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("creatures", 2), Parameter.atLeast("meetings", 0));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int creatures = parameters.length("creatures");
        Report report = new Report();
        run.timed(() -> run.spawn(new Mall(report, creatures, parameters.get("meetings"))));
        return Outcome.of(report.sum, Map.of("colour", report.colours % 3)).withPerActor("meetings", report.meetings);
    }
}
