//! Online Facility Location: a quadtree of actors that grows where customers make their region too costly.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Bounds, Parameter};
use crate::tools::Rng;
use crate::tools::collector::{Once, Sum};

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct FacilityLocation {
    customers: i64,
    grid: f64,
    alpha: f64,
    seed: i64,
    distribution: Distribution,
}

/// Where customers come from.
#[derive(Clone, Copy, Debug)]
enum Distribution {
    /// Crowded near both axes.
    Savina,
    Uniform,
}

/// What the quadrants report.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
    downs: Sum,
}

#[derive(Debug)]
struct End {
    totals: Totals,
    root_ups: i64,
}

impl Benchmark for FacilityLocation {
    const NAME: &'static str = "facloc";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("n", 1),
        Parameter::number("g", Bounds::Above(0.0)),
        Parameter::number("a", Bounds::Above(0.0)),
        Parameter::integer("s"),
        Parameter::choice("dist", &["savina", "uniform"]),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            customers: arguments.get("n"),
            grid: arguments.number("g"),
            alpha: arguments.number("a"),
            seed: arguments.get("s"),
            distribution: match arguments.word("dist") {
                "uniform" => Distribution::Uniform,
                _ => Distribution::Savina,
            },
        }
    }

    fn actors(&self) -> Population {
        Population::Told
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let threshold = self.alpha * (2.0_f64.sqrt() * self.grid);
        let region = Region::new(Rectangle::grid(self.grid), 0, &[]);
        let root = driver.spawn(Quadrant::new(region, threshold, None, report));
        driver.spawn(Producer::<L> {
            benchmark: *self,
            rng: Rng::new(self.seed),
            produced: 0,
            root,
        });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End { totals, root_ups } = report.end.take("end")?;
        Ok(Outcome::new(totals.depth_sum)
            .check("facilities", totals.facilities)
            .check("customers", totals.customers)
            .check("maxdepth", totals.max_depth)
            .check("cost", totals.cost)
            .check("rootups", root_ups)
            .metric("facility_down", report.downs.take()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    fn distance(self, other: Self) -> f64 {
        let (x, y) = (self.x - other.x, self.y - other.y);
        (x * x + y * y).sqrt()
    }
}

/// An upright rectangle between two corners, its borders included.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    low: Point,
    high: Point,
}

impl Rectangle {
    fn new(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Self {
            low: Point { x: x1, y: y1 },
            high: Point { x: x2, y: y2 },
        }
    }

    fn grid(side: f64) -> Self {
        Self::new(0.0, 0.0, side, side)
    }

    fn centre(&self) -> Point {
        Point {
            x: (self.low.x + self.high.x) / 2.0,
            y: (self.low.y + self.high.y) / 2.0,
        }
    }

    fn contains(&self, point: Point) -> bool {
        (self.low.x..=self.high.x).contains(&point.x) && (self.low.y..=self.high.y).contains(&point.y)
    }

    /// The parts above the centre, then those below it; from left to right.
    fn quarters(&self) -> [Self; 4] {
        let (low, high, centre) = (self.low, self.high, self.centre());
        [
            Self::new(low.x, centre.y, centre.x, high.y),
            Self::new(centre.x, centre.y, high.x, high.y),
            Self::new(low.x, low.y, centre.x, centre.y),
            Self::new(centre.x, low.y, high.x, centre.y),
        ]
    }

    /// The index of the first quarter that contains the point.
    fn quarter_of(&self, point: Point) -> usize {
        let quarter = self.quarters().iter().position(|quarter| quarter.contains(point));
        quarter.unwrap_or_else(|| panic!("{point:?} is outside of {self:?}"))
    }
}

/// A part of the grid, with the customers for which it is responsible.
struct Region {
    area: Rectangle,
    depth: i64,
    /// The centres of all regions that this one is part of, and its own.
    facilities: Vec<Point>,
    customers: Vec<Point>,
    cost: f64,
}

impl Region {
    fn new(area: Rectangle, depth: i64, above: &[Point]) -> Self {
        let mut facilities = Vec::with_capacity(above.len() + 1);
        facilities.extend_from_slice(above);
        facilities.push(area.centre());
        Self {
            area,
            depth,
            facilities,
            customers: Vec::new(),
            cost: 0.0,
        }
    }

    /// Takes a customer on, at the cost of the way to the nearest facility.
    fn add(&mut self, customer: Point) {
        self.customers.push(customer);
        let distances = self.facilities.iter().map(|facility| facility.distance(customer));
        self.cost += distances.fold(f64::INFINITY, f64::min);
    }

    /// Hands all customers on to four smaller regions, whose part it is to take them on ([`Self::begin`]).
    fn split(&mut self) -> [Self; 4] {
        let mut parts = self
            .area
            .quarters()
            .map(|area| Self::new(area, self.depth + 1, &self.facilities));
        for customer in std::mem::take(&mut self.customers) {
            parts[self.area.quarter_of(customer)].customers.push(customer);
        }
        parts
    }

    /// Takes on the customers that it was given when it was split off, in the order in which they came.
    fn begin(&mut self) {
        for customer in std::mem::take(&mut self.customers) {
            self.add(customer);
        }
    }
}

struct Producer<L: ActorLibrary> {
    benchmark: FacilityLocation,
    rng: Rng,
    produced: i64,
    root: L::Address<Quadrant<L>>,
}

struct NextCustomer;

impl<L: ActorLibrary> Producer<L> {
    fn coordinate(&mut self) -> f64 {
        let fraction = match self.benchmark.distribution {
            Distribution::Savina => self.rng.unit(),
            Distribution::Uniform => self.rng.draw() as f64 / 65536.0,
        };
        fraction * self.benchmark.grid
    }

    fn produce(&mut self, cx: &mut impl Context<L, Self>) {
        let x = self.coordinate();
        let y = self.coordinate();
        let producer = cx.myself();
        cx.tell(
            &self.root,
            ToQuadrant::Customer {
                at: Point { x, y },
                producer,
            },
        );
        self.produced += 1;
    }
}

impl<L: ActorLibrary> Actor<L> for Producer<L> {
    type Message = NextCustomer;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.produce(cx);
    }

    fn handle(&mut self, NextCustomer: NextCustomer, cx: &mut impl Context<L, Self>) {
        if self.produced < self.benchmark.customers {
            self.produce(cx);
        } else {
            cx.tell_kind(&self.root, RequestExit);
            cx.stop();
        }
    }
}

