package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var uct = Benchmark{
	Name: "uct",
	Parameters: []Parameter{
		{"nodes", anyInteger()}, {"avg", atLeast(1)}, {"stdev", atLeast(0)}, {"binomial", atLeast(1)},
		{"urgent", between(0, 100)}, {"unit", atLeast(1)}, {"seed", anyInteger()},
	},
	Relations: []Relation{{"nodes", AtLeast, 1, "binomial", 1}},
	Run:       runUct,
}

// treePlan says which nodes get children, and how much work those will do.
type treePlan struct {
	size     int64 // nodes, with the root
	rootComp int64
	families []treeFamily // by node but for the root; without children if first is 0
}

type treeFamily struct {
	first  int64 // id of the first child
	comp   int64 // work of each child
	urgent int64 // index of the urgent child, or -1
}

func planTree(p Values) treePlan {
	rng := lcg.NewJ48(p.Int("seed"))
	normal := func() int64 { return normalDraw(&rng, p.Int("avg"), p.Int("stdev")) }
	b := p.Int("binomial")
	plan := treePlan{rootComp: normal(), size: 1 + b, families: make([]treeFamily, 1)}
	for id := int64(1); id < plan.size; id++ {
		family := treeFamily{urgent: -1}
		if plan.size+b <= p.Int("nodes") && rng.Bool() {
			family.first, family.comp = plan.size, normal()
			if u := rng.Int(100); u <= p.Int("urgent") {
				family.urgent = rng.Int(b)
			}
			plan.size += b
		}
		plan.families = append(plan.families, family)
	}
	return plan
}

// normalDraw draws a number of about a normal distribution, at least 1, from sums of twelve evenly distributed ones.
func normalDraw(rng *lcg.J48, avg, stdev int64) int64 {
	for {
		sum := int64(0)
		for i := 0; i < 12; i++ {
			sum += rng.Bits(16)
		}
		if c := avg + (sum-393210)*stdev/65536; c >= 1 {
			return c
		}
	}
}

type treeNode = *actor.Mailbox[treeMessage]

type treeMessage struct {
	kind   treeKind
	node   treeNode    // of treeShould
	id     int64       // of treeShould, and the index of treeGrant
	height int64       // of treeShould
	family *treeFamily // of treeGenerate; never changed
	totals *treeTotals // of treeTerminated; given away
}

type treeKind uint8

const (
	treeGenerateTree treeKind = iota
	treeTry
	treeShould
	treeGenerate
	treeGrant
	treeTraverse
	treeUrgentTraverse
	treeTerminate
	treeTerminated
)

type treeTotals struct{ nodes, work, urgent, grants int64 }

func (t *treeTotals) add(o *treeTotals) {
	t.nodes += o.nodes
	t.work += o.work
	t.urgent += o.urgent
	t.grants += o.grants
}

func runUct(it *actor.Iteration, p Values) (Outcome, error) {
	t := uctTree{it: it, plan: planTree(p), children: p.Int("binomial"), unit: p.Int("unit")}
	var totals treeTotals
	var height int64
	it.Begin()
	it.Expect(1)
	root := actor.Spawn(it, func(self treeNode) { totals, height = t.root(self) })
	root.Send(treeMessage{kind: treeGenerateTree})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: totals.work,
		Checks: map[string]any{
			"nodes": totals.nodes, "height": height, "urgent": totals.urgent, "grants": totals.grants,
		},
	}, nil
}

// uctTree is what all actors know from the beginning; only the root reads the families.
type uctTree struct {
	it             *actor.Iteration
	plan           treePlan
	children, unit int64
}

func (t *uctTree) root(self treeNode) (totals treeTotals, height int64) {
	var family []treeNode
	totals.nodes, height = 1, 1
	for requests, replies := int64(0), int64(0); replies < t.children; {
		switch m := self.Receive(); m.kind {
		case treeGenerateTree:
			family = t.spawn(self, self, &treeFamily{first: 1, comp: t.plan.rootComp, urgent: -1}, 2)
		case treeShould:
			requests++
			height = max(height, m.height)
			if f := &t.plan.families[m.id]; f.first != 0 {
				m.node.Send(treeMessage{kind: treeGenerate, family: f})
			}
			if requests == t.plan.size-1 {
				sendAll(family, treeMessage{kind: treeTraverse})
				sendAll(family, treeMessage{kind: treeTerminate})
			}
		case treeGrant:
			totals.grants++
		case treeTerminated:
			replies++
			totals.add(m.totals)
		}
	}
	return totals, height
}

func sendAll(to []treeNode, m treeMessage) {
	for _, node := range to {
		node.Send(m)
	}
}

// spawn creates the children of a node and lets them try.
func (t *uctTree) spawn(parent, root treeNode, f *treeFamily, height int64) []treeNode {
	t.it.Expect(t.children)
	family := make([]treeNode, t.children)
	for i := range family {
		w := uctNode{uctTree: t, parent: parent, root: root, id: f.first + int64(i), height: height, comp: f.comp}
		family[i] = actor.Spawn(t.it, w.run)
	}
	sendAll(family, treeMessage{kind: treeTry})
	return family
}

type uctNode struct {
	*uctTree
	parent, root     treeNode
	id, height, comp int64
}

func (w uctNode) run(self treeNode) {
	var family []treeNode
	urgent := int64(-1)
	totals := treeTotals{nodes: 1}
	for {
		switch m := self.Receive(); m.kind {
		case treeTry:
			totals.work += lcg.Spin(w.id, 100*w.unit)
			w.root.Send(treeMessage{kind: treeShould, node: self, id: w.id, height: w.height})
		case treeGenerate:
			w.parent.Send(treeMessage{kind: treeGrant, id: (w.id - 1) % w.children})
			urgent = m.family.urgent
			family = w.spawn(self, w.root, m.family, w.height+1)
		case treeGrant:
			totals.grants++
		case treeTraverse, treeUrgentTraverse:
			totals.work += lcg.Spin(w.id, w.comp*w.unit)
			if m.kind == treeUrgentTraverse {
				totals.urgent++
			}
			for i, child := range family {
				kind := treeTraverse
				if int64(i) == urgent {
					kind = treeUrgentTraverse
				}
				child.Send(treeMessage{kind: kind})
			}
		case treeTerminate:
			sendAll(family, m)
			for replies := 0; replies < len(family); {
				if m := self.Receive(); m.kind == treeTerminated {
					replies++
					totals.add(m.totals)
				} else {
					actor.Fail("Node %d received message kind %d after Terminate", w.id, m.kind)
				}
			}
			w.parent.Send(treeMessage{kind: treeTerminated, totals: &totals})
			return
		}
	}
}
