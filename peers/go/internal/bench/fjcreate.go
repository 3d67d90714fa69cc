package bench

import (
	"sync/atomic"

	"scoville/peer/internal/actor"
)

var fjcreate = Benchmark{
	Name:       "fjcreate",
	Parameters: []Parameter{{"actors", atLeast(1)}},
	Run:        runFjcreate,
}

func runFjcreate(it *actor.Iteration, p Values) (Outcome, error) {
	n := p.Int("actors")
	var ids atomic.Int64
	it.Begin()
	it.Expect(n)
	for i := int64(1); i <= n; i++ {
		id := i
		worker := actor.NewBounded[workMessage](it, 1)
		go func() {
			defer it.Leave()
			squaredSine(worker.Receive().theta)
			ids.Add(id)
		}()
		worker.Send(workMessage{theta: 37.2})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: ids.Load()}, nil
}