/// What quadrants add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    facilities: i64,
    customers: i64,
    max_depth: i64,
    depth_sum: i64,
    cost: f64,
}

struct Quadrant<L: ActorLibrary> {
    region: Region,
    threshold: f64,
    /// Nobody for the root; otherwise also which of its children this one is.
    parent: Option<(L::Address<Quadrant<L>>, u8)>,
    children: Option<[L::Address<Quadrant<L>>; 4]>,
    exiting: bool,
    /// Facilities opened below.
    ups: i64,
    /// News sent down.
    downs: i64,
    replies: u8,
    totals: Totals,
    report: &'static Report,
}

enum ToQuadrant<L: ActorLibrary> {
    Customer {
        at: Point,
        producer: L::Address<Producer<L>>,
    },
    Facility(Facility),
    RequestExit,
    ConfirmExit(Totals),
}

kinds!(RequestExit of ToQuadrant<L>);

/// News of a facility that was opened.
#[derive(Clone, Copy)]
struct Facility {
    #[expect(dead_code, reason = "the entry sends it, and its receivers only pass it on")]
    at: Point,
    #[expect(dead_code, reason = "the entry sends it, and its receivers only pass it on")]
    depth: i64,
    /// Which child of its parent the sender is.
    position: u8,
    up: bool,
}

impl<L: ActorLibrary> Quadrant<L> {
    fn new(
        region: Region,
        threshold: f64,
        parent: Option<(L::Address<Self>, u8)>,
        report: &'static Report,
    ) -> Self {
        Self {
            region,
            threshold,
            parent,
            children: None,
            exiting: false,
            ups: 0,
            downs: 0,
            replies: 0,
            totals: Totals::default(),
            report,
        }
    }

    fn customer(&mut self, at: Point, producer: L::Address<Producer<L>>, cx: &mut impl Context<L, Self>) {
        let to_answer = self.parent.is_none().then(|| producer.clone());
        if let Some(children) = &self.children {
            let child = &children[self.region.area.quarter_of(at)];
            cx.tell(child, ToQuadrant::Customer { at, producer });
        } else {
            self.region.add(at);
            if self.region.cost > self.threshold {
                self.partition(cx);
            }
        }
        if let Some(producer) = to_answer {
            cx.tell(&producer, NextCustomer);
        }
    }

