package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var apsp = Benchmark{
	Name:       "apsp",
	Parameters: []Parameter{{"n", anyInteger()}, {"b", atLeast(1)}, {"w", between(1, 65536)}},
	Relations:  []Relation{{"n", AtLeast, 2, "b", 0}, {"n", MultipleOf, 1, "b", 0}},
	Run:        runApsp,
}

type apspBlock = *actor.Mailbox[apspMessage]

type apspMessage struct {
	kind       apspKind
	neighbours []apspBlock // of apspNeighbours
	phase      int         // of apspResult
	block      int         // of apspResult
	data       []int64     // of apspResult; shared and never changed
}

type apspKind uint8

const (
	apspNeighbours apspKind = iota
	apspStart
	apspResult
)

// apspTotals is what a block tells the tally when it is done.
type apspTotals struct{ sum, weighted, phases int64 }

func runApsp(it *actor.Iteration, p Values) (Outcome, error) {
	n, side := int(p.Int("n")), int(p.Int("b"))
	matrix := distances(n, p.Int("w"))
	nb := n / side
	var totals apspTotals
	it.Begin()
	it.Expect(int64(nb*nb) + 1)
	tally := actor.Spawn(it, func(self *actor.Mailbox[apspTotals]) {
		for done := 0; done < nb*nb; done++ {
			m := self.Receive()
			totals.sum += m.sum
			totals.weighted += m.weighted
			totals.phases += m.phases
		}
	})
	blocks := make([]apspBlock, nb*nb)
	for i := range blocks {
		w := apspWorker{n: n, side: side, nb: nb, row: i / nb, column: i % nb}
		blocks[i] = actor.Spawn(it, func(self apspBlock) {
			w.begin(matrix)
			tally.Send(w.run(self))
		})
	}
	for i, to := range blocks {
		to.Send(apspMessage{kind: apspNeighbours, neighbours: apspNeighbourhood(blocks, nb, i/nb, i%nb)})
	}
	for _, to := range blocks {
		to.Send(apspMessage{kind: apspStart})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: totals.sum, Checks: map[string]any{"wsum": totals.weighted, "phases": totals.phases}}, nil
}

// distances draws the weights of a complete undirected graph.
func distances(n int, maxWeight int64) [][]int64 {
	matrix := make([][]int64, n)
	for i := range matrix {
		matrix[i] = make([]int64, n)
	}
	rng := lcg.New(int64(n))
	for i := range matrix {
		for j := i + 1; j < n; j++ {
			w := rng.Below(maxWeight) + 1
			matrix[i][j], matrix[j][i] = w, w
		}
	}
	return matrix
}

// apspNeighbourhood returns the other blocks of the column, then those of the row.
func apspNeighbourhood(blocks []apspBlock, nb, row, column int) (neighbours []apspBlock) {
	for i := 0; i < nb; i++ {
		if i != row {
			neighbours = append(neighbours, blocks[i*nb+column])
		}
	}
	for j := 0; j < nb; j++ {
		if j != column {
			neighbours = append(neighbours, blocks[row*nb+j])
		}
	}
	return neighbours
}

// apspWorker is the state of a block.
type apspWorker struct {
	n, side, nb, row, column int

	neighbours []apspBlock
	started    bool
	phase      int        // the last that is finished
	current    []int64    // the own distances after that phase, row by row
	waves      [2]apspGot // by parity of the phase: a neighbour is at most one phase ahead
}

// apspGot holds what the neighbours sent after a phase.
type apspGot struct {
	inColumn, inRow [][]int64 // by row and by column of the neighbour
	count           int
}

func (w *apspWorker) begin(matrix [][]int64) {
	w.phase = -1
	w.current = make([]int64, 0, w.side*w.side)
	for i := 0; i < w.side; i++ {
		w.current = append(w.current, matrix[w.row*w.side+i][w.column*w.side:][:w.side]...)
	}
	for i := range w.waves {
		w.waves[i] = apspGot{inColumn: make([][]int64, w.nb), inRow: make([][]int64, w.nb)}
	}
}

func (w *apspWorker) run(self apspBlock) apspTotals {
	for {
		switch m := self.Receive(); m.kind {
		case apspNeighbours:
			w.neighbours = m.neighbours
		case apspStart:
			w.started = true
			w.share()
		case apspResult:
			w.keep(m)
		}
		for w.started && w.wave(w.phase).count == 2*(w.nb-1) {
			w.advance()
			if w.phase == w.n-1 {
				return w.totals()
			}
			w.share()
		}
	}
}

func (w *apspWorker) wave(phase int) *apspGot { return &w.waves[phase&1] }

func (w *apspWorker) share() {
	m := apspMessage{kind: apspResult, phase: w.phase, block: w.row*w.nb + w.column, data: w.current}
	for _, to := range w.neighbours {
		to.Send(m)
	}
}

func (w *apspWorker) keep(m apspMessage) {
	if m.phase != w.phase && m.phase != w.phase+1 {
		actor.Fail("a block that finished phase %d received a result of phase %d", w.phase, m.phase)
	}
	got := w.wave(m.phase)
	if row, column := m.block/w.nb, m.block%w.nb; column == w.column {
		got.inColumn[row] = m.data
	} else {
		got.inRow[column] = m.data
	}
	got.count++
}

// advance computes the next phase: paths may now also go through the node of that number.
func (w *apspWorker) advance() {
	got, via := w.wave(w.phase), w.phase+1
	owner, k := via/w.side, via%w.side
	got.inColumn[w.row], got.inRow[w.column] = w.current, w.current
	toVia := got.inRow[owner]                          // distances from the own rows to via, in column k
	fromVia := got.inColumn[owner][k*w.side:][:w.side] // distances from via to the own columns
	next := make([]int64, len(w.current))
	for i := 0; i < w.side; i++ {
		first := toVia[i*w.side+k]
		old, row := w.current[i*w.side:][:w.side], next[i*w.side:][:w.side]
		for j, second := range fromVia {
			row[j] = min(old[j], first+second)
		}
	}
	got.count = 0
	clear(got.inColumn)
	clear(got.inRow)
	w.current, w.phase = next, via
}

func (w *apspWorker) totals() (t apspTotals) {
	t.phases = int64(w.phase + 1)
	for at, distance := range w.current {
		i, j := w.row*w.side+at/w.side, w.column*w.side+at%w.side
		t.sum += distance
		t.weighted += distance * (int64((31*i+17*j)%101) + 1)
	}
	return t
}
