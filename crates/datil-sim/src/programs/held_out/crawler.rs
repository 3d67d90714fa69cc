//! A crawler: hosts with pages, and fetchers that read pages, take them apart and tell the hosts that these link to. A
//! host knows which of its pages have been found, and has one of them fetched at a time, as is polite; the frontier gives
//! pages to fetchers that are free. There are few pages at first, then many, and in the end only those of the largest
//! hosts, one after the other. Most of the time goes into taking pages apart. Written as held out, after it was decided
//! how often workers look for sleepers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "crawler",
    about: "written to try the final rules on: fetchers that take pages apart, one page of a host at a time",
    nature: Nature::Computing,
    parameters: &[
        ("hosts", "320"),
        ("pages", "3200"),
        ("fetchers", "128"),
        ("seeds", "6"),
    ],
    scale: None,
    annotations: &[
        actor("crawler::Host", sort),
        Annotation {
            state: |_| 2 * PAGE_BYTES,
            carries: |_| 1,
            ..actor("crawler::Fetcher", take_apart)
        },
        coordinator("crawler::Frontier", burst),
    ],
    run,
};

/// A page as it came, and as much again for what becomes of it.
const PAGE_BYTES: u64 = 32 << 10;
/// A page links to fewer pages than so many.
const LINKS: u32 = 12;

/// 20 to 60 µs at 2.3 GHz for every host that a page links to: who links to many is long.
fn take_apart(activity: &Activity) -> Charge {
    match activity.sends as u64 {
        0 => Charge::compute(500).touching(2),
        sends => Charge::compute(sends * between(46_000, 138_000, activity))
            .touching(PAGE_BYTES / 64)
            .exposing(0.2),
    }
}

/// 0.2 to 1 µs: links are looked up among the pages that are known.
fn sort(activity: &Activity) -> Charge {
    Charge::compute(between(460, 2_300, activity)).touching(2)
}

/// A host and the number of a page of it.
type Page = (usize, u64);

/// The pages that there are; hosts are numbered from the largest to the smallest.
struct Web {
    /// Pages of each host.
    sizes: Vec<u64>,
}

impl Web {
    /// So many pages on so many hosts.
    fn new(hosts: usize, pages: u64) -> Self {
        let mut random = Random::new(hosts as u64);
        let mut sizes = vec![0; hosts];
        for _ in 0..pages {
            sizes[popular(&mut random, hosts)] += 1;
        }
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        Self { sizes }
    }

    /// What stands on a page.
    fn text((host, number): Page) -> u64 {
        mixed((host as u64) << 32 | number)
    }

    /// Pages to which a page links, by host: half of the links stay at its own host, which is always among them.
    fn links(&self, page: Page) -> BTreeMap<usize, Vec<u64>> {
        let mut random = Random::new(Self::text(page));
        let mut links = BTreeMap::from([(page.0, Vec::new())]);
        for _ in 0..random.below(LINKS) {
            let host = match random.below(2) {
                0 => page.0,
                _ => popular(&mut random, self.sizes.len()),
            };
            // A host without pages is linked to by mistake.
            if self.sizes[host] > 0 {
                let number = u64::from(random.below(self.sizes[host] as u32));
                links.entry(host).or_default().push(number);
            }
        }
        links
    }

    /// The first pages of the first hosts, from where everything is found.
    fn seeds(&self, seeds: usize) -> impl Iterator<Item = Page> {
        let hosts = 0..seeds.min(self.sizes.len());
        hosts.filter(|&host| self.sizes[host] > 0).map(|host| (host, 0))
    }
}

/// One of so many hosts: if there are some hundred, the first is about seven times as likely as the average one.
fn popular(random: &mut Random, hosts: usize) -> usize {
    let mut draw = || random.below(hosts as u32) as usize;
    draw() * draw() / hosts
}

struct Host {
    number: usize,
    known: BTreeSet<u64>,
    /// Pages that are known and have not been fetched.
    queue: VecDeque<u64>,
    /// Whether one of its pages is being fetched.
    busy: bool,
    frontier: To<Frontier>,
}

enum ToHost {
    /// Links to its pages; and whether they come from its own page that was being fetched.
    Linked(Vec<u64>, bool),
    Stop,
}

impl Actor<Simulated> for Host {
    type Message = ToHost;

    fn handle(&mut self, message: ToHost, cx: &mut impl Context<Simulated, Self>) {
        let ToHost::Linked(pages, fetched) = message else {
            return cx.stop();
        };
        self.busy &= !fetched;
        let before = self.queue.len();
        for page in pages {
            if self.known.insert(page) {
                self.queue.push_back(page);
            }
        }
        let found = self.queue.len() - before;
        let next = if self.busy { None } else { self.queue.pop_front() };
        self.busy |= next.is_some();
        let ready = next.map(|page| (self.number, page));
        cx.tell(&self.frontier, ToFrontier::Sorted { found, ready });
    }
}

struct Fetcher {
    web: Arc<Web>,
    hosts: Arc<[To<Host>]>,
    frontier: To<Frontier>,
    /// All texts so far.
    total: u64,
    sum: Sum,
}

enum ToFetcher {
    Fetch(Page),
    Stop,
}

impl Actor<Simulated> for Fetcher {
    type Message = ToFetcher;

