package bench

import "scoville/peer/internal/actor"

var threadring = Benchmark{
	Name:       "threadring",
	Parameters: []Parameter{{"actors", atLeast(1)}, {"hops", atLeast(0)}},
	Run:        runThreadring,
}

type ringLink = actor.Bounded[ringMessage]

// ringRoom holds Data and the token, or Exit, of which only one is under way in the whole ring.
const ringRoom = 2

type ringMessage struct {
	kind ringKind
	next ringLink // of ringData
	k    int64
	acc  int64 // of ringExit
}

type ringKind uint8

const (
	ringData ringKind = iota
	ringToken
	ringExit
)

// ringEnd is what the last actor reports.
type ringEnd struct{ result, last int64 }

func runThreadring(it *actor.Iteration, p Values) (Outcome, error) {
	n := p.Int("actors")
	var end ringEnd
	it.Begin()
	ring := make([]ringLink, n)
	it.Expect(n)
	for i := range ring {
		id, self := int64(i), actor.NewBounded[ringMessage](it, ringRoom)
		ring[i] = self
		go func() {
			defer it.Leave()
			ringActor(self, id, n, &end)
		}()
	}
	for i, r := range ring {
		r.Send(ringMessage{kind: ringData, next: ring[(i+1)%len(ring)]})
	}
	ring[0].Send(ringMessage{kind: ringToken, k: p.Int("hops")})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: end.result, Checks: map[string]any{"last": end.last}}, nil
}

// ringActor needs no buffer for a token that comes before Data: a send has taken effect when it returns, so that Data,
// sent before the first token, is always first.
func ringActor(self ringLink, id, n int64, end *ringEnd) {
	data := self.Receive()
	if data.kind != ringData {
		actor.Fail("Ring %d received message kind %d before Data", id, data.kind)
	}
	next := data.next
	seen := int64(0)
	for {
		switch m := self.Receive(); m.kind {
		case ringToken:
			seen++
			if m.k > 0 {
				next.Send(ringMessage{kind: ringToken, k: m.k - 1})
			} else {
				next.Send(ringMessage{kind: ringExit, k: n - 1})
			}
		case ringExit:
			acc := m.acc + (id+1)*seen
			if m.k > 0 {
				next.Send(ringMessage{kind: ringExit, k: m.k - 1, acc: acc})
			} else {
				*end = ringEnd{result: acc, last: id}
			}
			return
		case ringData:
			actor.Fail("Ring %d received Data twice", id)
		}
	}
}
