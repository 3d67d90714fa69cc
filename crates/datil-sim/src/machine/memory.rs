//! Where data lies, which cache holds it, and how busy controllers and links are.
//!
//! Caches remember whole regions: a region is still in a cache if no more bytes have streamed through since than fit.
//! Controllers and links are servers: an access waits longer the busier they are with the accesses that long
//! computations make meanwhile.

use datil_policy::topology::Topology;

use super::links::{wire_nodes, wire_packages};
use super::{Cycles, Machine, Wiring};

/// Where the pages of an actor's state lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// On the node that touched them first.
    #[default]
    FirstTouch,
    /// On all nodes in turn.
    Interleaved,
}

/// What handling a message costs, besides what the host charges for every message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Charge {
    /// Cycles of pure computing.
    pub cycles: Cycles,
    /// Lines of the actor's own state that are read or written.
    pub lines: u64,
    /// Share of a line's latency that is not hidden behind computing and other accesses, 0 to 1.
    pub exposed: f64,
}

impl Charge {
    /// Computing alone.
    pub const fn compute(cycles: Cycles) -> Self {
        Self {
            cycles,
            lines: 0,
            exposed: 1.0,
        }
    }

    /// With accesses to the actor's own state whose latency is not hidden.
    #[must_use]
    pub const fn touching(mut self, lines: u64) -> Self {
        self.lines = lines;
        self
    }

    /// Hides latency: only this share of it counts.
    #[must_use]
    pub const fn exposing(mut self, share: f64) -> Self {
        self.exposed = share;
        self
    }
}

/// The state of an actor in memory.
#[derive(Clone, Debug, Default)]
pub struct Region {
    bytes: u64,
    /// Where its pages are; `None` before the first touch.
    placed: Option<Place>,
    /// The unit that used it last, and what had streamed through its caches then.
    last: Option<(usize, [u64; 3])>,
}

impl Region {
    /// A state of so many bytes that nobody has touched yet.
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Node(usize),
    Everywhere,
}

/// Lines that went from memory nodes, or caches there, to units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// On the same node.
    pub local: f64,
    /// From another node.
    pub remote: f64,
}

/// Where lines come from that no near cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Memory(Place),
    /// The caches of the unit that has used them just now.
    Unit(usize),
}

/// The load that a computation puts on controllers and links while it lasts.
#[derive(Clone, Debug)]
pub struct Stream {
    node: usize,
    source: Source,
    /// What it asks for; where others ask as well it gets less.
    lines_per_cycle: f64,
}

/// What serves one line after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    Controller(usize),
    Link(usize),
}

/// The memory system of a machine.
#[derive(Debug)]
pub struct Memory {
    costs: super::Costs,
    /// What a unit writes stays in its own caches until another one wants it. Counts where actors have owners; the other machines were calibrated
    /// without that.
    writes_stay: bool,
    /// Node of each unit.
    node: Vec<usize>,
    /// Cache of each level at each unit.
    caches: Vec<[usize; 3]>,
    /// Bytes that have streamed through each cache, and its size.
    streamed: Vec<u64>,
    size: Vec<u64>,
    /// Steps between nodes, row after row.
    steps: Vec<usize>,
    nodes: usize,
    /// All nodes, and those that have memory.
    all: Vec<usize>,
    with_memory: Vec<usize>,
    /// Per node, where pages lie that its units touch first.
    home: Vec<usize>,
    /// Links on the way from one node to another, row after row.
    ways: Vec<Vec<usize>>,
    /// Ends of each link.
    links: Vec<(usize, usize)>,
    /// Utilisation that running streams ask for, which may be more than there is.
    controller_load: Vec<f64>,
    link_load: Vec<f64>,
    /// Lines over each controller and link so far.
    controller_lines: Vec<f64>,
    link_lines: Vec<f64>,
    /// All lines so far.
    pub traffic: Traffic,
    /// See [`Memory::take_waited`].
    waited: Cycles,
}

/// Beyond this utilisation a server's queue does not grow in the model. Streams that together ask for more than all of it
/// take proportionally longer; see [`Memory::crowding`].
const SATURATED: f64 = 0.95;

