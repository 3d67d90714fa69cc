//! Unbalanced Cobwebbed Tree: a tree of actors that grows by asking the root, and is then traversed.

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::collector::Once;
use crate::tools::{J48, spin};

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct CobwebbedTree {
    nodes: i64,
    average: i64,
    deviation: i64,
    binomial: i64,
    urgent: i64,
    unit: i64,
    seed: i64,
}

/// What the root reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Debug)]
struct End {
    height: i64,
    totals: Totals,
}

impl Phased for CobwebbedTree {
    const NAME: &'static str = "uct";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("nodes"),
        Parameter::at_least("avg", 1),
        Parameter::at_least("stdev", 0),
        Parameter::at_least("binomial", 1),
        Parameter::between("urgent", 0, 100),
        Parameter::at_least("unit", 1),
        Parameter::integer("seed"),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::AtLeast {
        parameter: "nodes",
        times: 1,
        of: "binomial",
        plus: 1,
    }];
    type Report = Report;
    type Prepared<L: ActorLibrary> = Plan;

    fn new(arguments: &Arguments) -> Self {
        Self {
            nodes: arguments.get("nodes"),
            average: arguments.get("avg"),
            deviation: arguments.get("stdev"),
            binomial: arguments.get("binomial"),
            urgent: arguments.get("urgent"),
            unit: arguments.get("unit"),
            seed: arguments.get("seed"),
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => Population::Told,
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) -> Plan {
        Plan::draw(self)
    }

    fn run<L: ActorLibrary>(&self, plan: &mut Plan, driver: &mut impl Driver<L>, report: &'static Report) {
        let root = driver.spawn(Root::<L> {
            benchmark: *self,
            plan: std::mem::take(plan),
            requests: 0,
            height: 1,
            children: Vec::new(),
            replies: 0,
            totals: Totals {
                nodes: 1,
                ..Totals::default()
            },
            report,
        });
        driver.tell(&root, ToRoot::GenerateTree);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End { height, totals } = report.end.take("end")?;
        Ok(Outcome::new(totals.work)
            .check("nodes", totals.nodes)
            .check("height", height)
            .check("urgent", totals.urgent)
            .check("grants", totals.grants))
    }
}

/// Which nodes get children, drawn in the order of the nodes' ids so that it does not depend on time.
#[derive(Debug, Default)]
pub struct Plan {
    /// Work of the root's children.
    comp: i64,
    /// By id; the root has 0.
    families: Vec<Option<Family>>,
}

/// The children of a node.
#[derive(Clone, Copy, Debug)]
struct Family {
    /// Id of the first one; the others follow.
    first: i64,
    comp: i64,
    /// Index of the urgent one.
    urgent: Option<i64>,
}

impl Plan {
    fn draw(benchmark: &CobwebbedTree) -> Self {
        let binomial = benchmark.binomial as usize;
        let mut random = J48::new(benchmark.seed);
        let comp = normal(&mut random, benchmark.average, benchmark.deviation);
        let mut families = vec![None; 1 + binomial];
        let mut id = 1;
        while id < families.len() {
            if families.len() + binomial <= benchmark.nodes as usize && random.bool() {
                let comp = normal(&mut random, benchmark.average, benchmark.deviation);
                let is_urgent = random.int(100) <= benchmark.urgent;
                families[id] = Some(Family {
                    first: families.len() as i64,
                    comp,
                    urgent: is_urgent.then(|| random.int(benchmark.binomial)),
                });
                families.resize(families.len() + binomial, None);
            }
            id += 1;
        }
        Self { comp, families }
    }

    fn size(&self) -> i64 {
        self.families.len() as i64
    }
}

/// A number of at least 1 that is about normally distributed: the sum of twelve uniform ones.
fn normal(random: &mut J48, average: i64, deviation: i64) -> i64 {
    loop {
        let sum: i64 = (0..12).map(|_| random.bits(16)).sum();
        let number = average.wrapping_add((sum - 393_210).wrapping_mul(deviation) / 65536);
        if number >= 1 {
            return number;
        }
    }
}

