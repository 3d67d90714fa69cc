package bench

import (
	"fmt"

	"scoville/peer/internal/actor"
)

var recmatmul = Benchmark{
	Name: "recmatmul",
	Parameters: []Parameter{
		{"n", powerOfTwoBetween(2, 2048)}, {"t", atLeast(1)}, {"w", atLeast(1)}, {"p", between(1, 29)},
	},
	Run: runRecmatmul,
}

// product is C = A*B, each row by row in one slice. The actors share A and B, which never change; one worker writes each
// block of C.
type product struct {
	n       int
	a, b, c []float64
}

// matrixWork is Work or NewWork: a product of two blocks that is to be added to a block of C.
type matrixWork struct {
	priority                                         int
	rowA, columnA, rowB, columnB, rowC, columnC, dim int
	elements                                         int64
}

// matrixMessage is Work, or Stop if it is last.
type matrixMessage struct {
	work matrixWork
	last bool
}

type matrixMasterMessage struct {
	kind   matrixMasterKind
	work   matrixWork   // of matrixNewWork
	totals matrixTotals // of matrixStopped
}

type matrixMasterKind uint8

const (
	matrixNewWork matrixMasterKind = iota
	matrixDone
	matrixStopped
)

type matrixTotals struct{ sum, weighted int64 }

func runRecmatmul(it *actor.Iteration, p Values) (Outcome, error) {
	m := newProduct(int(p.Int("n")))
	master := matrixMaster{workers: make([]*actor.Mailbox[matrixMessage], p.Int("w"))}
	it.Begin()
	it.Expect(1)
	actor.Spawn(it, func(self *actor.Mailbox[matrixMasterMessage]) {
		it.Expect(int64(len(master.workers)))
		for i := range master.workers {
			w := matrixWorker{product: m, master: self, leaf: p.Int("t"), own: make(map[[2]int]int)}
			master.workers[i] = actor.Spawn(it, w.run)
		}
		master.run(self, matrixWork{dim: m.n, elements: int64(m.n) * int64(m.n)})
	})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	if err := m.verify(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: master.totals.sum,
		Checks: map[string]any{"wsum": master.totals.weighted, "items": master.sent},
	}, nil
}

func newProduct(n int) *product {
	m := &product{n: n, a: make([]float64, n*n), b: make([]float64, n*n), c: make([]float64, n*n)}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			m.a[i*n+j], m.b[i*n+j] = float64(i), float64(j)
		}
	}
	return m
}

// verify compares C with what it must be; all its elements are exact.
func (m *product) verify() error {
	for i := 0; i < m.n; i++ {
		for j := 0; j < m.n; j++ {
			if got, want := m.c[i*m.n+j], float64(m.n*i*j); got != want {
				return fmt.Errorf("element %d, %d of the product is %v; it must be %v", i, j, got, want)
			}
		}
	}
	return nil
}

// add is the plain triple loop.
func (m *product) add(w matrixWork) {
	n := m.n
	for i := 0; i < w.dim; i++ {
		row := m.a[(w.rowA+i)*n+w.columnA:][:w.dim]
		for j := 0; j < w.dim; j++ {
			at := (w.rowC+i)*n + w.columnC + j
			sum, below := m.c[at], w.rowB*n+w.columnB+j
			for _, x := range row {
				sum += float64(x * m.b[below]) // the conversion rounds: nothing may be fused
				below += n
			}
			m.c[at] = sum
		}
	}
}

type matrixMaster struct {
	workers         []*actor.Mailbox[matrixMessage]
	sent, completed int64
	totals          matrixTotals
}

func (m *matrixMaster) run(self *actor.Mailbox[matrixMasterMessage], first matrixWork) {
	m.dispatch(first)
	for stopped := 0; stopped < len(m.workers); {
		switch msg := self.Receive(); msg.kind {
		case matrixNewWork:
			m.dispatch(msg.work)
		case matrixDone:
			m.completed++
			if m.completed == m.sent {
				for _, w := range m.workers {
					w.Send(matrixMessage{last: true})
				}
			}
		case matrixStopped:
			stopped++
			m.totals.sum += msg.totals.sum
			m.totals.weighted += msg.totals.weighted
		}
	}
}

// dispatch chooses the worker by the place in C, so that one worker writes each block.
func (m *matrixMaster) dispatch(work matrixWork) {
	m.workers[(work.rowC+work.columnC)%len(m.workers)].Send(matrixMessage{work: work})
	m.sent++
}

type matrixWorker struct {
	product *product
	master  *actor.Mailbox[matrixMasterMessage]
	leaf    int64          // elements of the largest block that is not divided
	own     map[[2]int]int // the blocks of C that this worker wrote: place and side
}

func (w matrixWorker) run(self *actor.Mailbox[matrixMessage]) {
	for {
		m := self.Receive()
		switch {
		case m.last:
			w.master.Send(matrixMasterMessage{kind: matrixStopped, totals: w.totals()})
			return
		case m.work.elements > w.leaf:
			w.divide(m.work)
		default:
			w.product.add(m.work)
			w.own[[2]int{m.work.rowC, m.work.columnC}] = m.work.dim
		}
		w.master.Send(matrixMasterMessage{kind: matrixDone})
	}
}

// divide hands the eight products of quarters back.
func (w matrixWorker) divide(work matrixWork) {
	half := work.dim / 2
	for _, i := range []int{0, half} {
		for _, j := range []int{0, half} {
			for _, k := range []int{0, half} {
				part := matrixWork{
					priority: work.priority + 1,
					rowA:     work.rowA + i, columnA: work.columnA + k,
					rowB: work.rowB + k, columnB: work.columnB + j,
					rowC: work.rowC + i, columnC: work.columnC + j,
					dim: half, elements: work.elements / 4,
				}
				w.master.Send(matrixMasterMessage{kind: matrixNewWork, work: part})
			}
		}
	}
}

func (w matrixWorker) totals() (t matrixTotals) {
	for place, dim := range w.own {
		for i := place[0]; i < place[0]+dim; i++ {
			for j := place[1]; j < place[1]+dim; j++ {
				x := int64(w.product.c[i*w.product.n+j])
				t.sum += x
				t.weighted += x % 1000003 * (int64((31*i+17*j)%101) + 1)
			}
		}
	}
	return t
}
