package scoville.benchmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Chat: clients make friends, open chats, invite, post and leave, turn by turn. */
final class Chat implements Benchmark {
    private enum Signal {
        START,
        DISCONNECT,
        LOGOUT,
        /** From the driver; counts as no message. */
        STOP
    }

    private record Login(int id) {}

    private record Befriend(ActorRef client) {}

    private record Poke(ActorRef accumulator) {}

    private record Act(ActorRef accumulator) {}

    private record Post(ActorRef accumulator) {}

    private record Forward(ActorRef chat, ActorRef accumulator) {}

    private record Invite(ActorRef chat, ActorRef accumulator) {}

    private record Join(ActorRef client, ActorRef accumulator) {}

    /** Without an accumulator when the client logs out. */
    private record Leave(ActorRef client, boolean logout, ActorRef accumulator) {}

    private record Left(ActorRef chat, boolean logout, ActorRef accumulator) {}

    private record Bump(int closes, int opens, long n) {}

    private record Close(int level) {}

    private record Confirm(int turn) {}

    private record ClientLeft(Counts counts) {}

    private record Finished(Counts counts) {}

    /** The levels on which an accumulator counts what is under way. */
    private static final int ACTS = 0;

    private static final int JOINS = 1;
    private static final int FORWARDS = 2;

    /** What a client or a directory counts; given away with its last message. */
    private static final class Counts {
        long computed;
        long edges;
        long compute;
        long post;
        long leave;
        long invite;
        long none;
        long invitations;
        long forwards;
        long leaves;

        void add(Counts other) {
            computed += other.computed;
            edges += other.edges;
            compute += other.compute;
            post += other.post;
            leave += other.leave;
            invite += other.invite;
            none += other.none;
            invitations += other.invitations;
            forwards += other.forwards;
            leaves += other.leaves;
        }
    }

    /** The driver stops the chats and the accumulators, which last. */
    private static final class Report {
        final Counts counts = new Counts();
        final Queue<ActorRef> lasting = new ConcurrentLinkedQueue<>();
        final LongAdder bumps = new LongAdder();
        final LongAdder closes = new LongAdder();

        /** By turn, each element written by its accumulator. */
        final long[] durations;

        Report(int turns) {
            durations = new long[turns];
        }
    }

    /** What all actors know. Percentages are tested in this order. */
    private record Settings(
            int clients,
            int turns,
            int directories,
            long compute,
            long post,
            long leave,
            long invite,
            long befriend,
            long fib,
            long seed) {}

    private static final class Poker extends Actor {
        private final Report report;
        private final Settings settings;
        private final ActorRef[] directories;
        private int confirmed;
        private int finished;

        Poker(Report report, Settings settings) {
            this.report = report;
            this.settings = settings;
            this.directories = new ActorRef[settings.directories];
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.START) {
                begin();
            } else if (message instanceof Confirm) {
                confirmed++;
                if (confirmed == settings.turns) {
                    sendAll(Signal.DISCONNECT);
                }
            } else if (message instanceof Finished directory) {
                report.counts.add(directory.counts);
                finished++;
                if (finished == directories.length) {
                    stop();
                }
            } else {
                throw unexpected(message);
            }
        }

        /** Issues all turns without waiting for any of them. */
        private void begin() {
            Rng rng = new Rng(settings.seed);
            for (int k = 0; k < directories.length; k++) {
                directories[k] = spawn(new Directory(report, self(), settings, rng.next()));
            }
            for (int id = 0; id < settings.clients; id++) {
                directories[id % directories.length].send(new Login(id));
            }
            for (int turn = 0; turn < settings.turns; turn++) {
                ActorRef accumulator = spawnLasting(new Accumulator(report, self(), turn, settings.clients));
                report.lasting.add(accumulator);
                for (ActorRef directory : directories) {
                    directory.send(new Poke(accumulator));
                }
            }
        }

