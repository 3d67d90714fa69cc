package bench

import (
	"math"

	"scoville/peer/internal/actor"
)

var fjthrput = Benchmark{
	Name:       "fjthrput",
	Parameters: []Parameter{{"messages", atLeast(1)}, {"actors", atLeast(1)}},
	Run:        runFjthrput,
}

type workMessage struct{ theta float64 }

// workerEnd is what a worker reports.
type workerEnd struct {
	weighted int64
	sum      float64
}

func runFjthrput(it *actor.Iteration, p Values) (Outcome, error) {
	n, a := p.Int("messages"), p.Int("actors")
	it.Begin()
	workers := make([]*actor.Mailbox[workMessage], a)
	ends := make([]workerEnd, a)
	it.Expect(a)
	for i := range workers {
		id, end := int64(i), &ends[i]
		workers[i] = actor.Spawn(it, func(self *actor.Mailbox[workMessage]) { *end = workerActor(self, id, n) })
	}
	for m := int64(0); m < n; m++ {
		for _, w := range workers {
			w.Send(workMessage{theta: 37.2})
		}
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	var total workerEnd
	for _, e := range ends {
		total.weighted += e.weighted
		total.sum += e.sum
	}
	return Outcome{Result: total.weighted, Checks: map[string]any{"sum": Float(total.sum)}}, nil
}

func workerActor(self *actor.Mailbox[workMessage], id, n int64) workerEnd {
	count, sum := int64(0), 0.0
	for count < n {
		sum += squaredSine(self.Receive().theta)
		count++
	}
	return workerEnd{weighted: (id + 1) * count, sum: sum}
}

// squaredSine is the work of one message in fjthrput and fjcreate.
func squaredSine(theta float64) float64 {
	s := math.Sin(theta)
	r := s * s
	if !(r > 0) {
		actor.Fail("sin(%v)^2 is %v; it must be positive", theta, r)
	}
	return r
}