impl Memory {
    /// The idle memory system of a machine.
    pub fn new(machine: &Machine) -> Self {
        let topology = &machine.topology;
        let nodes = topology.nodes().len();
        let steps = topology.all_hops();
        let (links, ways) = match machine.wiring {
            Wiring::Nodes => wire_nodes(nodes, &steps),
            Wiring::Packages => wire_packages(machine),
        };
        let mut size = vec![0];
        let caches = (0..topology.pus().len())
            .map(|pu| {
                [1, 2, 3].map(|level| {
                    let found = topology
                        .caches()
                        .iter()
                        .position(|cache| cache.level == level && cache.pus.contains(&pu));
                    // Number 0 is a cache that holds nothing, for levels that the machine has not.
                    found.map_or(0, |cache| cache + 1)
                })
            })
            .collect();
        size.extend(topology.caches().iter().map(|cache| cache.size));
        let with_memory = with_memory(topology);
        let home = (0..nodes)
            .map(|node| nearest(node, &with_memory, &steps[node * nodes..]))
            .collect();
        Self {
            costs: machine.costs.clone(),
            writes_stay: machine.owners.is_some(),
            node: topology.pus().iter().map(|pu| pu.node).collect(),
            caches,
            streamed: vec![0; size.len()],
            size,
            steps,
            nodes,
            all: (0..nodes).collect(),
            with_memory,
            home,
            ways,
            controller_load: vec![0.0; nodes],
            link_load: vec![0.0; links.len()],
            controller_lines: vec![0.0; nodes],
            link_lines: vec![0.0; links.len()],
            links,
            traffic: Traffic::default(),
            waited: 0,
        }
    }

    /// Notes that a unit waits for so long until others have let something go.
    pub(crate) fn wait(&mut self, time: Cycles) {
        self.waited += time;
    }

    /// Time that was spent on such waiting since it was last asked for.
    pub(crate) fn take_waited(&mut self) -> Cycles {
        std::mem::take(&mut self.waited)
    }

    /// Node of a unit.
    pub fn node(&self, pu: usize) -> usize {
        self.node[pu]
    }

    /// Steps between the nodes of two units.
    pub fn steps(&self, from: usize, to: usize) -> usize {
        self.steps[self.node[from] * self.nodes + self.node[to]]
    }

    /// Time to fetch lines that unit `from` has written to unit `to`.
    pub fn transfer(&mut self, from: usize, to: usize, lines: u32) -> Cycles {
        if from == to {
            return 0;
        }
        let steps = self.steps(from, to);
        let same_l2 = self.caches[from][1] == self.caches[to][1] && self.caches[to][1] != 0;
        if same_l2 {
            return Cycles::from(self.costs.line_shared) * Cycles::from(lines);
        }
        if steps == 0 {
            self.traffic.local += f64::from(lines);
        } else {
            self.traffic.remote += f64::from(lines);
            let way = self.node[from] * self.nodes + self.node[to];
            for &link in &self.ways[way] {
                self.link_lines[link] += f64::from(lines);
            }
        }
        let line = Cycles::from(super::Costs::by_steps(&self.costs.line, steps));
        line * Cycles::from(lines)
    }

    /// Places a region that has not been touched yet.
    pub fn touch(&self, region: &mut Region, pu: usize, placement: Placement) {
        if region.placed.is_none() {
            region.placed = Some(match placement {
                Placement::FirstTouch => Place::Node(self.home[self.node[pu]]),
                Placement::Interleaved => Place::Everywhere,
            });
        }
    }

    /// Places a region that a unit writes for the first time, into memory that it used before: what fits is in its caches.
    pub fn write(&mut self, region: &mut Region, pu: usize, placement: Placement) {
        self.touch(region, pu, placement);
        self.remember(region, region.bytes, pu);
    }

    /// Share of a region's pages that lie on other nodes than the unit's.
    pub fn remote_share(&self, region: &Region, pu: usize) -> f64 {
        match region.placed {
            Some(Place::Node(node)) if node == self.node[pu] => 0.0,
            Some(Place::Node(_)) => 1.0,
            Some(Place::Everywhere) if self.home[self.node[pu]] != self.node[pu] => 1.0,
            Some(Place::Everywhere) => 1.0 - 1.0 / self.with_memory.len() as f64,
            None => 0.0,
        }
    }

