package bench

import "scoville/peer/internal/actor"

var logmap = Benchmark{
	Name: "logmap",
	Parameters: []Parameter{
		{"terms", atLeast(0)}, {"series", between(1, 217)}, {"start_rate", anyNumber()}, {"increment", anyNumber()},
	},
	Labels: map[string]string{"stash": "local"},
	Run:    runLogmap,
}

// computeMessage is Compute, or Stop if it comes from nobody.
type computeMessage struct {
	from *actor.Mailbox[seriesMessage]
	x    float64
}

type seriesMessage struct {
	kind seriesKind
	x    float64 // of seriesValue
}

type seriesKind uint8

const (
	seriesNextTerm seriesKind = iota
	seriesGetTerm
	seriesStop
	seriesValue
)

// logmapMessage is Term, or Start if it has no term.
type logmapMessage struct{ term *seriesTerm }

type seriesTerm struct {
	series int64
	x, acc float64
	steps  int64
}

func runLogmap(it *actor.Iteration, p Values) (Outcome, error) {
	m := logmapMaster{it: it, terms: p.Int("terms"), rate: p.Number("start_rate"), increment: p.Number("increment")}
	m.answers = make([]seriesTerm, p.Int("series"))
	it.Begin()
	it.Expect(1)
	master := actor.Spawn(it, m.run)
	master.Send(logmapMessage{})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: Float(m.sum),
		Checks: map[string]any{"orbit_sum": Float(m.orbitSum), "steps": m.steps},
	}, nil
}

type logmapMaster struct {
	it              *actor.Iteration
	terms           int64
	rate, increment float64
	computers       []*actor.Mailbox[computeMessage]
	workers         []*actor.Mailbox[seriesMessage]
	answers         []seriesTerm // by series

	sum, orbitSum float64
	steps         int64
}

func (m *logmapMaster) run(self *actor.Mailbox[logmapMessage]) {
	m.create(self)
	for answers := 0; answers < len(m.answers); {
		if term := self.Receive().term; term != nil {
			m.answers[term.series] = *term
			answers++
		} else {
			m.start()
		}
	}
	for _, a := range m.answers {
		m.sum += a.x
		m.orbitSum += a.acc
		m.steps += a.steps
	}
	for _, c := range m.computers {
		c.Send(computeMessage{})
	}
	for _, w := range m.workers {
		w.Send(seriesMessage{kind: seriesStop})
	}
}

func (m *logmapMaster) create(self *actor.Mailbox[logmapMessage]) {
	m.it.Expect(int64(2 * len(m.answers)))
	for i := range m.answers {
		// The conversion rounds the product: nothing may be fused.
		rate := m.rate + float64(float64(i)*m.increment)
		m.computers = append(m.computers, actor.Spawn(m.it, func(self *actor.Mailbox[computeMessage]) {
			computerActor(self, rate)
		}))
	}
	for i, computer := range m.computers {
		w := seriesWorker{master: self, computer: computer}
		w.term = seriesTerm{series: int64(i), x: float64(i) * m.increment}
		m.workers = append(m.workers, actor.Spawn(m.it, w.run))
	}
}

func (m *logmapMaster) start() {
	for t := int64(0); t < m.terms; t++ {
		for _, w := range m.workers {
			w.Send(seriesMessage{kind: seriesNextTerm})
		}
	}
	for _, w := range m.workers {
		w.Send(seriesMessage{kind: seriesGetTerm})
	}
}

func computerActor(self *actor.Mailbox[computeMessage], rate float64) {
	for {
		m := self.Receive()
		if m.from == nil {
			return
		}
		m.from.Send(seriesMessage{kind: seriesValue, x: (rate * m.x) * (1 - m.x)})
	}
}

// seriesWorker asks its computer for each term and defers everything else until the term arrives.
type seriesWorker struct {
	master   *actor.Mailbox[logmapMessage]
	computer *actor.Mailbox[computeMessage]
	term     seriesTerm
	waiting  bool
	deferred fifo[seriesKind]
}

func (w seriesWorker) run(self *actor.Mailbox[seriesMessage]) {
	for {
		m := self.Receive()
		switch {
		case m.kind == seriesValue:
			w.value(m.x)
			for !w.waiting && w.deferred.len() > 0 {
				if w.handle(self, w.deferred.pop()) {
					return
				}
			}
		case w.waiting:
			w.deferred.push(m.kind)
		case w.handle(self, m.kind):
			return
		}
	}
}

func (w *seriesWorker) value(x float64) {
	if !w.waiting {
		actor.Fail("Worker %d received a value that it did not ask for", w.term.series)
	}
	w.term.x = x
	w.term.acc += x
	w.term.steps++
	w.waiting = false
}

// handle does a request and tells whether it was the last one.
func (w *seriesWorker) handle(self *actor.Mailbox[seriesMessage], kind seriesKind) (stop bool) {
	switch kind {
	case seriesNextTerm:
		w.computer.Send(computeMessage{from: self, x: w.term.x})
		w.waiting = true
	case seriesGetTerm:
		term := w.term
		w.master.Send(logmapMessage{term: &term})
	case seriesStop:
		return true
	}
	return false
}
