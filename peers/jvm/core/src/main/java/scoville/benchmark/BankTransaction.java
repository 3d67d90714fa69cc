package scoville.benchmark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Bank Transaction: an account that pays handles nothing else until the receiving one has answered. */
final class BankTransaction implements Benchmark {
    private enum Signal {
        START,
        REPLY,
        STOP
    }

    /** To the account that pays. */
    private record Credit(ActorRef from, long amount, ActorRef destination) {}

    /** To the account that receives. */
    private record Debit(ActorRef from, long amount) {}

    /** Arrays by account, each element written by one of them; the rest is the teller's. */
    private static final class Report {
        final long[] balance;
        final long[] deferred;
        long completed;

        Report(int accounts) {
            balance = new long[accounts];
            deferred = new long[accounts];
        }
    }

    private static final class Teller extends Actor {
        private final Report report;
        private final long transactions;
        private final long initialBalance;
        private final Rng rng = new Rng(123456);
        private final ActorRef[] accounts;
        private long completed;

        Teller(Report report, long transactions, long initialBalance) {
            this.report = report;
            this.transactions = transactions;
            this.initialBalance = initialBalance;
            this.accounts = new ActorRef[report.balance.length];
        }

        /** They are told to stop and do so after the teller. */
        @Override
        protected void started() {
            for (int i = 0; i < accounts.length; i++) {
                accounts[i] = spawnTopLevel(new Account(report, i, initialBalance));
            }
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.REPLY) {
                completed++;
                if (completed == transactions) {
                    end();
                }
            } else if (message == Signal.START) {
                for (long n = 0; n < transactions; n++) {
                    transfer();
                }
            } else {
                throw unexpected(message);
            }
        }

        /** The destination is always behind the source, so that no circle of accounts can wait for each other. */
        private void transfer() {
            int source = (int) rng.below(accounts.length / 10 * 8);
            int offset = (int) Math.max(1, rng.below(accounts.length - source));
            long amount = rng.below(1000) + 1;
            accounts[source].send(new Credit(self(), amount, accounts[source + offset]));
        }

        private void end() {
            report.completed = completed;
            for (ActorRef account : accounts) {
                account.send(Signal.STOP);
            }
            stop();
        }
    }

    private static final class Account extends Actor {
        private final Report report;
        private final int id;
        private final ArrayDeque<Object> deferred = new ArrayDeque<>();
        private long balance;
        private long deferrals;

        /** The teller whose transaction waits for the destination's answer, or null. */
        private ActorRef teller;

        Account(Report report, int id, long balance) {
            this.report = report;
            this.id = id;
            this.balance = balance;
        }

        @Override
        protected void receive(Object message) {
            if (message == Signal.REPLY) {
                complete();
                while (teller == null && !deferred.isEmpty()) {
                    serve(deferred.remove());
                }
            } else if (teller != null) {
                deferrals++;
                deferred.add(message);
            } else {
                serve(message);
            }
        }

        private void complete() {
            require(teller != null, "an account received a reply that it did not wait for");
            teller.send(Signal.REPLY);
            teller = null;
        }

        /** Stop is always the last request. */
        private void serve(Object request) {
            if (request instanceof Credit credit) {
                balance -= credit.amount;
                credit.destination.send(new Debit(self(), credit.amount));
                teller = credit.from;
            } else if (request instanceof Debit debit) {
                balance += debit.amount;
                debit.from.send(Signal.REPLY);
            } else if (request == Signal.STOP) {
                report.balance[id] = balance;
                report.deferred[id] = deferrals;
                stop();
            } else {
                throw unexpected(request);
            }
        }
    }

    @Override
    public String name() {
        return "banking";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.between("accounts", 10, 65536),
                Parameter.atLeast("transactions", 1),
                Parameter.integer("initial_balance"));
    }

    @Override
    public Map<String, String> labels() {
        return Map.of("stash", "local");
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        Report report = new Report(parameters.length("accounts"));
        run.timed(() -> run.spawn(new Teller(report, parameters.get("transactions"), parameters.get("initial_balance")))
                .send(Signal.START));
        return Outcome.of(
                        Sums.weighted(report.balance),
                        Map.of("total", Sums.of(report.balance), "completed", report.completed))
                .withMetrics(Map.of("deferred", Sums.of(report.deferred)));
    }
}