    /// Opens a facility.
    fn partition(&mut self, cx: &mut impl Context<L, Self>) {
        if let Some((parent, position)) = &self.parent {
            let news = Facility {
                at: self.region.area.centre(),
                depth: self.region.depth,
                position: *position,
                up: true,
            };
            cx.tell(parent, ToQuadrant::Facility(news));
        }
        let mut position = 0;
        self.children = Some(self.region.split().map(|region| {
            let parent = Some((cx.myself(), position));
            position += 1;
            cx.spawn(Self::new(region, self.threshold, parent, self.report))
        }));
    }

    fn facility(&mut self, news: Facility, cx: &mut impl Context<L, Self>) {
        let receivers = if news.up {
            self.ups += 1;
            if let Some((parent, position)) = &self.parent {
                let position = *position;
                cx.tell(parent, ToQuadrant::Facility(Facility { position, ..news }));
            }
            let opposite = usize::from(3 - news.position);
            opposite..opposite + 1
        } else {
            0..4
        };
        // Children may have stopped once they were asked to exit.
        if let Some(children) = self.children.as_ref().filter(|_| !self.exiting) {
            for child in &children[receivers] {
                self.downs += 1;
                cx.tell(child, ToQuadrant::Facility(Facility { up: false, ..news }));
            }
        }
    }

    fn request_exit(&mut self, cx: &mut impl Context<L, Self>) {
        self.exiting = true;
        if let Some(children) = &self.children {
            for child in children {
                cx.tell_kind(child, RequestExit);
            }
            return;
        }
        let (customers, depth) = (self.region.customers.len() as i64, self.region.depth);
        self.totals = Totals {
            facilities: 0,
            customers,
            max_depth: depth,
            depth_sum: depth * customers,
            cost: self.region.cost,
        };
        self.finish(cx);
    }

    fn confirm_exit(&mut self, totals: &Totals, cx: &mut impl Context<L, Self>) {
        self.totals.facilities += totals.facilities;
        self.totals.customers += totals.customers;
        self.totals.max_depth = self.totals.max_depth.max(totals.max_depth);
        self.totals.depth_sum += totals.depth_sum;
        self.totals.cost += totals.cost;
        self.replies += 1;
        if self.replies == 4 {
            self.totals.facilities += 1;
            self.finish(cx);
        }
    }

    fn finish(&self, cx: &mut impl Context<L, Self>) {
        self.report.downs.add(self.downs);
        match &self.parent {
            Some((parent, _)) => cx.tell(parent, ToQuadrant::ConfirmExit(self.totals)),
            None => {
                self.report.end.report(End {
                    totals: self.totals,
                    root_ups: self.ups,
                });
                cx.population(2 + 4 * self.totals.facilities);
            }
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Quadrant<L> {
    type Message = ToQuadrant<L>;

    fn started(&mut self, _: &mut impl Context<L, Self>) {
        self.region.begin();
    }

    fn handle(&mut self, message: ToQuadrant<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToQuadrant::Customer { at, producer } => self.customer(at, producer, cx),
            ToQuadrant::Facility(news) => self.facility(news, cx),
            ToQuadrant::RequestExit => self.request_exit(cx),
            ToQuadrant::ConfirmExit(totals) => self.confirm_exit(&totals, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_on_a_border_belongs_to_the_first_quarter() {
        let grid = Rectangle::grid(8.0);
        for (x, y, quarter) in [
            (4.0, 4.0, 0),
            (4.0, 3.0, 2),
            (5.0, 4.0, 1),
            (8.0, 8.0, 1),
            (0.0, 0.0, 2),
            (8.0, 0.0, 3),
        ] {
            assert_eq!(grid.quarter_of(Point { x, y }), quarter, "{x}, {y}");
        }
    }

    #[test]
    fn the_cost_is_the_way_to_the_nearest_facility() {
        let mut region = Region::new(Rectangle::grid(8.0), 0, &[]);
        region.add(Point { x: 1.0, y: 0.0 });
        assert_eq!(region.cost, 5.0);
        let mut parts = region.split();
        assert!(region.customers.is_empty());
        assert_eq!(parts[2].cost, 0.0, "the work of the part itself");
        parts[2].begin();
        assert_eq!(parts.each_ref().map(|part| part.customers.len()), [0, 0, 1, 0]);
        assert_eq!(
            parts[2].facilities,
            [Point { x: 4.0, y: 4.0 }, Point { x: 2.0, y: 2.0 }]
        );
        assert_eq!(parts[2].cost, 5.0_f64.sqrt());
    }
}