        private void sendAll(Signal signal) {
            for (ActorRef directory : directories) {
                directory.send(signal);
            }
        }
    }

    private static final class Accumulator extends Actor {
        private final Report report;
        private final ActorRef poker;
        private final int turn;
        private final long created = System.nanoTime();
        private final long[] opened = new long[3];
        private final long[] closed = new long[3];
        private long bumps;
        private long closes;
        private boolean confirmed;

        Accumulator(Report report, ActorRef poker, int turn, long acts) {
            this.report = report;
            this.poker = poker;
            this.turn = turn;
            opened[ACTS] = acts;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.STOP) {
                report.bumps.add(bumps);
                report.closes.add(closes);
                stop();
                return;
            }
            require(!confirmed, "an accumulator received a message after its turn had ended");
            if (message instanceof Close close) {
                closes++;
                closed[close.level]++;
            } else if (message instanceof Bump bump) {
                bumps++;
                closed[bump.closes]++;
                opened[bump.opens] += bump.n;
            } else {
                throw unexpected(message);
            }
            if (Arrays.equals(opened, closed)) {
                confirmed = true;
                report.durations[turn] = System.nanoTime() - created;
                poker.send(new Confirm(turn));
            }
        }
    }

    private static final class Directory extends Actor {
        private final Report report;
        private final ActorRef poker;
        private final Settings settings;
        private final Rng rng;
        private final List<ActorRef> clients = new ArrayList<>();
        private final Counts counts = new Counts();
        private int left;

        Directory(Report report, ActorRef poker, Settings settings, long seed) {
            this.report = report;
            this.poker = poker;
            this.settings = settings;
            this.rng = new Rng(seed);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Poke poke) {
                for (ActorRef client : clients) {
                    client.send(new Act(poke.accumulator));
                }
            } else if (message instanceof Login) {
                login();
            } else if (message instanceof ClientLeft client) {
                counts.add(client.counts);
                left++;
                finishWhenEmpty();
            } else if (message == Signal.DISCONNECT) {
                for (ActorRef client : clients) {
                    client.send(Signal.LOGOUT);
                }
                finishWhenEmpty();
            } else {
                throw unexpected(message);
            }
        }

        private void login() {
            ActorRef newcomer = spawn(new Client(report, self(), settings, rng.next()));
            for (ActorRef earlier : clients) {
                if (rng.below(100) < settings.befriend) {
                    earlier.send(new Befriend(newcomer));
                    newcomer.send(new Befriend(earlier));
                    counts.edges++;
                }
            }
            clients.add(newcomer);
        }

        /** Clients leave only after Disconnect. */
        private void finishWhenEmpty() {
            if (left == clients.size()) {
                poker.send(new Finished(counts));
                stop();
            }
        }
    }

    private static final class Client extends Actor {
        private final Report report;
        private final ActorRef directory;
        private final Settings settings;
        private final Rng dice;
        private final Rng rand;
        private final List<ActorRef> friends = new ArrayList<>();
        private final List<ActorRef> joined = new ArrayList<>();
        private final Counts counts = new Counts();
        private ActorRef home;
        private boolean leaving;

        Client(Report report, ActorRef directory, Settings settings, long seed) {
            this.report = report;
            this.directory = directory;
            this.settings = settings;
            this.dice = new Rng(seed);
            this.rand = new Rng(seed);
        }

        @Override
        protected void started() {
            home = openRoom();
        }

        private ActorRef openRoom() {
            ActorRef room = spawnLasting(new Room(self()));
            report.lasting.add(room);
            return room;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Forward forward) {
                counts.forwards++;
                forward.accumulator.send(new Close(FORWARDS));
            } else if (message instanceof Act act) {
                act(act.accumulator);
            } else if (message instanceof Invite invite) {
                if (!joined.contains(invite.chat)) {
                    joined.add(invite.chat);
                }
                invite.chat.send(new Join(self(), invite.accumulator));
            } else if (message instanceof Befriend befriend) {
                friends.add(befriend.client);
            } else if (message instanceof Left left) {
                left(left);
            } else if (message == Signal.LOGOUT) {
                leaving = true;
                for (ActorRef room : joined) {
                    leave(room, true, null);
                }
                leaveWhenAlone();
            } else {
                throw unexpected(message);
            }
        }

        /** Does the first thing that the dice allow. */
        private void act(ActorRef accumulator) {
            long drawn = rand.next();
            ActorRef room = joined.isEmpty() ? home : joined.get((int) (drawn % joined.size()));
            if (dice.below(100) < settings.compute) {
                counts.compute++;
                counts.computed += fibonacci(settings.fib);
                accumulator.send(new Close(ACTS));
            } else if (dice.below(100) < settings.post) {
                counts.post++;
                room.send(new Post(accumulator));
            } else if (dice.below(100) < settings.leave) {
                counts.leave++;
                if (joined.isEmpty()) {
                    accumulator.send(new Close(ACTS));
                } else {
                    leave(room, false, accumulator);
                }
            } else if (dice.below(100) < settings.invite) {
                counts.invite++;
                inviteFriends(accumulator);
            } else {
                counts.none++;
                accumulator.send(new Close(ACTS));
            }
        }

        private void leave(ActorRef room, boolean logout, ActorRef accumulator) {
            counts.leaves++;
            room.send(new Leave(self(), logout, accumulator));
        }

        /** Opens a chat and invites itself and some friends, drawn without order. */
        private void inviteFriends(ActorRef accumulator) {
            ActorRef room = openRoom();
            Rng rng = new Rng(rand.next());
            List<ActorRef> guests = new ArrayList<>(friends);
            for (int i = guests.size() - 1; i > 0; i--) {
                int j = (int) rng.below(i + 1L);
                ActorRef swapped = guests.get(i);
                guests.set(i, guests.get(j));
                guests.set(j, swapped);
            }
            int count = guests.isEmpty() ? 0 : (int) (rng.next() % guests.size());
            if (count == 0) {
                accumulator.send(new Close(ACTS));
                return;
            }
            counts.invitations += count;
            accumulator.send(new Bump(ACTS, JOINS, count));
            guests.add(0, self());
            for (ActorRef guest : guests.subList(0, count)) {
                guest.send(new Invite(room, accumulator));
            }
        }

        private void left(Left left) {
            joined.remove(left.chat);
            if (left.logout) {
                leaveWhenAlone();
            } else {
                left.accumulator.send(new Close(ACTS));
            }
        }

        private void leaveWhenAlone() {
            if (leaving && joined.isEmpty()) {
                directory.send(new ClientLeft(counts));
                stop();
            }
        }
    }

    /** A naive double recursion. */
    private static long fibonacci(long n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    /** The actor that the specification calls Chat. */
    private static final class Room extends Actor {
        private final Set<ActorRef> members = new LinkedHashSet<>();
        private long buffered;

        Room(ActorRef creator) {
            members.add(creator);
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Post post) {
                post(post.accumulator);
            } else if (message instanceof Join join) {
                join(join);
            } else if (message instanceof Leave leave) {
                members.remove(leave.client);
                leave.client.send(new Left(self(), leave.logout, leave.accumulator));
            } else if (message == Signal.STOP) {
                stop();
            } else {
                throw unexpected(message);
            }
        }

        private void post(ActorRef accumulator) {
            buffered++;
            if (members.isEmpty()) {
                accumulator.send(new Close(ACTS));
                return;
            }
            accumulator.send(new Bump(ACTS, FORWARDS, members.size()));
            for (ActorRef member : members) {
                member.send(new Forward(self(), accumulator));
            }
        }

        private void join(Join join) {
            members.add(join.client);
            if (buffered == 0) {
                join.accumulator.send(new Close(JOINS));
                return;
            }
            join.accumulator.send(new Bump(JOINS, FORWARDS, buffered));
            for (long i = 0; i < buffered; i++) {
                join.client.send(new Forward(self(), join.accumulator));
            }
        }
    }

    /** Durations of turns in nanoseconds, as floating-point numbers. */
    private record Durations(double mean, double median, double deviation) {
        static Durations of(long[] durations) {
            long[] sorted = durations.clone();
            Arrays.sort(sorted);
            int n = sorted.length;
            double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
            double mean = (double) Sums.of(sorted) / n;
            double variance = Arrays.stream(sorted)
                            .mapToDouble(duration -> (duration - mean) * (duration - mean))
                            .sum()
                    / n;
            return new Durations(mean, median, Math.sqrt(variance));
        }
    }

    @Override
    public String name() {
        return "chat";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.atLeast("clients", 1),
                Parameter.atLeast("turns", 1),
                Parameter.atLeast("dirs", 1),
                Parameter.between("compute", 0, 100),
                Parameter.between("post", 0, 100),
                Parameter.between("leave", 0, 100),
                Parameter.between("invite", 0, 100),
                Parameter.between("befriend", 0, 100),
                Parameter.atLeast("fib", 0),
                Parameter.integer("seed"));
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Settings settings = new Settings(
                parameters.length("clients"),
                parameters.length("turns"),
                parameters.length("dirs"),
                parameters.get("compute"),
                parameters.get("post"),
                parameters.get("leave"),
                parameters.get("invite"),
                parameters.get("befriend"),
                parameters.get("fib"),
                parameters.get("seed"));
        Report report = new Report(settings.turns);
        run.timed(() -> run.spawn(new Poker(report, settings)).send(Signal.START));
        run.check(() -> {
            for (ActorRef actor : report.lasting) {
                actor.dismiss(Signal.STOP);
            }
        });
        return outcome(report);
    }

    private static Outcome outcome(Report report) {
        Counts counts = report.counts;
        Durations turns = Durations.of(report.durations);
        return Outcome.of(
                        counts.computed,
                        Map.of(
                                "edges", counts.edges,
                                "compute", counts.compute,
                                "post", counts.post,
                                "leave", counts.leave,
                                "invite", counts.invite,
                                "none", counts.none,
                                "invitations", counts.invitations))
                .withMetrics(Map.of(
                        "forwards", counts.forwards,
                        "bumps", report.bumps.sum(),
                        "closes", report.closes.sum(),
                        "leaves", counts.leaves,
                        "turn_mean_ns", turns.mean,
                        "turn_median_ns", turns.median,
                        "turn_stdev_ns", turns.deviation));
    }
}
