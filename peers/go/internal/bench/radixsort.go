package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var radixsort = Benchmark{
	Name:       "radixsort",
	Parameters: []Parameter{{"n", atLeast(1)}, {"m", powerOfTwoBetween(2, 1<<60)}, {"s", anyInteger()}},
	Run:        runRadixsort,
}

// valueMailbox is the mailbox of a stage; its messages are Value.
type valueMailbox = *actor.Mailbox[int64]

// nextMessage is Next: where a source sends to.
type nextMessage struct{ first valueMailbox }

func runRadixsort(it *actor.Iteration, p Values) (Outcome, error) {
	n, modulus := p.Int("n"), p.Int("m")
	var arrived arrivals
	it.Begin()
	it.Expect(2)
	stage := actor.Spawn(it, func(self valueMailbox) { arrived = validate(self, n) })
	source := actor.Spawn(it, func(self *actor.Mailbox[nextMessage]) {
		first := self.Receive().first
		rng := lcg.New(p.Int("s"))
		for i := int64(0); i < n; i++ {
			first.Send(rng.Next() % modulus)
		}
	})
	for r := modulus / 2; r > 0; r /= 2 {
		radix, next := r, stage
		it.Expect(1)
		stage = actor.Spawn(it, func(self valueMailbox) { radixStage(self, next, radix, n) })
	}
	source.Send(nextMessage{first: stage})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return arrived.outcome(), nil
}

// radixStage lets values without its bit pass and holds the others back.
func radixStage(self, next valueMailbox, radix, n int64) {
	var held []int64
	for received := int64(0); received < n; received++ {
		if v := self.Receive(); v&radix == 0 {
			next.Send(v)
		} else {
			held = append(held, v)
		}
	}
	for _, v := range held {
		next.Send(v)
	}
}

// arrivals describes the sequence of values at the end of a sorting network.
type arrivals struct {
	count, sum, errors, last int64
	hash                     checksum
}

func (a *arrivals) add(v int64) {
	if a.count == 0 {
		a.hash = emptyChecksum
	} else if v < a.last {
		a.errors++
	}
	a.count++
	a.sum += v
	a.hash.add(v)
	a.last = v
}

func (a *arrivals) outcome() Outcome {
	return Outcome{Result: int64(a.hash), Checks: map[string]any{"count": a.count, "errors": a.errors, "sum": a.sum}}
}

func validate(self valueMailbox, n int64) (a arrivals) {
	for a.count < n {
		a.add(self.Receive())
	}
	return a
}