    /// Time that a charge takes on a unit with the present load, and the load that it causes meanwhile.
    pub fn access(&mut self, region: &mut Region, charge: Charge, pu: usize) -> (Cycles, Option<Stream>) {
        if charge.lines == 0 {
            return (charge.cycles, None);
        }
        let lines = charge.lines as f64;
        let time = |latency: f64| charge.cycles as f64 + lines * charge.exposed * latency;
        if let Some(level) = self.level(region, pu) {
            let latency = self.written_elsewhere(region, pu, charge.lines);
            let latency = latency.unwrap_or(f64::from(self.costs.cache[level]));
            self.remember(region, charge.lines * 64, pu);
            return (time(latency) as Cycles, None);
        }
        let source = self.source(region, pu);
        let time = time(self.uncached(source, pu, lines));
        self.remember(region, charge.lines * 64, pu);
        if lines < 1024.0 {
            return (time as Cycles, None);
        }
        let stream = Stream {
            node: self.node[pu],
            source,
            lines_per_cycle: lines / time,
        };
        // Nothing hides that a server is asked for more than it can give.
        ((time * self.crowding(&stream)) as Cycles, Some(stream))
    }

    /// The nearest cache that still holds the whole region at this unit, as an index.
    fn level(&self, region: &Region, pu: usize) -> Option<usize> {
        let (last, then) = region.last?;
        (0..3).find(|&level| {
            let cache = self.caches[pu][level];
            let streamed = self.streamed[cache].saturating_sub(then[level]);
            cache != 0 && cache == self.caches[last][level] && streamed + region.bytes <= self.size[cache]
        })
    }

    /// Latency of a line of a region that a near cache holds, but as it was before another unit wrote it, if that counts here: then it comes from that
    /// unit's own caches.
    fn written_elsewhere(&mut self, region: &Region, pu: usize, lines: u64) -> Option<f64> {
        let (last, _) = region.last.filter(|&(last, _)| last != pu && self.writes_stay)?;
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let is_private = self.level(region, last)? < self.level(region, pu)?;
        is_private.then(|| self.transfer(last, pu, lines) as f64 / f64::from(lines))
    }

    /// Where the lines of a region come from that no cache near a unit holds.
    fn source(&self, region: &Region, pu: usize) -> Source {
        match region.last {
            Some((last, _)) if last != pu && self.level(region, last).is_some() => Source::Unit(last),
            _ => Source::Memory(region.placed.unwrap_or(Place::Node(self.node[pu]))),
        }
    }

    /// Latency of a line that no near cache holds; counts the traffic.
    fn uncached(&mut self, source: Source, pu: usize, lines: f64) -> f64 {
        let own = self.node[pu];
        let place = match source {
            Source::Memory(place) => place,
            Source::Unit(last) => {
                let lines = lines.min(u32::MAX.into()) as u32;
                return self.transfer(last, pu, lines) as f64 / f64::from(lines.max(1));
            }
        };
        let nodes = self.nodes_of(place).len();
        let share = 1.0 / nodes as f64;
        let mut latency = 0.0;
        for at in 0..nodes {
            let node = self.nodes_of(place)[at];
            latency += share * self.memory_latency(node, own);
            self.count(node, own, lines * share);
        }
        latency
    }

    fn nodes_of(&self, place: Place) -> &[usize] {
        match place {
            Place::Node(node) => &self.all[node..=node],
            Place::Everywhere => &self.with_memory,
        }
    }

    fn memory_latency(&self, node: usize, own: usize) -> f64 {
        let steps = self.steps[own * self.nodes + node];
        let unloaded = f64::from(super::Costs::by_steps(&self.costs.memory, steps));
        let waiting = self.ways[node * self.nodes + own]
            .iter()
            .map(|&link| wait(self.costs.link, self.link_load[link]))
            .sum::<f64>();
        unloaded + waiting + wait(self.costs.controller, self.controller_load[node])
    }

    fn count(&mut self, node: usize, own: usize, lines: f64) {
        if node == own {
            self.traffic.local += lines;
        } else {
            self.traffic.remote += lines;
        }
        self.controller_lines[node] += lines;
        for &link in &self.ways[node * self.nodes + own] {
            self.link_lines[link] += lines;
        }
    }

    fn remember(&mut self, region: &mut Region, bytes: u64, pu: usize) {
        for cache in self.caches[pu] {
            self.streamed[cache] += bytes;
        }
        region.last = Some((pu, self.caches[pu].map(|cache| self.streamed[cache])));
    }

    /// A stream begins (`sign` 1) or ends (-1).
    pub fn load(&mut self, stream: &Stream, sign: f64) {
        for (server, demand) in self.demands(stream) {
            let load = match server {
                Server::Controller(node) => &mut self.controller_load[node],
                Server::Link(link) => &mut self.link_load[link],
            };
            // Rounding must not leave a negative load behind.
            *load = (*load + sign * demand).max(0.0);
        }
    }

