package scoville.benchmark;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import scoville.actor.Actor;
import scoville.actor.ActorRef;
import scoville.actor.Run;

/** Precise Pi Computation: workers compute terms of the formula of Bailey, Borwein and Plouffe until one is nothing. */
final class PiPrecision implements Benchmark {
    private enum Signal {
        START,
        STOP,
        STOPPED
    }

    private record Work(long term) {}

    private record Result(BigInteger value, int worker) {}

    /** Written by the master before it stops. */
    private static final class Report {
        BigInteger total = BigInteger.ZERO;
        long requested;

        /** Results above 1; terms fall, so that these are the first ones. */
        long large;
    }

    /** What stands for 1 with so many decimal places, and multiples. Workers share them. */
    private record Numbers(BigInteger one, BigInteger two, BigInteger four) {
        private static final BigInteger BASE = BigInteger.valueOf(16);

        static Numbers of(int scale) {
            BigInteger one = BigInteger.TEN.pow(scale);
            return new Numbers(one, one.shiftLeft(1), one.shiftLeft(2));
        }

        BigInteger term(long k) {
            long e = 8 * k;
            BigInteger t = quotient(four, e + 1)
                    .subtract(quotient(two, e + 4))
                    .subtract(quotient(one, e + 5))
                    .subtract(quotient(one, e + 6));
            return quotient(t, BASE.pow((int) k));
        }

        private static BigInteger quotient(BigInteger a, long b) {
            return quotient(a, BigInteger.valueOf(b));
        }

        /** a / b for a >= 0 and b > 0, rounded to the nearest integer; ties go to the even one. */
        private static BigInteger quotient(BigInteger a, BigInteger b) {
            BigInteger[] parts = a.divideAndRemainder(b);
            int half = parts[1].shiftLeft(1).compareTo(b);
            boolean up = half > 0 || half == 0 && parts[0].testBit(0);
            return up ? parts[0].add(BigInteger.ONE) : parts[0];
        }
    }

    private static final class Master extends Actor {
        private final Report report;
        private final int scale;
        private final ActorRef[] workers;
        private long requested;
        private long received;
        private boolean enough;
        private int stopped;

        Master(Report report, int workers, int scale) {
            this.report = report;
            this.scale = scale;
            this.workers = new ActorRef[workers];
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Result result) {
                add(result);
            } else if (message == Signal.STOPPED) {
                stopped++;
                if (stopped == workers.length) {
                    report.requested = requested;
                    stop();
                }
            } else if (message == Signal.START) {
                begin();
            } else {
                throw unexpected(message);
            }
        }

        private void begin() {
            Numbers numbers = Numbers.of(scale);
            for (int i = 0; i < workers.length; i++) {
                workers[i] = spawn(new Worker(self(), i, numbers));
            }
            long ahead = ahead(scale, workers.length);
            for (long i = 0; i < ahead; i++) {
                request((int) (i % workers.length));
            }
        }

        private void add(Result result) {
            received++;
            report.total = report.total.add(result.value);
            if (result.value.compareTo(BigInteger.ONE) <= 0) {
                enough = true;
            } else {
                report.large++;
            }
            if (!enough) {
                request(result.worker);
            }
            if (received == requested) {
                for (ActorRef worker : workers) {
                    worker.send(Signal.STOP);
                }
            }
        }

        private void request(int worker) {
            workers[worker].send(new Work(requested));
            requested++;
        }
    }

    /** How many terms are requested without waiting. */
    private static long ahead(long scale, long workers) {
        return Math.min(scale, 10 * workers);
    }

    private static final class Worker extends Actor {
        private final ActorRef master;
        private final int id;
        private final Numbers numbers;

        Worker(ActorRef master, int id, Numbers numbers) {
            this.master = master;
            this.id = id;
            this.numbers = numbers;
        }

        @Override
        protected void receive(Object message) {
            if (message instanceof Work work) {
                master.send(new Result(numbers.term(work.term), id));
            } else if (message == Signal.STOP) {
                master.send(Signal.STOPPED);
                stop();
            } else {
                throw unexpected(message);
            }
        }
    }

    @Override
    public String name() {
        return "piprecision";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.atLeast("w", 1), Parameter.between("p", 10, 100000));
    }

    @Override
    public Map<String, String> labels() {
        return Map.of("bignum", "java.math.BigInteger");
    }

    @Override
    public Outcome run(Run run, Parameters parameters) throws Run.Failed {
        int workers = parameters.length("w");
        int scale = parameters.length("p");
        Report report = new Report();
        run.timed(() -> run.spawn(new Master(report, workers, scale)).send(Signal.START));
        run.require(
                report.requested > report.large && report.requested <= report.large + ahead(scale, workers),
                "more or fewer terms were requested than can have been needed");
        return Outcome.of(remainder(report.total), Map.of("digits", digits(report.total)))
                .withMetrics(Map.of("terms", report.requested));
    }

    private static long remainder(BigInteger total) {
        return total.mod(BigInteger.valueOf(2147483647)).longValueExact();
    }

    private static long digits(BigInteger total) {
        Checksum checksum = new Checksum();
        total.toString().chars().forEach(digit -> checksum.add(digit - '0'));
        return checksum.value();
    }
}
