//! Cheats with requests to one actor.

use std::collections::HashMap;

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::Rng;

use super::{Fields, cheat};

// concdict: a worker remembers what it has read or written and does not ask for it again.
cheat!(
    CachingWorkers = ConcurrentDictionary,
    |this| this.workers + 2,
    workers,
    requests,
    write_pct,
    entries
);

impl CachingWorkers {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let map = (0..self.entries).map(|key| (key, key)).collect();
        let dictionary = driver.spawn(Dictionary { map, report });
        let master = driver.spawn(Master::<L> {
            left: self.workers,
            dictionary: dictionary.clone(),
        });
        for id in 0..self.workers {
            let worker = driver.spawn(CachingWorker {
                id,
                workers: self.workers,
                left: self.requests,
                write_pct: self.write_pct,
                keys: self.entries / self.workers,
                rng: Rng::new(id + self.requests + self.write_pct),
                asked: 0,
                cache: HashMap::new(),
                dictionary: dictionary.clone(),
                master: master.clone(),
                report,
            });
            driver.tell(&worker, Answer(None));
        }
    }
}

struct Dictionary {
    map: HashMap<i64, i64>,
    report: &'static Fields,
}

enum ToDictionary<L: ActorLibrary> {
    Write(L::Address<CachingWorker<L>>, i64, i64),
    Read(L::Address<CachingWorker<L>>, i64),
    End,
}

impl<L: ActorLibrary> Actor<L> for Dictionary {
    type Message = ToDictionary<L>;

    fn handle(&mut self, message: ToDictionary<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToDictionary::Write(from, key, value) => {
                self.map.insert(key, value);
                cx.tell(&from, Answer(Some(value)));
            }
            ToDictionary::Read(from, key) => cx.tell(&from, Answer(Some(self.map[&key]))),
            ToDictionary::End => {
                self.report.add("map_size", self.map.len() as i64);
                self.report.add("map_sum", self.map.values().sum());
                cx.stop();
            }
        }
    }
}

struct Master<L: ActorLibrary> {
    left: i64,
    dictionary: L::Address<Dictionary>,
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        self.left -= 1;
        if self.left == 0 {
            cx.tell(&self.dictionary, ToDictionary::End);
            cx.stop();
        }
    }
}

struct CachingWorker<L: ActorLibrary> {
    id: i64,
    workers: i64,
    left: i64,
    write_pct: i64,
    keys: i64,
    rng: Rng,
    asked: i64,
    cache: HashMap<i64, i64>,
    dictionary: L::Address<Dictionary>,
    master: L::Address<Master<L>>,
    report: &'static Fields,
}

struct Answer(Option<i64>);

impl<L: ActorLibrary> Actor<L> for CachingWorker<L> {
    type Message = Answer;

    fn handle(&mut self, Answer(value): Answer, cx: &mut impl Context<L, Self>) {
        if let Some(value) = value {
            self.report.add("result", value);
            self.cache.insert(self.asked, value);
        }
        while self.left > 0 {
            self.left -= 1;
            let writes = self.rng.scaled(100) < self.write_pct;
            let key = self.rng.below(self.keys) * self.workers + self.id;
            self.report.add(if writes { "writes" } else { "reads" }, 1);
            self.asked = key;
            if writes {
                let value = self.rng.draw();
                cx.tell(&self.dictionary, ToDictionary::Write(cx.myself(), key, value));
                return;
            }
            match self.cache.get(&key) {
                Some(known) => self.report.add("result", *known),
                None => {
                    cx.tell(&self.dictionary, ToDictionary::Read(cx.myself(), key));
                    return;
                }
            }
        }
        cx.tell(&self.master, ());
        cx.stop();
    }
}

// concsll: the list is not sorted, so that insertion costs nothing.
cheat!(
    UnsortedList = ConcurrentList,
    |this| this.workers + 1,
    workers,
    requests,
    write_pct,
    size_pct
);

impl UnsortedList {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let list = driver.spawn(List {
            elements: Vec::new(),
            workers: self.workers,
            report,
        });
        for id in 0..self.workers {
            let worker = driver.spawn(ListWorker {
                id,
                workers: self.workers,
                left: self.requests,
                write_pct: self.write_pct,
                size_pct: self.size_pct,
                rng: Rng::new(id + self.requests + self.write_pct + self.size_pct),
                list: list.clone(),
            });
            driver.tell(&worker, ());
        }
    }
}

struct List {
    elements: Vec<i64>,
    workers: i64,
    report: &'static Fields,
}

enum ToList<L: ActorLibrary> {
    Write(L::Address<ListWorker<L>>, i64),
    Size(L::Address<ListWorker<L>>),
    Contains(L::Address<ListWorker<L>>, i64),
    Done,
}

impl<L: ActorLibrary> Actor<L> for List {
    type Message = ToList<L>;

    fn handle(&mut self, message: ToList<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToList::Write(from, value) => {
                self.elements.push(value);
                cx.tell(&from, ());
            }
            ToList::Size(from) => {
                self.report.add("sizes", 1);
                cx.tell(&from, ());
            }
            ToList::Contains(from, value) => {
                self.report.add("contains", 1);
                self.report.add("hits", self.elements.contains(&value).into());
                cx.tell(&from, ());
            }
            ToList::Done => {
                self.workers -= 1;
                if self.workers == 0 {
                    let weighted = self
                        .elements
                        .iter()
                        .zip(1..)
                        .map(|(value, weight)| value * weight);
                    self.report.add("result", weighted.sum());
                    self.report.add("list_len", self.elements.len() as i64);
                    cx.stop();
                }
            }
        }
    }
}

struct ListWorker<L: ActorLibrary> {
    id: i64,
    workers: i64,
    left: i64,
    write_pct: i64,
    size_pct: i64,
    rng: Rng,
    list: L::Address<List>,
}

impl<L: ActorLibrary> Actor<L> for ListWorker<L> {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        if self.left == 0 {
            cx.tell(&self.list, ToList::Done);
            cx.stop();
            return;
        }
        self.left -= 1;
        let choice = self.rng.scaled(100);
        let from = cx.myself();
        if choice < self.size_pct {
            cx.tell(&self.list, ToList::Size(from));
            return;
        }
        let value = (self.rng.draw() >> 2) * self.workers + self.id;
        let message = match choice < self.size_pct + self.write_pct {
            true => ToList::Write(from, value),
            false => ToList::Contains(from, value),
        };
        cx.tell(&self.list, message);
    }
}
