package bench

import "scoville/peer/internal/actor"

var count = Benchmark{
	Name:       "count",
	Parameters: []Parameter{{"messages", atLeast(0)}},
	Run:        runCount,
}

// counterMessage is Retrieve if it carries a sender, otherwise Increment.
type counterMessage struct {
	from *actor.Mailbox[producerMessage]
}

type producerMessage struct {
	kind  producerKind
	value int64 // of producerResult
}

type producerKind uint8

const (
	producerStart producerKind = iota
	producerResult
)

func runCount(it *actor.Iteration, p Values) (Outcome, error) {
	var result int64
	it.Begin()
	it.Expect(2)
	counter := actor.Spawn(it, counterActor)
	producer := actor.Spawn(it, func(self *actor.Mailbox[producerMessage]) {
		result = producerActor(self, counter, p.Int("messages"))
	})
	producer.Send(producerMessage{kind: producerStart})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: result}, nil
}

func producerActor(self *actor.Mailbox[producerMessage], counter *actor.Mailbox[counterMessage], n int64) int64 {
	for {
		switch m := self.Receive(); m.kind {
		case producerStart:
			for i := int64(0); i < n; i++ {
				counter.Send(counterMessage{})
			}
			counter.Send(counterMessage{from: self})
		case producerResult:
			return m.value
		}
	}
}

func counterActor(self *actor.Mailbox[counterMessage]) {
	count := int64(0)
	for {
		m := self.Receive()
		if m.from != nil {
			m.from.Send(producerMessage{kind: producerResult, value: count})
			return
		}
		count++
	}
}
