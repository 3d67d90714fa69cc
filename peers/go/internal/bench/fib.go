package bench

import "scoville/peer/internal/actor"

var fib = Benchmark{
	Name:       "fib",
	Parameters: []Parameter{{"index", between(1, 45)}},
	Run:        runFib,
}

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

func runFib(it *actor.Iteration, p Values) (Outcome, error) {
	var value, actors int64
	it.Begin()
	it.Expect(1)
	root := actor.Spawn(it, func(self *actor.Mailbox[fibMessage]) { value, actors = fibActor(it, self) })
	root.Send(fibMessage{kind: fibRequest, n: p.Int("index")})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: value, Checks: map[string]any{"actors": actors}}, nil
}

// fibActor returns the number of its request and the size of the tree that computed it.
func fibActor(it *actor.Iteration, self *actor.Mailbox[fibMessage]) (value, actors int64) {
	actors = 1
	for got := 0; got < 2; {
		switch m := self.Receive(); m.kind {
		case fibRequest:
			if m.n <= 2 {
				return 1, 1
			}
			it.Expect(2)
			spawnFib(it, self).Send(fibMessage{kind: fibRequest, n: m.n - 1})
			spawnFib(it, self).Send(fibMessage{kind: fibRequest, n: m.n - 2})
		case fibResponse:
			value += m.value
			actors += m.actors
			got++
		}
	}
	return value, actors
}

func spawnFib(it *actor.Iteration, parent *actor.Mailbox[fibMessage]) *actor.Mailbox[fibMessage] {
	return actor.Spawn(it, func(self *actor.Mailbox[fibMessage]) {
		value, actors := fibActor(it, self)
		parent.Send(fibMessage{kind: fibResponse, value: value, actors: actors})
	})
}