/// What subtrees add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    nodes: i64,
    work: i64,
    urgent: i64,
    grants: i64,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.work += other.work;
        self.urgent += other.urgent;
        self.grants += other.grants;
    }
}

struct Root<L: ActorLibrary> {
    benchmark: CobwebbedTree,
    plan: Plan,
    requests: i64,
    height: i64,
    children: Vec<L::Address<Node<L>>>,
    replies: usize,
    totals: Totals,
    report: &'static Report,
}

enum ToRoot<L: ActorLibrary> {
    GenerateTree,
    Should {
        node: L::Address<Node<L>>,
        id: i64,
        height: i64,
    },
    Grant {
        child: i64,
    },
    Terminated(Totals),
}

impl<L: ActorLibrary> Root<L> {
    fn generate_tree(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 1..=self.benchmark.binomial {
            let node = Node {
                parent: Parent::Root,
                root: cx.myself(),
                binomial: self.benchmark.binomial,
                unit: self.benchmark.unit,
                height: 2,
                id,
                comp: self.plan.comp,
                is_urgent: false,
                urgent_child: None,
                children: Vec::new(),
                replies: 0,
                totals: Totals::default(),
            };
            let child = cx.spawn(node);
            self.children.push(child);
        }
        for child in &self.children {
            cx.tell_kind(child, Try);
        }
    }

    fn should(&mut self, node: &L::Address<Node<L>>, id: i64, height: i64, cx: &mut impl Context<L, Self>) {
        self.requests += 1;
        self.height = self.height.max(height);
        if let Some(family) = self.plan.families[id as usize] {
            cx.tell(node, ToNode::Generate(family));
        }
        if self.requests == self.plan.size() - 1 {
            for child in &self.children {
                cx.tell_kind(child, Traverse);
            }
            for child in &self.children {
                cx.tell_kind(child, Terminate);
            }
        }
    }

