package bench

import (
	"fmt"
	"math"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var bndbuffer = Benchmark{
	Name: "bndbuffer",
	Parameters: []Parameter{
		{"buffer", anyInteger()}, {"producers", atLeast(1)}, {"consumers", atLeast(1)}, {"items", atLeast(0)},
		{"prod_cost", atLeast(0)}, {"cons_cost", atLeast(0)},
	},
	// With a smaller buffer a producer could be parked while nothing is pending, and stay so for ever.
	Relations: []Relation{{"buffer", AtLeast, 1, "producers", 1}},
	Run:       runBndbuffer,
}

type bufferProducer = *actor.Mailbox[produceMessage]

// produceMessage is Produce.
type produceMessage struct{}

// consumeMessage is Data, or ConsumerExit if it comes from no producer.
type consumeMessage = bufferItem

type bufferConsumer = *actor.Mailbox[consumeMessage]

type bufferItem struct {
	item float64
	seq  int64
	from bufferProducer
}

type bufferMessage struct {
	kind     bufferKind
	data     bufferItem     // of bufferData
	consumer bufferConsumer // of bufferAvailable
}

type bufferKind uint8

const (
	bufferData bufferKind = iota
	bufferAvailable
	bufferProducerExit
)

// consumerEnd is what a consumer reports.
type consumerEnd struct {
	item          float64
	seqSum, items int64
}

func runBndbuffer(it *actor.Iteration, p Values) (Outcome, error) {
	ends := make([]consumerEnd, p.Int("consumers"))
	m := bufferManager{capacity: int(p.Int("buffer") - p.Int("producers"))}
	it.Begin()
	it.Expect(1)
	actor.Spawn(it, func(self *actor.Mailbox[bufferMessage]) {
		it.Expect(p.Int("producers") + p.Int("consumers"))
		for i := int64(0); i < p.Int("producers"); i++ {
			m.producers = append(m.producers, actor.Spawn(it, func(producer bufferProducer) {
				producerLoop(producer, self, p.Int("items"), p.Int("prod_cost"))
			}))
		}
		for i := range ends {
			end := &ends[i]
			m.consumers = append(m.consumers, actor.Spawn(it, func(consumer bufferConsumer) {
				*end = consumerLoop(consumer, self, p.Int("cons_cost"))
			}))
		}
		m.run(self)
	})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	if limit := int(p.Int("buffer") - 1); m.maxPending > limit {
		return Outcome{}, fmt.Errorf("%d items were pending; at most %d may be", m.maxPending, limit)
	}
	var seqSum, items int64
	var dataSum float64
	perConsumer := make([]int64, len(ends))
	for i, e := range ends {
		seqSum += e.seqSum
		items += e.items
		dataSum += e.item
		perConsumer[i] = e.items
	}
	return Outcome{
		Result:   seqSum,
		Checks:   map[string]any{"items": items, "data_sum": Float(dataSum)},
		Metrics:  map[string]any{"max_pending": int64(m.maxPending)},
		PerActor: map[string][]int64{"items": perConsumer},
	}, nil
}

type bufferManager struct {
	capacity   int
	producers  []bufferProducer
	consumers  []bufferConsumer
	idle       fifo[bufferConsumer]
	parked     fifo[bufferProducer]
	pending    fifo[bufferItem]
	maxPending int
}

func (m *bufferManager) run(self *actor.Mailbox[bufferMessage]) {
	for _, c := range m.consumers {
		m.idle.push(c)
	}
	for _, p := range m.producers {
		p.Send(produceMessage{})
	}
	for finished := 0; finished < len(m.producers) || m.idle.len() < len(m.consumers); {
		switch msg := self.Receive(); msg.kind {
		case bufferData:
			m.data(msg.data)
		case bufferAvailable:
			m.available(msg.consumer)
		case bufferProducerExit:
			finished++
		}
	}
	for _, c := range m.consumers {
		c.Send(consumeMessage{})
	}
}

func (m *bufferManager) data(d bufferItem) {
	if m.idle.len() == 0 {
		m.pending.push(d)
		m.maxPending = max(m.maxPending, m.pending.len())
	} else {
		m.idle.pop().Send(d)
	}
	if m.pending.len() >= m.capacity {
		m.parked.push(d.from)
	} else {
		d.from.Send(produceMessage{})
	}
}

func (m *bufferManager) available(c bufferConsumer) {
	if m.pending.len() == 0 {
		m.idle.push(c)
		return
	}
	c.Send(m.pending.pop())
	if m.parked.len() > 0 {
		m.parked.pop().Send(produceMessage{})
	}
}

func producerLoop(self bufferProducer, manager *actor.Mailbox[bufferMessage], items, cost int64) {
	item := 0.0
	for made := int64(1); ; made++ {
		self.Receive()
		if made > items {
			manager.Send(bufferMessage{kind: bufferProducerExit})
			return
		}
		item = process(item, cost)
		manager.Send(bufferMessage{kind: bufferData, data: bufferItem{item: item, seq: made, from: self}})
	}
}

func consumerLoop(self bufferConsumer, manager *actor.Mailbox[bufferMessage], cost int64) (end consumerEnd) {
	for {
		d := self.Receive()
		if d.from == nil {
			return end
		}
		end.item = process(end.item+d.item, cost)
		end.seqSum += d.seq
		end.items++
		manager.Send(bufferMessage{kind: bufferAvailable, consumer: self})
	}
}

// process is the work on one item. It adds the same number whenever cost is the same, and computes it every time.
func process(x float64, cost int64) float64 {
	rng := lcg.New(cost)
	for n := max(1, 100*cost); n > 0; n-- {
		x += math.Log(rng.Unit() + 0.01)
	}
	return x
}
