package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var sor = Benchmark{
	Name: "sor",
	Parameters: []Parameter{
		{"size", atLeast(3)}, {"it", atLeast(2)}, {"omega", numberBetween(0, 2)}, {"seed", anyInteger()},
	},
	Run: runSor,
}

// A cell hears of a neighbour again only after it has answered: one message of each can wait, and Start.
type cell = actor.Bounded[cellMessage]

const cellRoom = 5

// cellMessage is Start if it carries neighbours, otherwise Value.
type cellMessage struct {
	v          float64
	neighbours []cell
}

type ownerMessage struct {
	kind     ownerKind
	border   []cell  // of ownerBorder
	i, j     int     // of ownerCell: its place
	value    float64 // of ownerCell, and the total of ownerPeer
	received int64   // of both
}

type ownerKind uint8

const (
	ownerBoot ownerKind = iota
	ownerBorder
	ownerCell
	ownerPeer
)

// sorTotals is what an owner adds up.
type sorTotals struct {
	value    float64
	received int64
}

func runSor(it *actor.Iteration, p Values) (Outcome, error) {
	s := relaxation{it: it, side: int(p.Int("size")), iterations: p.Int("it"), omega: p.Number("omega")}
	rng := lcg.New(p.Int("seed"))
	s.start = make([]float64, s.side*s.side)
	for i := range s.start {
		s.start[i] = rng.Unit() * 1e-6
	}
	var totals sorTotals
	it.Begin()
	it.Expect(1)
	runner := actor.Spawn(it, func(self *actor.Mailbox[ownerMessage]) { totals = s.runner(self) })
	runner.Send(ownerMessage{kind: ownerBoot})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: Float(totals.value), Checks: map[string]any{"received": totals.received}}, nil
}

// relaxation is what all actors know from the beginning.
type relaxation struct {
	it         *actor.Iteration
	side       int
	iterations int64
	omega      float64
	start      []float64 // the values before the first iteration, row by row
}

// half holds the cells of the columns from first up to but not last. Beside it may stand a column of the other half.
type half struct {
	first, last int
	columns     [][]cell // by column of the whole grid; nil where they are unknown
}

// runner owns the left half.
func (s *relaxation) runner(self *actor.Mailbox[ownerMessage]) (totals sorTotals) {
	var own half
	part := s.side / 2
	for reports := 0; reports < s.side*part+1; {
		switch m := self.Receive(); m.kind {
		case ownerBoot:
			own = s.createHalf(self, 0, part)
			border := own.columns[part-1]
			s.it.Expect(1)
			peer := actor.Spawn(s.it, func(peer *actor.Mailbox[ownerMessage]) {
				total := s.peer(peer, self, border)
				self.Send(ownerMessage{kind: ownerPeer, value: total.value, received: total.received})
			})
			peer.Send(ownerMessage{kind: ownerBoot})
		case ownerBorder:
			own.columns[part] = m.border
			s.startHalf(own)
		case ownerCell, ownerPeer:
			if m.j >= part {
				actor.Fail("Runner received the result of cell %d, %d", m.i, m.j)
			}
			reports++
			totals.value += m.value
			totals.received += m.received
		}
	}
	return totals
}

// peer owns the right half; border is the column to its left.
func (s *relaxation) peer(self, runner *actor.Mailbox[ownerMessage], border []cell) (totals sorTotals) {
	part := s.side / 2
	for reports := 0; reports < s.side*(s.side-part); {
		switch m := self.Receive(); m.kind {
		case ownerBoot:
			own := s.createHalf(self, part, s.side)
			own.columns[part-1] = border
			runner.Send(ownerMessage{kind: ownerBorder, border: own.columns[part]})
			s.startHalf(own)
		case ownerCell:
			if m.j < part {
				actor.Fail("Peer received the result of cell %d, %d", m.i, m.j)
			}
			reports++
			totals.value += m.value
			totals.received += m.received
		}
	}
	return totals
}

func (s *relaxation) createHalf(owner *actor.Mailbox[ownerMessage], first, last int) half {
	own := half{first: first, last: last, columns: make([][]cell, s.side)}
	for j := first; j < last; j++ {
		own.columns[j] = make([]cell, s.side)
	}
	s.it.Expect(int64(s.side * (last - first)))
	for i := 0; i < s.side; i++ {
		for j := first; j < last; j++ {
			i, j, self := i, j, actor.NewBounded[cellMessage](s.it, cellRoom)
			own.columns[j][i] = self
			go func() {
				defer s.it.Leave()
				s.cell(self, owner, i, j)
			}()
		}
	}
	return own
}

func (s *relaxation) startHalf(own half) {
	for i := 0; i < s.side; i++ {
		for j := own.first; j < own.last; j++ {
			own.columns[j][i].Send(cellMessage{neighbours: s.neighbours(own, i, j)})
		}
	}
}

func (s *relaxation) neighbours(own half, i, j int) []cell {
	neighbours := make([]cell, 0, 4)
	for _, at := range [4][2]int{{i, j + 1}, {i + 1, j}, {i, j - 1}, {i - 1, j}} {
		if i, j := at[0], at[1]; 0 <= i && i < s.side && 0 <= j && j < s.side {
			neighbours = append(neighbours, own.columns[j][i])
		}
	}
	return neighbours
}

// cell computes its value anew whenever it has those of all its neighbours. The active ones begin.
func (s *relaxation) cell(self cell, owner *actor.Mailbox[ownerMessage], i, j int) {
	value, active := s.start[i*s.side+j], (i+j)%2 == 0
	early := make([]float64, 0, 4)
	m := self.Receive()
	for ; m.neighbours == nil; m = self.Receive() {
		early = append(early, m.v)
	}
	neighbours := m.neighbours
	tell := func() {
		for _, n := range neighbours {
			n.Send(cellMessage{v: value})
		}
	}
	var iteration, received int64
	if active {
		tell()
		iteration, received = 1, 1
	}
	for sum, count, next := 0.0, 0, 0; iteration < s.iterations; {
		var v float64
		if next < len(early) {
			v = early[next]
			next++
		} else {
			v = self.Receive().v
		}
		received++
		sum += v
		if count++; count == len(neighbours) {
			// The conversions round: nothing may be fused.
			value = float64(0.25*s.omega*sum) + float64((1-s.omega)*value)
			sum, count = 0, 0
			iteration++
			if active || iteration < s.iterations {
				tell()
			}
		}
	}
	owner.Send(ownerMessage{kind: ownerCell, i: i, j: j, value: value, received: received})
}
