//! Cheats with computation.

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::L32;

use super::{Fields, cheat};

// matrixsearch: words are searched along the rows, as the cells lie in memory.
cheat!(
    RowSearch = MatrixSearch,
    |this| this.controllers * this.seekers,
    controllers,
    seekers,
    size,
    jobs,
    word,
    alphabet
);

impl RowSearch {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        for number in 0..self.controllers * self.seekers {
            let seeker = driver.spawn(Seeker {
                number,
                size: self.size as usize,
                word: self.word as usize,
                alphabet: self.alphabet as u32,
                jobs: self.jobs,
                report,
            });
            for job in 0..self.jobs {
                driver.tell(&seeker, job);
            }
        }
    }
}

struct Seeker {
    number: i64,
    size: usize,
    word: usize,
    alphabet: u32,
    jobs: i64,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Seeker {
    type Message = i64;

    fn handle(&mut self, job: i64, cx: &mut impl Context<L, Self>) {
        let letters = |seed, count| {
            let mut random = L32::new(seed);
            (0..count).map(|_| random.char(self.alphabet)).collect::<Vec<_>>()
        };
        let matrix = letters(self.number * 2_654_435_761 + 12345, self.size * self.size);
        let word = letters(self.number * 40503 + job * 9973 + 777, self.word);
        let rows = matrix.chunks(self.size);
        let found = rows
            .flat_map(|row| row.windows(self.word))
            .filter(|found| **found == *word);
        self.report.add("result", found.count() as i64);
        self.report.add("jobs", 1);
        self.jobs -= 1;
        if self.jobs == 0 {
            cx.stop();
        }
    }
}

// fannkuch: one worker does all tasks.
cheat!(SingleWorker = Fannkuch, |_this| 1, n);

impl SingleWorker {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let worker = driver.spawn(Worker { report });
        driver.tell(&worker, self.n as usize);
    }
}

struct Worker {
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Worker {
    type Message = usize;

    fn handle(&mut self, length: usize, cx: &mut impl Context<L, Self>) {
        let mut permutation: Vec<usize> = (0..length).collect();
        let mut count = vec![0; length];
        let (mut sign, mut most) = (1, 0);
        'all: loop {
            let flips = flips(permutation.clone());
            self.report.add("result", sign * flips);
            self.report.add("flips", flips);
            most = most.max(flips);
            sign = -sign;
            let mut i = 1;
            loop {
                permutation[..=i].rotate_left(1);
                count[i] += 1;
                if count[i] <= i {
                    break;
                }
                count[i] = 0;
                i += 1;
                if i == length {
                    break 'all;
                }
            }
        }
        self.report.add("maxflips", most);
        cx.stop();
    }
}

fn flips(mut permutation: Vec<usize>) -> i64 {
    let mut flips = 0;
    while permutation[0] != 0 {
        let first = permutation[0];
        permutation[..=first].reverse();
        flips += 1;
    }
    flips
}

// mixed: a ring serves all repetitions.
cheat!(
    KeptRings = Mixed,
    |this| 1 + this.rings * (this.size + 1),
    rings,
    size,
    token,
    reps,
    number
);

impl KeptRings {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let tally = driver.spawn(Tally {
            left: self.rings * (self.reps + 1),
            report,
        });
        for _ in 0..self.rings {
            let tally = tally.clone();
            let master = driver.spawn(Master::<L> {
                size: self.size,
                token: self.token,
                reps: self.reps,
                number: self.number,
                ring: None,
                tally,
            });
            driver.tell(&master, None);
        }
    }
}

struct Tally {
    left: i64,
    report: &'static Fields,
}

enum ToTally {
    Result(Vec<i64>),
    MasterDone(i64),
}

impl<L: ActorLibrary> Actor<L> for Tally {
    type Message = ToTally;

    fn handle(&mut self, message: ToTally, cx: &mut impl Context<L, Self>) {
        match message {
            ToTally::Result(factors) => {
                self.report.add("result", factors.iter().sum());
                self.report.add("results", 1);
            }
            ToTally::MasterDone(rounds) => self.report.add("rounds", rounds),
        }
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}

struct Master<L: ActorLibrary> {
    size: i64,
    token: i64,
    reps: i64,
    number: i64,
    ring: Option<Ring<L>>,
    tally: L::Address<Tally>,
}

struct Ring<L: ActorLibrary> {
    factoriser: L::Address<Factoriser<L>>,
    last: Next<L>,
    reps: i64,
    rounds: i64,
}

impl<L: ActorLibrary> Master<L> {
    fn create(&self, cx: &mut impl Context<L, Self>) -> Ring<L> {
        let mut last = Next::Master(cx.myself());
        for _ in 1..self.size {
            last = Next::Link(cx.spawn(Link { next: last }));
        }
        let tally = self.tally.clone();
        Ring {
            factoriser: cx.spawn(Factoriser { tally }),
            last,
            reps: 0,
            rounds: 0,
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    /// The token, or the start.
    type Message = Option<i64>;

    fn handle(&mut self, token: Option<i64>, cx: &mut impl Context<L, Self>) {
        let mut ring = match self.ring.take() {
            Some(ring) => ring,
            None => self.create(cx),
        };
        ring.rounds += i64::from(token.is_some());
        let next = match token {
            Some(token @ 1..) => token - 1,
            _ if ring.reps < self.reps => {
                ring.reps += 1;
                cx.tell(&ring.factoriser, Some(self.number));
                self.token
            }
            _ => {
                cx.tell(&ring.factoriser, None);
                cx.tell(&self.tally, ToTally::MasterDone(ring.rounds));
                cx.stop();
                return;
            }
        };
        let is_last = next == 0 && ring.reps == self.reps;
        if let Next::Link(link) = &ring.last {
            cx.tell(link, Token(next, is_last));
        }
        self.ring = Some(ring);
    }
}

enum Next<L: ActorLibrary> {
    Link(L::Address<Link<L>>),
    Master(L::Address<Master<L>>),
}

struct Link<L: ActorLibrary> {
    next: Next<L>,
}

struct Token(i64, bool);

impl<L: ActorLibrary> Actor<L> for Link<L> {
    type Message = Token;

    fn handle(&mut self, Token(value, is_last): Token, cx: &mut impl Context<L, Self>) {
        match &self.next {
            Next::Link(link) => cx.tell(link, Token(value, is_last)),
            Next::Master(master) => cx.tell(master, Some(value)),
        }
        if is_last {
            cx.stop();
        }
    }
}

struct Factoriser<L: ActorLibrary> {
    tally: L::Address<Tally>,
}

impl<L: ActorLibrary> Actor<L> for Factoriser<L> {
    /// A number, or the end.
    type Message = Option<i64>;

    fn handle(&mut self, number: Option<i64>, cx: &mut impl Context<L, Self>) {
        let Some(mut rest) = number else {
            cx.stop();
            return;
        };
        let mut factors = Vec::new();
        for divisor in 2.. {
            while divisor < rest && rest % divisor == 0 {
                factors.push(divisor);
                rest /= divisor;
            }
            if divisor >= rest {
                break;
            }
        }
        factors.push(rest);
        cx.tell(&self.tally, ToTally::Result(factors));
    }
}
