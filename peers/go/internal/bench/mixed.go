package bench

import "scoville/peer/internal/actor"

var mixed = Benchmark{
	Name: "mixed",
	Parameters: []Parameter{
		{"rings", atLeast(1)}, {"size", atLeast(2)}, {"token", atLeast(0)}, {"reps", atLeast(1)}, {"number", anyInteger()},
	},
	Run: runMixed,
}

// link is a place in a ring: a Link, or the Master that closes the ring.
type link = *actor.Mailbox[linkMessage]

// linkMessage is Token, or Start for a Master.
type linkMessage struct {
	start bool
	value int64
}

// calcMessage is Calc, or Quit if it is last.
type calcMessage struct {
	number int64
	last   bool
}

// mixedMessage is Result, or MasterDone if it has no factors.
type mixedMessage struct {
	factors []int64
	rounds  int64
}

// mixedTotals is what the tally reports.
type mixedTotals struct{ factorSum, results, rounds int64 }

func runMixed(it *actor.Iteration, p Values) (Outcome, error) {
	rings, reps := p.Int("rings"), p.Int("reps")
	var totals mixedTotals
	it.Begin()
	it.Expect(rings + 1)
	tally := actor.Spawn(it, func(self *actor.Mailbox[mixedMessage]) {
		totals = mixedTally(self, rings, reps, p.Int("number"))
	})
	m := mixedMaster{it: it, tally: tally, size: p.Int("size"), token: p.Int("token"), reps: reps, number: p.Int("number")}
	masters := make([]link, rings)
	for i := range masters {
		masters[i] = actor.Spawn(it, m.run)
	}
	for _, to := range masters {
		to.Send(linkMessage{start: true})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: totals.factorSum,
		Checks: map[string]any{"results": totals.results, "rounds": totals.rounds},
	}, nil
}

func mixedTally(self *actor.Mailbox[mixedMessage], rings, reps, number int64) (t mixedTotals) {
	for masters := int64(0); masters < rings || t.results < rings*reps; {
		m := self.Receive()
		if m.factors == nil {
			masters++
			t.rounds += m.rounds
			continue
		}
		if len(m.factors) != 2 || m.factors[0]*m.factors[1] != number {
			actor.Fail("the factors %v came; they must be two, and their product %d", m.factors, number)
		}
		t.results++
		t.factorSum += m.factors[0] + m.factors[1]
	}
	return t
}

type mixedMaster struct {
	it                        *actor.Iteration
	tally                     *actor.Mailbox[mixedMessage]
	size, token, reps, number int64
}

func (m mixedMaster) run(self link) {
	self.Receive() // Start
	m.it.Expect(1)
	worker := actor.Spawn(m.it, func(worker *actor.Mailbox[calcMessage]) { factoriser(worker, m.tally) })
	rounds := int64(0)
	for rep := int64(0); rep < m.reps; rep++ {
		worker.Send(calcMessage{number: m.number})
		first := m.createLinks(self)
		first.Send(linkMessage{value: m.token})
		for {
			value := self.Receive().value
			rounds++
			if value == 0 {
				break
			}
			first.Send(linkMessage{value: value - 1})
		}
	}
	worker.Send(calcMessage{last: true})
	m.tally.Send(mixedMessage{rounds: rounds})
}

// createLinks makes a ring and returns the link that was created last.
func (m mixedMaster) createLinks(self link) link {
	m.it.Expect(m.size - 1)
	next := self
	for i := int64(1); i < m.size; i++ {
		to := next
		next = actor.Spawn(m.it, func(self link) { linkActor(self, to) })
	}
	return next
}

func linkActor(self, next link) {
	for {
		m := self.Receive()
		next.Send(m)
		if m.value == 0 {
			return
		}
	}
}

func factoriser(self *actor.Mailbox[calcMessage], tally *actor.Mailbox[mixedMessage]) {
	for m := self.Receive(); !m.last; m = self.Receive() {
		tally.Send(mixedMessage{factors: factorise(m.number)})
	}
}

// factorise divides by 2 and all odd numbers; that it does not stop at the square root is the work.
func factorise(x int64) (factors []int64) {
	d := int64(2)
	for d < x {
		switch {
		case x%d == 0:
			factors = append(factors, d)
			x /= d
		case d == 2:
			d = 3
		default:
			d += 2
		}
	}
	return append(factors, d)
}