    fn handle(&mut self, message: ToFetcher, cx: &mut impl Context<Simulated, Self>) {
        let ToFetcher::Fetch(page) = message else {
            self.sum.add(self.total);
            return cx.stop();
        };
        self.total = self.total.wrapping_add(Web::text(page));
        let links = self.web.links(page);
        // The frontier must expect what hosts will tell it before they do.
        cx.tell(&self.frontier, ToFrontier::Fetched(links.len(), cx.myself()));
        for (host, pages) in links {
            cx.tell(&self.hosts[host], ToHost::Linked(pages, host == page.0));
        }
    }
}

/// Gives pages to fetchers, and stops everybody when nothing more can be found.
struct Frontier {
    hosts: Arc<[To<Host>]>,
    fetchers: Vec<To<Fetcher>>,
    free: Vec<To<Fetcher>>,
    /// Pages that may be fetched.
    ready: VecDeque<Page>,
    /// Pages that have been found and not been fetched, and links that hosts have not sorted yet.
    open: usize,
}

enum ToFrontier {
    /// All hosts and fetchers, and where to begin.
    Begin(Arc<[To<Host>]>, Vec<To<Fetcher>>, Vec<Page>),
    /// A host has found so many new pages among the links that it was told, and perhaps has one fetched.
    Sorted { found: usize, ready: Option<Page> },
    /// A page links to so many hosts, and its fetcher is free.
    Fetched(usize, To<Fetcher>),
}

impl Frontier {
    /// Hosts learn of the first pages as of any others.
    fn begin(&mut self, seeds: Vec<Page>, cx: &mut impl Context<Simulated, Self>) {
        self.free.clone_from(&self.fetchers);
        self.open = seeds.len();
        for (host, page) in seeds {
            cx.tell(&self.hosts[host], ToHost::Linked(vec![page], false));
        }
    }

    fn give(&mut self, cx: &mut impl Context<Simulated, Self>) {
        while !self.free.is_empty()
            && let Some(page) = self.ready.pop_front()
            && let Some(fetcher) = self.free.pop()
        {
            cx.tell(&fetcher, ToFetcher::Fetch(page));
        }
    }

    fn stop(&self, cx: &mut impl Context<Simulated, Self>) {
        for host in self.hosts.iter() {
            cx.tell(host, ToHost::Stop);
        }
        for fetcher in &self.fetchers {
            cx.tell(fetcher, ToFetcher::Stop);
        }
        cx.stop();
    }
}

impl Actor<Simulated> for Frontier {
    type Message = ToFrontier;

    fn handle(&mut self, message: ToFrontier, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToFrontier::Begin(hosts, fetchers, seeds) => {
                (self.hosts, self.fetchers) = (hosts, fetchers);
                self.begin(seeds, cx);
            }
            ToFrontier::Sorted { found, ready } => {
                self.open = self.open + found - 1;
                self.ready.extend(ready);
            }
            ToFrontier::Fetched(links, fetcher) => {
                self.open = self.open + links - 1;
                self.free.push(fetcher);
            }
        }
        self.give(cx);
        if self.open == 0 {
            self.stop(cx);
        }
    }
}

struct Crawl {
    web: Arc<Web>,
    fetchers: u64,
    seeds: Vec<Page>,
    sum: Sum,
}

impl Crawl {
    /// The texts of all pages that can be found.
    fn expected(&self) -> u64 {
        let mut known: BTreeSet<Page> = self.seeds.iter().copied().collect();
        let mut queue = self.seeds.clone();
        while let Some(page) = queue.pop() {
            for (host, pages) in self.web.links(page) {
                let pages = pages.into_iter().map(|number| (host, number));
                queue.extend(pages.filter(|&page| known.insert(page)));
            }
        }
        known.into_iter().map(Web::text).fold(0, u64::wrapping_add)
    }
}

impl Script<Simulated> for Crawl {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let frontier = driver.spawn(Frontier {
            hosts: Arc::new([]),
            fetchers: Vec::new(),
            free: Vec::new(),
            ready: VecDeque::new(),
            open: 0,
        });
        let host = |number| {
            driver.spawn(Host {
                number,
                known: BTreeSet::new(),
                queue: VecDeque::new(),
                busy: false,
                frontier: frontier.clone(),
            })
        };
        let hosts: Arc<[To<Host>]> = (0..self.web.sizes.len()).map(host).collect();
        let fetcher = |_| {
            driver.spawn(Fetcher {
                web: Arc::clone(&self.web),
                hosts: Arc::clone(&hosts),
                frontier: frontier.clone(),
                total: 0,
                sum: self.sum.clone(),
            })
        };
        let fetchers = (0..self.fetchers).map(fetcher).collect();
        driver.tell(&frontier, ToFrontier::Begin(hosts, fetchers, self.seeds));
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let hosts = number(program, parameters, "hosts")?;
    let web = Web::new(hosts as usize, number(program, parameters, "pages")?);
    let seeds = number(program, parameters, "seeds")? as usize;
    let script = Crawl {
        seeds: web.seeds(seeds).collect(),
        web: Arc::new(web),
        fetchers: number(program, parameters, "fetchers")?,
        sum: sum.clone(),
    };
    let actors = hosts + script.fetchers + 1;
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