    fn terminated(&mut self, totals: &Totals, cx: &mut impl Context<L, Self>) {
        self.totals.add(totals);
        self.replies += 1;
        if self.replies == self.children.len() {
            self.report.end.report(End {
                height: self.height,
                totals: self.totals,
            });
            cx.population(self.plan.size());
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Root<L> {
    type Message = ToRoot<L>;

    fn handle(&mut self, message: ToRoot<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToRoot::GenerateTree => self.generate_tree(cx),
            ToRoot::Should { node, id, height } => self.should(&node, id, height, cx),
            ToRoot::Grant { child } => {
                assert!(child < self.benchmark.binomial, "no child has index {child}");
                self.totals.grants += 1;
            }
            ToRoot::Terminated(totals) => self.terminated(&totals, cx),
        }
    }
}

/// Where a node reports. Every node knows the root's address anyway.
enum Parent<L: ActorLibrary> {
    Root,
    Node(L::Address<Node<L>>),
}

struct Node<L: ActorLibrary> {
    parent: Parent<L>,
    root: L::Address<Root<L>>,
    binomial: i64,
    unit: i64,
    height: i64,
    id: i64,
    comp: i64,
    is_urgent: bool,
    urgent_child: Option<i64>,
    children: Vec<L::Address<Node<L>>>,
    replies: usize,
    totals: Totals,
}

enum ToNode {
    Try,
    Generate(Family),
    Grant { child: i64 },
    Traverse,
    UrgentTraverse,
    Terminate,
    Terminated(Totals),
}

kinds!(Try, Traverse, UrgentTraverse, Terminate of ToNode);

impl<L: ActorLibrary> Node<L> {
    fn ask(&mut self, cx: &mut impl Context<L, Self>) {
        self.totals.nodes = 1;
        self.totals.work += spin(self.id, self.unit.wrapping_mul(100));
        let should = ToRoot::Should {
            node: cx.myself(),
            id: self.id,
            height: self.height,
        };
        cx.tell(&self.root, should);
    }

    fn generate(&mut self, family: &Family, cx: &mut impl Context<L, Self>) {
        let child = (self.id - 1) % self.binomial;
        match &self.parent {
            Parent::Root => cx.tell(&self.root, ToRoot::Grant { child }),
            Parent::Node(parent) => cx.tell(parent, ToNode::Grant { child }),
        }
        self.urgent_child = family.urgent;
        self.children.reserve_exact(self.binomial as usize);
        for index in 0..self.binomial {
            let node = Self {
                parent: Parent::Node(cx.myself()),
                root: self.root.clone(),
                binomial: self.binomial,
                unit: self.unit,
                height: self.height + 1,
                id: family.first + index,
                comp: family.comp,
                is_urgent: family.urgent == Some(index),
                urgent_child: None,
                children: Vec::new(),
                replies: 0,
                totals: Totals::default(),
            };
            let child = cx.spawn(node);
            self.children.push(child);
        }
        for child in &self.children {
            cx.tell_kind(child, Try);
        }
    }

    fn traverse(&mut self, is_urgent: bool, cx: &mut impl Context<L, Self>) {
        assert_eq!(is_urgent, self.is_urgent, "node {} is traversed wrongly", self.id);
        self.totals.work += spin(self.id, self.comp.wrapping_mul(self.unit));
        self.totals.urgent += i64::from(is_urgent);
        for (index, child) in (0..).zip(&self.children) {
            if self.urgent_child == Some(index) {
                cx.tell_kind(child, UrgentTraverse);
            } else {
                cx.tell_kind(child, Traverse);
            }
        }
    }

    fn terminate(&mut self, cx: &mut impl Context<L, Self>) {
        for child in &self.children {
            cx.tell_kind(child, Terminate);
        }
        if self.children.is_empty() {
            self.finish(cx);
        }
    }

    fn terminated(&mut self, totals: &Totals, cx: &mut impl Context<L, Self>) {
        self.totals.add(totals);
        self.replies += 1;
        if self.replies == self.children.len() {
            self.finish(cx);
        }
    }

    fn finish(&mut self, cx: &mut impl Context<L, Self>) {
        match &self.parent {
            Parent::Root => cx.tell(&self.root, ToRoot::Terminated(self.totals)),
            Parent::Node(parent) => cx.tell(parent, ToNode::Terminated(self.totals)),
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Node<L> {
    type Message = ToNode;

    fn handle(&mut self, message: ToNode, cx: &mut impl Context<L, Self>) {
        match message {
            ToNode::Try => self.ask(cx),
            ToNode::Generate(family) => self.generate(&family, cx),
            ToNode::Grant { child } => {
                assert!(child < self.binomial, "no child has index {child}");
                self.totals.grants += 1;
            }
            ToNode::Traverse => self.traverse(false, cx),
            ToNode::UrgentTraverse => self.traverse(true, cx),
            ToNode::Terminate => self.terminate(cx),
            ToNode::Terminated(totals) => self.terminated(&totals, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_are_those_of_the_entry() {
        let mut random = J48::new(2);
        let numbers = [652, 478, 535, 397];
        assert_eq!(numbers.map(|_| normal(&mut random, 500, 100)), numbers);
    }

    #[test]
    fn plans_have_the_sizes_of_the_entry() {
        for (nodes, average, binomial, size, families) in
            [(100, 50, 4, 97, 23), (50_000, 500, 10, 49_991, 4_998)]
        {
            let plan = Plan::draw(&CobwebbedTree {
                nodes,
                average,
                deviation: average / 5,
                binomial,
                urgent: 50,
                unit: 1,
                seed: 2,
            });
            assert_eq!(plan.size(), size);
            assert_eq!(plan.families.iter().flatten().count(), families);
        }
    }
}