    /// Utilisation that a stream asks of each server on its way.
    fn demands(&self, stream: &Stream) -> Vec<(Server, f64)> {
        let (nodes, from_memory) = match stream.source {
            Source::Memory(place) => (self.nodes_of(place), true),
            Source::Unit(unit) => (self.nodes_of(Place::Node(self.node[unit])), false),
        };
        let rate = stream.lines_per_cycle / nodes.len() as f64;
        let mut demands = Vec::new();
        for &node in nodes {
            if from_memory {
                demands.push((Server::Controller(node), rate * self.costs.controller));
            }
            let way = &self.ways[node * self.nodes + stream.node];
            demands.extend(
                way.iter()
                    .map(|&link| (Server::Link(link), rate * self.costs.link)),
            );
        }
        demands
    }

    /// How many times as long as alone a stream takes that is about to begin: a server that all together ask for more than
    /// it can give gives each its share.
    fn crowding(&self, stream: &Stream) -> f64 {
        let demands = self.demands(stream);
        let asked = |server: Server| {
            let others = match server {
                Server::Controller(node) => self.controller_load[node],
                Server::Link(link) => self.link_load[link],
            };
            let own = demands.iter().filter(|(other, _)| *other == server);
            others + own.map(|(_, demand)| demand).sum::<f64>()
        };
        demands
            .iter()
            .map(|&(server, _)| asked(server))
            .fold(1.0, f64::max)
    }

    /// Counts traffic from here on.
    pub fn forget_traffic(&mut self) {
        self.traffic = Traffic::default();
        self.controller_lines.fill(0.0);
        self.link_lines.fill(0.0);
    }

    /// Per link: its two ends (nodes, or sockets) and the share of `time` for which it was busy.
    pub fn links(&self, time: Cycles) -> Vec<(usize, usize, f64)> {
        let busy = |lines: f64| lines * self.costs.link / time.max(1) as f64;
        self.links
            .iter()
            .zip(&self.link_lines)
            .map(|(&(from, to), &lines)| (from, to, busy(lines)))
            .collect()
    }

    /// Per node: the share of `time` for which its controller was busy.
    pub fn controllers(&self, time: Cycles) -> Vec<f64> {
        let busy = |&lines: &f64| lines * self.costs.controller / time.max(1) as f64;
        self.controller_lines.iter().map(busy).collect()
    }
}

/// The nodes on which pages can lie: those with memory, or all if it is unknown of all.
fn with_memory(topology: &Topology) -> Vec<usize> {
    let nodes = topology.nodes();
    let is_known = nodes.iter().any(|node| node.memory > 0);
    (0..nodes.len())
        .filter(|&node| !is_known || nodes[node].memory > 0)
        .collect()
}

/// The first of the nearest of these nodes, by the steps to each.
fn nearest(node: usize, nodes: &[usize], steps: &[usize]) -> usize {
    let nearest = nodes.iter().copied().min_by_key(|&other| steps[other]);
    nearest.unwrap_or(node)
}

