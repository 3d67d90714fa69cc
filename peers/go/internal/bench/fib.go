package bench

import "scoville/peer/internal/actor"

var fib = Benchmark{
	Name:       "fib",
	Parameters: []Parameter{{"index", between(1, 45)}},
	Run:        runFib,
}

type fibMailbox = actor.Bounded[fibMessage]

type fibMessage struct {
	kind   fibKind
	n      int64 // of fibRequest
	value  int64 // of fibResponse
	actors int64 // of fibResponse
}

type fibKind uint8

const (
	fibRequest fibKind = iota
	fibResponse
)

// fibRoom holds both responses; the request has been received before there can be any.
const fibRoom = 2

func runFib(it *actor.Iteration, p Values) (Outcome, error) {
	it.Begin()
	it.Expect(1)
	collector := actor.NewCollector[fibMessage](1)
	spawnFib(it, collector).Send(fibMessage{kind: fibRequest, n: p.Int("index")})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	root := collector.Receive()
	return Outcome{Result: root.value, Checks: map[string]any{"actors": root.actors}}, nil
}

func spawnFib(it *actor.Iteration, parent fibMailbox) fibMailbox {
	self := actor.NewBounded[fibMessage](it, fibRoom)
	go func() {
		defer it.Leave()
		end := fibMessage{kind: fibResponse, actors: 1}
		for got := 0; got < 2; {
			switch m := self.Receive(); {
			case m.kind == fibResponse:
				end.value += m.value
				end.actors += m.actors
				got++
			case m.n <= 2:
				parent.Send(fibMessage{kind: fibResponse, value: 1, actors: 1})
				return
			default:
				it.Expect(2)
				spawnFib(it, self).Send(fibMessage{kind: fibRequest, n: m.n - 1})
				spawnFib(it, self).Send(fibMessage{kind: fibRequest, n: m.n - 2})
			}
		}
		parent.Send(end)
	}()
	return self
}
