package bench

import (
	"slices"
	"sync/atomic"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var astar = Benchmark{
	Name: "astar",
	Parameters: []Parameter{
		{"w", between(1, 4096)}, {"g", between(5, 248)}, {"t", atLeast(1)}, {"p", between(1, 31)},
		{"mode", oneOf("exhaust", "first")},
	},
	Run: runAstar,
}

// grid is a directed graph over the points of a cube, and who claimed each of its nodes first. The actors share it.
type grid struct {
	side       int
	target     int32
	neighbours [][]int32 // by node
	parent     []atomic.Int32
}

// What parent holds beside the number of a node.
const (
	gridUnclaimed = -1
	gridOrigin    = -2
)

// newGrid draws the graph: each node may have edges to the nodes that are further by at most one in each direction.
func newGrid(side int) *grid {
	g := &grid{side: side, neighbours: make([][]int32, side*side*side), parent: make([]atomic.Int32, side*side*side)}
	rng := lcg.NewJ48(123456)
	for node := range g.neighbours {
		i, j, k := node/(side*side), node/side%side, node%side
		for step := 2; step <= 7; step++ {
			if !(step == 7 && len(g.neighbours[node]) == 0) && !rng.Bool() {
				continue
			}
			di, dj, dk := (step-1)>>2&1, (step-1)>>1&1, (step-1)&1
			g.connect(int32(node), int32(g.node(min(side-1, i+di), min(side-1, j+dj), min(side-1, k+dk))))
		}
	}
	t := 4 * side / 5
	g.target = int32(g.node(t, t, t))
	for i := range g.parent {
		g.parent[i].Store(gridUnclaimed)
	}
	g.parent[0].Store(gridOrigin)
	return g
}

func (g *grid) node(i, j, k int) int { return (i*g.side+j)*g.side + k }

func (g *grid) connect(from, to int32) {
	if to != from && !slices.Contains(g.neighbours[from], to) {
		g.neighbours[from] = append(g.neighbours[from], to)
	}
}

// path follows the claims from the target and returns the number of edges to the origin, and whether it came there.
func (g *grid) path() (edges int64, ok bool) {
	node := g.target
	for edges <= int64(len(g.parent)) && node >= 0 {
		node = g.parent[node].Load()
		edges++
	}
	return edges - 1, node == gridOrigin
}

// gridWork is Work or NewWork: a node to expand.
type gridWork struct{ node, target, priority int32 }

// astarMessage is Work, or Stop if it is last.
type astarMessage struct {
	work gridWork
	last bool
}

type astarMasterMessage struct {
	kind  astarMasterKind
	work  gridWork   // of astarNewWork
	spent astarSpent // of astarStopped
}

type astarMasterKind uint8

const (
	astarNewWork astarMasterKind = iota
	astarReceived
	astarFound
	astarStopped
)

// astarSpent is what workers did.
type astarSpent struct{ processed, spins int64 }

func runAstar(it *actor.Iteration, p Values) (Outcome, error) {
	g := newGrid(int(p.Int("g")))
	first := p.Word("mode") == "first"
	m := astarMaster{workers: make([]*actor.Mailbox[astarMessage], p.Int("w"))}
	it.Begin()
	it.Expect(1)
	actor.Spawn(it, func(self *actor.Mailbox[astarMasterMessage]) {
		it.Expect(int64(len(m.workers)))
		w := astarWorker{grid: g, master: self, most: p.Int("t"), priorities: int(p.Int("p")), first: first}
		for i := range m.workers {
			m.workers[i] = actor.Spawn(it, w.run)
		}
		m.run(self, gridWork{target: g.target, priority: w.priority(0)})
	})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	if !first {
		return Outcome{
			Result:  m.spent.processed,
			Checks:  map[string]any{"spins": m.spent.spins},
			Metrics: map[string]any{"items": m.sent},
		}, nil
	}
	var found, valid int64
	if m.found {
		found = 1
	}
	edges, ok := g.path()
	if ok {
		valid = 1
	}
	return Outcome{
		Result:  found,
		Checks:  map[string]any{"valid": valid},
		Metrics: map[string]any{"items": m.sent, "processed": m.spent.processed, "path_length": edges},
	}, nil
}

type astarMaster struct {
	workers         []*actor.Mailbox[astarMessage]
	sent, completed int64
	stopping, found bool
	spent           astarSpent
}

func (m *astarMaster) run(self *actor.Mailbox[astarMasterMessage], first gridWork) {
	m.dispatch(first)
	for stopped := 0; stopped < len(m.workers); {
		switch msg := self.Receive(); msg.kind {
		case astarNewWork:
			if !m.stopping {
				m.dispatch(msg.work)
			}
		case astarReceived:
			m.completed++
			if m.completed == m.sent {
				m.stop()
			}
		case astarFound:
			m.found = true
			m.stop()
		case astarStopped:
			stopped++
			m.spent.processed += msg.spent.processed
			m.spent.spins += msg.spent.spins
		}
	}
}

func (m *astarMaster) dispatch(work gridWork) {
	m.workers[m.sent%int64(len(m.workers))].Send(astarMessage{work: work})
	m.sent++
}

func (m *astarMaster) stop() {
	if m.stopping {
		return
	}
	m.stopping = true
	for _, w := range m.workers {
		w.Send(astarMessage{last: true})
	}
}

type astarWorker struct {
	grid       *grid
	master     *actor.Mailbox[astarMasterMessage]
	most       int64 // nodes to expand for one Work
	priorities int
	first      bool // stop at the target
	spent      astarSpent
	queue      []int32 // of the current Work; its memory is used again
	next       int     // index in queue of the node to expand next
}

func (w astarWorker) run(self *actor.Mailbox[astarMessage]) {
	for {
		m := self.Receive()
		if m.last {
			w.master.Send(astarMasterMessage{kind: astarStopped, spent: w.spent})
			return
		}
		if w.search(m.work) {
			w.master.Send(astarMasterMessage{kind: astarFound})
		} else {
			for _, node := range w.queue[w.next:] {
				work := gridWork{node: node, target: m.work.target, priority: w.priority(int(node))}
				w.master.Send(astarMasterMessage{kind: astarNewWork, work: work})
			}
		}
		w.master.Send(astarMasterMessage{kind: astarReceived})
	}
}

// search expands nodes and leaves those that are to be handed back in the queue. In mode first it ends early when it finds
// the target.
func (w *astarWorker) search(work gridWork) (found bool) {
	w.queue, w.next = append(w.queue[:0], work.node), 0
	for done := int64(0); w.next < len(w.queue) && done < w.most; done++ {
		node := w.queue[w.next]
		w.next++
		w.spent.spins += lcg.Spin(int64(node), 100)
		w.spent.processed++
		for _, z := range w.grid.neighbours[node] {
			if !w.grid.parent[z].CompareAndSwap(gridUnclaimed, node) {
				continue
			}
			if w.first && z == work.target {
				return true
			}
			w.queue = append(w.queue, z)
		}
	}
	return false
}

// priority is carried by the messages and orders nothing.
func (w *astarWorker) priority(node int) int32 {
	side := w.grid.side
	i, j, k := node/(side*side), node/side%side, node%side
	distance := w.priorities - max(side-i, side-j, side-k)/8
	return int32(max(distance, -distance))
}