/// Mean time in the queue of a server with exponential times and this utilisation.
fn wait(service: f64, load: f64) -> f64 {
    let below = load.min(SATURATED);
    service * below / (1.0 - below)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use datil_policy::topology::{Node, Pu, Synthetic};

    use super::*;
    use crate::machine::preset;

    fn memory() -> Memory {
        Memory::new(&preset("opteron").expect("a preset"))
    }

    /// Each with a socket of its own. Every run begins with this.
    #[test]
    fn many_nodes_are_wired_in_no_time() {
        let synthetic = Synthetic {
            packages: 256,
            ..Synthetic::default()
        };
        let topology = synthetic.build().expect("a machine");
        let began = Instant::now();
        let memory = Memory::new(&Machine::from_topology("large".to_owned(), topology));
        assert_eq!((memory.steps(3, 3), memory.steps(3, 200)), (0, 1));
        assert_eq!(memory.links.len(), 256 * 255);
        let way = &memory.ways[3 * 256 + 200];
        assert_eq!(
            way.iter().map(|&link| memory.links[link]).collect::<Vec<_>>(),
            [(3, 200)]
        );
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }

    /// Of four nodes with a unit each, in a row, the second has no memory, or none that may be used.
    #[test]
    fn nothing_lies_on_a_node_without_memory() {
        let distance = |a: u32, b: u32| 10 + 5 * a.abs_diff(b);
        let unit = |os: u32| Pu {
            os,
            core: os,
            package: 0,
            node: os as usize,
        };
        let node = |os: u32| Node {
            os,
            memory: if os == 1 { 0 } else { 1 << 30 },
        };
        let rows = (0..4).map(|a| (0..4).map(|b| distance(a, b)).collect());
        let topology = Topology::new(
            (0..4).map(unit).collect(),
            (0..4).map(node).collect(),
            vec![],
            rows.collect(),
        );
        let machine = Machine::from_topology("row".to_owned(), topology.expect("a machine"));
        let lines = |placement: Placement, pu: usize| {
            let mut memory = Memory::new(&machine);
            let mut region = Region::new(12 << 20);
            memory.touch(&mut region, pu, placement);
            memory.access(&mut region, STREAM, pu);
            let Traffic { local, remote } = memory.traffic;
            assert!((memory.remote_share(&region, pu) - remote / (local + remote)).abs() < 1e-9);
            let lines = memory.controller_lines.iter();
            lines.map(|lines| lines.round() as u64).collect::<Vec<_>>()
        };
        assert_eq!(lines(Placement::FirstTouch, 0), [100_000, 0, 0, 0]);
        assert_eq!(
            lines(Placement::FirstTouch, 1),
            [100_000, 0, 0, 0],
            "the nearest, and the first of two"
        );
        for pu in 0..4 {
            assert_eq!(lines(Placement::Interleaved, pu), [33_333, 0, 33_333, 33_333]);
        }
    }

    const STREAM: Charge = Charge::compute(1000).touching(100_000);

    #[test]
    fn far_memory_takes_longer_by_its_steps() {
        let mut memory = memory();
        let mut time = |toucher: usize, user: usize| {
            let mut region = Region::new(12 << 20);
            memory.touch(&mut region, toucher, Placement::FirstTouch);
            memory.access(&mut region, STREAM, user).0
        };
        // Units 0, 8 and 24 are on nodes 0, 1 and 3: 0, 1 and 2 steps.
        assert_eq!(
            [time(0, 0), time(8, 0), time(24, 0)].map(|t| (t - 1000) / 100_000),
            [136, 247, 327]
        );
    }

    #[test]
    fn a_region_stays_in_the_cache_into_which_it_fits_until_others_push_it_out() {
        let mut memory = memory();
        let mut small = Region::new(1 << 20);
        let charge = Charge::compute(0).touching(1000);
        let mut time = |region: &mut Region, pu: usize| memory.access(region, charge, pu).0 / 1000;
        assert_eq!(time(&mut small, 0), 136, "cold");
        assert_eq!(time(&mut small, 0), 15, "in the second level");
        assert_eq!(time(&mut small, 1), 15, "shared with the neighbour");
        assert_eq!(time(&mut small, 2), 40, "in the third level");
        assert_eq!(time(&mut small, 8), 216, "from the cache of another node");
        let mut tiny = Region::new(640);
        let few = Charge::compute(0).touching(10);
        memory.access(&mut tiny, few, 0);
        assert_eq!(memory.access(&mut tiny, few, 0).0, 30, "in the first level");
        memory.access(&mut Region::new(8 << 20), Charge::compute(0).touching(1 << 17), 0);
        assert_eq!(memory.access(&mut tiny, few, 0).0, 1360, "pushed out");
    }

    #[test]
    fn what_another_unit_has_written_comes_from_its_own_caches_where_that_counts() {
        let mut memory = Memory::new(&preset("pair").expect("a preset"));
        let charge = Charge::compute(0).touching(10);
        let mut small = Region::new(640);
        memory.write(&mut small, 0, Placement::FirstTouch);
        let line = memory.transfer(0, 1, 1);
        assert_eq!(memory.access(&mut small, charge, 1).0, 10 * line);
        assert_eq!(
            memory.access(&mut small, charge, 1).0,
            10 * Cycles::from(memory.costs.cache[0])
        );
        // Larger than what the writer's own caches hold.
        let mut large = Region::new(8 << 20);
        memory.write(&mut large, 0, Placement::FirstTouch);
        assert_eq!(
            memory.access(&mut large, charge, 1).0,
            10 * Cycles::from(memory.costs.cache[2])
        );
    }

    #[test]
    fn interleaved_pages_are_seven_eighths_remote() {
        let mut memory = memory();
        let mut region = Region::new(12 << 20);
        memory.touch(&mut region, 0, Placement::Interleaved);
        memory.access(&mut region, STREAM, 5);
        let Traffic { local, remote } = memory.traffic;
        assert!((remote / (local + remote) - 0.875).abs() < 1e-9);
    }

    #[test]
    fn busy_controllers_and_links_slow_accesses_down_and_recover() {
        let mut memory = memory();
        let mut own = Region::new(12 << 20);
        memory.touch(&mut own, 8, Placement::FirstTouch);
        let fast = Charge::compute(0).touching(1 << 20).exposing(0.02);
        let (alone, stream) = memory.access(&mut own, fast, 0);
        let stream = stream.expect("it streams");
        (0..4).for_each(|_| memory.load(&stream, 1.0));
        let (crowded, _) = memory.access(&mut own, fast, 0);
        assert!(crowded > alone * 2, "{alone} {crowded}");
        (0..4).for_each(|_| memory.load(&stream, -1.0));
        assert_eq!(memory.access(&mut own, fast, 0).0, alone);
        let busy: Vec<_> = memory
            .links(1 << 30)
            .into_iter()
            .filter(|(.., busy)| *busy > 0.0)
            .collect();
        assert_eq!(busy.len(), 1);
        assert_eq!((busy[0].0, busy[0].1), (1, 0));
    }

    /// Computations as the host plays them: whoever has ended first begins anew, until so much time has passed. Returns how
    /// busy the busiest server was.
    fn busiest(units: &[usize]) -> f64 {
        const CHARGE: Charge = Charge::compute(200_000).touching(50_000).exposing(0.05);
        const TIME: Cycles = 1_000_000_000;
        let mut memory = memory();
        let mut running: Vec<(Cycles, usize, Option<Stream>)> =
            units.iter().map(|&pu| (0, pu, None)).collect();
        loop {
            running.sort_by_key(|(end, ..)| std::cmp::Reverse(*end));
            let (now, pu, ended) = running.pop().expect("somebody computes");
            if let Some(stream) = &ended {
                memory.load(stream, -1.0);
            }
            if now >= TIME {
                break;
            }
            let mut region = Region::new(4 << 20);
            memory.touch(&mut region, 0, Placement::FirstTouch);
            let (time, stream) = memory.access(&mut region, CHARGE, pu);
            if let Some(stream) = &stream {
                memory.load(stream, 1.0);
            }
            running.push((now + time, pu, stream));
        }
        let links = memory.links(TIME).into_iter().map(|link| link.2);
        links.chain(memory.controllers(TIME)).fold(0.0, f64::max)
    }

    #[test]
    fn controllers_and_links_serve_no_more_than_they_can() {
        // A unit alone asks for more than a controller gives; eight on its node; eight elsewhere, over one link.
        for units in [
            &[0][..],
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &[8, 9, 10, 11, 12, 13, 14, 15],
        ] {
            let busy = busiest(units);
            assert!((0.97..1.03).contains(&busy), "{units:?}: {busy}");
        }
    }

    #[test]
    fn lines_from_another_cache_load_the_way_from_there_and_no_controller() {
        let mut memory = memory();
        let mut region = Region::new(1 << 20);
        memory.touch(&mut region, 24, Placement::FirstTouch);
        let charge = Charge::compute(0).touching(10_000);
        memory.access(&mut region, charge, 8);
        let (_, stream) = memory.access(&mut region, charge, 0);
        memory.load(&stream.expect("it streams"), 1.0);
        assert!(memory.controller_load.iter().all(|&load| load == 0.0));
        let loaded = memory.links.iter().zip(&memory.link_load);
        let loaded: Vec<_> = loaded
            .filter(|(_, load)| **load > 0.0)
            .map(|(ends, _)| *ends)
            .collect();
        assert_eq!(loaded, [(1, 0)], "its pages are on node 3");
    }

    #[test]
    fn ways_of_two_steps_use_two_links_that_exist() {
        let memory = memory();
        for (pair, way) in memory.ways.iter().enumerate() {
            let (from, to) = (pair / 8, pair % 8);
            assert_eq!(way.len(), memory.steps[pair], "{from} to {to}");
            let ends: Vec<_> = way.iter().map(|&link| memory.links[link]).collect();
            assert!(ends.windows(2).all(|pair| pair[0].1 == pair[1].0));
            assert!(
                ends.first().is_none_or(|first| first.0 == from)
                    && ends.last().is_none_or(|last| last.1 == to)
            );
        }
    }
}
