package bench

import (
	"math"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var facloc = Benchmark{
	Name: "facloc",
	Parameters: []Parameter{
		{"n", atLeast(1)}, {"g", numberAbove(0)}, {"a", numberAbove(0)}, {"s", anyInteger()},
		{"dist", oneOf("savina", "uniform")},
	},
	Run: runFacloc,
}

type point struct{ x, y float64 }

func (p point) distance(q point) float64 {
	dx, dy := p.x-q.x, p.y-q.y
	return math.Sqrt(float64(dx*dx) + float64(dy*dy)) // the conversions round: nothing may be fused
}

// box is a rectangle with its borders.
type box struct{ low, high point }

func (b box) contains(p point) bool {
	return b.low.x <= p.x && p.x <= b.high.x && b.low.y <= p.y && p.y <= b.high.y
}

func (b box) centre() point { return point{(b.low.x + b.high.x) / 2, (b.low.y + b.high.y) / 2} }

// quarters are the upper left, upper right, lower left and lower right part.
func (b box) quarters() [4]box {
	c := b.centre()
	return [4]box{
		{point{b.low.x, c.y}, point{c.x, b.high.y}},
		{c, b.high},
		{b.low, c},
		{point{c.x, b.low.y}, point{b.high.x, c.y}},
	}
}

// nextCustomer is NextCustomer.
type nextCustomer struct{}

type quadrant = *actor.Mailbox[quadrantMessage]

type quadrantMessage struct {
	kind     quadrantKind
	at       point                        // of quadrantCustomer and of a facility
	producer *actor.Mailbox[nextCustomer] // of quadrantCustomer
	position int                          // of the sender, in a facility
	depth    int64                        // of a facility
	confirm  *quadrantTotals              // of quadrantConfirmExit
}

type quadrantKind uint8

const (
	quadrantCustomer quadrantKind = iota
	quadrantFacilityUp
	quadrantFacilityDown
	quadrantRequestExit
	quadrantConfirmExit
)

type quadrantTotals struct {
	facilities, customers, maxDepth, depthSum int64
	cost                                      float64
	downs                                     int64 // facilities sent downwards
}

func (t *quadrantTotals) add(o *quadrantTotals) {
	t.facilities += o.facilities
	t.customers += o.customers
	t.maxDepth = max(t.maxDepth, o.maxDepth)
	t.depthSum += o.depthSum
	t.cost += o.cost
	t.downs += o.downs
}

func runFacloc(it *actor.Iteration, p Values) (Outcome, error) {
	grid := p.Number("g")
	area := box{high: point{grid, grid}}
	f := facilities{it: it, threshold: p.Number("a") * (math.Sqrt2 * grid)}
	it.Begin()
	it.Expect(2)
	root := f.spawn(quadrantState{position: -1, box: area, facilities: []point{area.centre()}})
	actor.Spawn(it, func(self *actor.Mailbox[nextCustomer]) { customerProducer(self, root, p) })
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: f.totals.depthSum,
		Checks: map[string]any{
			"facilities": f.totals.facilities, "customers": f.totals.customers, "maxdepth": f.totals.maxDepth,
			"cost": Float(f.totals.cost), "rootups": f.rootUps,
		},
		Metrics: map[string]any{"facility_down": f.totals.downs},
	}, nil
}

func customerProducer(self *actor.Mailbox[nextCustomer], root quadrant, p Values) {
	rng, grid := lcg.New(p.Int("s")), p.Number("g")
	draw := func() float64 { return rng.Unit() * grid }
	if p.Word("dist") == "uniform" {
		draw = func() float64 { return float64(rng.Next()) / 65536 * grid }
	}
	for sent := int64(0); sent < p.Int("n"); sent++ {
		x := draw()
		root.Send(quadrantMessage{kind: quadrantCustomer, at: point{x, draw()}, producer: self})
		self.Receive()
	}
	root.Send(quadrantMessage{kind: quadrantRequestExit})
}

// facilities is what all quadrants know, and what the root reports.
type facilities struct {
	it        *actor.Iteration
	threshold float64
	totals    quadrantTotals
	rootUps   int64
}

