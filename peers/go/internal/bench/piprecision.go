package bench

import (
	"fmt"
	bignum "math/big"

	"scoville/peer/internal/actor"
)

var piprecision = Benchmark{
	Name:       "piprecision",
	Parameters: []Parameter{{"w", atLeast(1)}, {"p", between(10, 100000)}},
	Labels:     map[string]string{"bignum": "math/big"},
	Run:        runPiprecision,
}

// termMessage is Work, or Stop if it is last.
type termMessage struct {
	term int64
	last bool
}

type piMessage struct {
	kind   piKind
	value  *bignum.Int // of piResult; never changed
	worker int64       // of piResult
}

type piKind uint8

const (
	piStart piKind = iota
	piResult
	piStopped
)

func runPiprecision(it *actor.Iteration, p Values) (Outcome, error) {
	m := piMaster{it: it, workers: make([]*actor.Mailbox[termMessage], p.Int("w")), scale: p.Int("p")}
	it.Begin()
	it.Expect(1)
	master := actor.Spawn(it, m.run)
	master.Send(piMessage{kind: piStart})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	// Terms fall, so that those above 1 are the first ones.
	if ahead := min(m.scale, 10*int64(len(m.workers))); m.requested <= m.large || m.requested > m.large+ahead {
		return Outcome{}, fmt.Errorf("%d terms were requested; %d..%d must be", m.requested, m.large+1, m.large+ahead)
	}
	digits := emptyChecksum
	for _, d := range m.total.String() {
		digits.add(int64(d - '0'))
	}
	return Outcome{
		Result:  new(bignum.Int).Mod(&m.total, bignum.NewInt(2147483647)).Int64(),
		Checks:  map[string]any{"digits": int64(digits)},
		Metrics: map[string]any{"terms": m.requested},
	}, nil
}

type piMaster struct {
	it      *actor.Iteration
	workers []*actor.Mailbox[termMessage]
	scale   int64

	total               bignum.Int
	requested, received int64
	large               int64 // results above 1
}

func (m *piMaster) run(self *actor.Mailbox[piMessage]) {
	one := bignum.NewInt(1)
	enough := false
	for stopped := 0; stopped < len(m.workers); {
		switch msg := self.Receive(); msg.kind {
		case piStart:
			m.start(self)
		case piResult:
			m.received++
			m.total.Add(&m.total, msg.value)
			if msg.value.Cmp(one) <= 0 {
				enough = true
			} else {
				m.large++
			}
			if !enough {
				m.request(msg.worker)
			}
			if m.received == m.requested {
				for _, w := range m.workers {
					w.Send(termMessage{last: true})
				}
			}
		case piStopped:
			stopped++
		}
	}
}

func (m *piMaster) start(self *actor.Mailbox[piMessage]) {
	n := int64(len(m.workers))
	numbers := newPiNumbers(m.scale)
	m.it.Expect(n)
	for i := range m.workers {
		id := int64(i)
		m.workers[i] = actor.Spawn(m.it, func(worker *actor.Mailbox[termMessage]) {
			terms := piTerms{piNumbers: numbers}
			for t := worker.Receive(); !t.last; t = worker.Receive() {
				self.Send(piMessage{kind: piResult, value: terms.compute(t.term), worker: id})
			}
			self.Send(piMessage{kind: piStopped})
		})
	}
	for i := int64(0); i < min(m.scale, 10*n); i++ {
		m.request(i % n)
	}
}

func (m *piMaster) request(worker int64) {
	m.workers[worker].Send(termMessage{term: m.requested})
	m.requested++
}

// piNumbers holds 10^scale and its multiples. The workers share them.
type piNumbers struct{ one, two, four *bignum.Int }

func newPiNumbers(scale int64) piNumbers {
	one := new(bignum.Int).Exp(bignum.NewInt(10), bignum.NewInt(scale), nil)
	return piNumbers{one: one, two: new(bignum.Int).Lsh(one, 1), four: new(bignum.Int).Lsh(one, 2)}
}

// piTerms computes terms for one worker. What is not sent stays in memory that the next term uses again: with new memory
// for each quotient and remainder a term takes a third longer.
type piTerms struct {
	piNumbers
	sum, quotient, remainder, divisor bignum.Int
}

// compute returns the k-th term of the formula of Bailey, Borwein and Plouffe.
func (t *piTerms) compute(k int64) *bignum.Int {
	e := 8 * k
	sum := t.roundedQuotient(&t.sum, t.four, t.divisor.SetInt64(e+1))
	sum.Sub(sum, t.roundedQuotient(&t.quotient, t.two, t.divisor.SetInt64(e+4)))
	sum.Sub(sum, t.roundedQuotient(&t.quotient, t.one, t.divisor.SetInt64(e+5)))
	sum.Sub(sum, t.roundedQuotient(&t.quotient, t.one, t.divisor.SetInt64(e+6)))
	power := t.divisor.Lsh(t.divisor.SetInt64(1), uint(4*k)) // 16^k: Exp would square its way there
	return t.roundedQuotient(new(bignum.Int), sum, power)
}

// roundedQuotient sets q to a/b for a >= 0 and b > 0, rounded to the nearest integer, and returns it; ties go to the even
// one.
func (t *piTerms) roundedQuotient(q, a, b *bignum.Int) *bignum.Int {
	r := &t.remainder
	q.QuoRem(a, b, r)
	if half := r.Lsh(r, 1).Cmp(b); half > 0 || half == 0 && q.Bit(0) == 1 {
		q.Add(q, bignum.NewInt(1))
	}
	return q
}