// quadrantState is the state of a quadrant.
type quadrantState struct {
	parent     quadrant // nil for the root
	position   int
	box        box
	depth      int64
	facilities []point // the centres of its ancestors and its own
	customers  []point
	cost       float64
	children   []quadrant
	exiting    bool
	confirmed  int
	ups        int64
	totals     quadrantTotals
}

func (f *facilities) spawn(q quadrantState) quadrant {
	return actor.Spawn(f.it, func(self quadrant) { f.run(self, q) })
}

func (f *facilities) run(self quadrant, q quadrantState) {
	given := q.customers
	q.customers = nil
	for _, c := range given {
		q.add(c)
	}
	for q.confirmed < 4 {
		switch m := self.Receive(); m.kind {
		case quadrantCustomer:
			f.customer(self, &q, m)
		case quadrantFacilityUp:
			q.facilityUp(m)
		case quadrantFacilityDown:
			q.facilityDown(m)
		case quadrantRequestExit:
			q.requestExit()
		case quadrantConfirmExit:
			q.confirm(m.confirm)
		}
	}
	if q.parent == nil {
		f.totals, f.rootUps = q.totals, q.ups
	} else {
		q.parent.Send(quadrantMessage{kind: quadrantConfirmExit, confirm: &q.totals})
	}
}

func (f *facilities) customer(self quadrant, q *quadrantState, m quadrantMessage) {
	if q.children != nil {
		q.children[q.childOf(m.at)].Send(m)
	} else if q.add(m.at); q.cost > f.threshold {
		f.partition(self, q)
	}
	if q.parent == nil {
		m.producer.Send(nextCustomer{})
	}
}

func (f *facilities) partition(self quadrant, q *quadrantState) {
	if q.parent != nil {
		q.parent.Send(quadrantMessage{
			kind: quadrantFacilityUp, position: q.position, depth: q.depth, at: q.box.centre(),
		})
	}
	var given [4][]point
	for _, c := range q.customers {
		i := q.childOf(c)
		given[i] = append(given[i], c)
	}
	q.customers = nil
	f.it.Expect(4)
	for i, b := range q.box.quarters() {
		known := append(q.facilities[:len(q.facilities):len(q.facilities)], b.centre())
		q.children = append(q.children, f.spawn(quadrantState{
			parent: self, position: i, box: b, depth: q.depth + 1, facilities: known, customers: given[i],
		}))
	}
}

func (q *quadrantState) add(c point) {
	q.customers = append(q.customers, c)
	nearest := math.Inf(1)
	for _, f := range q.facilities {
		nearest = min(nearest, c.distance(f))
	}
	q.cost += nearest
}

// childOf returns the position of the first child whose box contains c.
func (q *quadrantState) childOf(c point) int {
	for i, b := range q.box.quarters() {
		if b.contains(c) {
			return i
		}
	}
	actor.Fail("the customer at %v is outside of the box %v", c, q.box)
	return -1
}

func (q *quadrantState) facilityUp(m quadrantMessage) {
	q.ups++
	if q.parent != nil {
		up := m
		up.position = q.position
		q.parent.Send(up)
	}
	if !q.exiting {
		q.sendDown(q.children[3-m.position], m)
	}
}

func (q *quadrantState) facilityDown(m quadrantMessage) {
	if q.exiting {
		return
	}
	for _, child := range q.children {
		q.sendDown(child, m)
	}
}

func (q *quadrantState) sendDown(child quadrant, m quadrantMessage) {
	child.Send(quadrantMessage{kind: quadrantFacilityDown, position: q.position, depth: m.depth, at: m.at})
	q.totals.downs++
}

func (q *quadrantState) requestExit() {
	q.exiting = true
	for _, child := range q.children {
		child.Send(quadrantMessage{kind: quadrantRequestExit})
	}
	if q.children == nil {
		n := int64(len(q.customers))
		q.totals = quadrantTotals{customers: n, maxDepth: q.depth, depthSum: q.depth * n, cost: q.cost}
		q.confirmed = 4 // nobody has to confirm
	} else {
		q.totals.facilities++
	}
}

func (q *quadrantState) confirm(t *quadrantTotals) {
	q.totals.add(t)
	q.confirmed++
}
