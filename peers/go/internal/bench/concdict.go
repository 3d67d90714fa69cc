package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var concdict = Benchmark{
	Name: "concdict",
	Parameters: []Parameter{
		{"workers", atLeast(1)}, {"requests", atLeast(0)}, {"write_pct", between(0, 100)}, {"entries", anyInteger()},
	},
	Relations: []Relation{{"entries", AtLeast, 1, "workers", 0}},
	Run:       runConcdict,
}

// A worker makes one request at a time: no more than one message waits for it, and one of each for the dictionary.
type (
	dictMailbox       = actor.Bounded[dictMessage]
	dictWorkerMailbox = actor.Bounded[dictWorkerMessage]
)

type dictMessage struct {
	kind       dictKind
	from       dictWorkerMailbox
	key, value int64
}

type dictKind uint8

const (
	dictRead dictKind = iota
	dictWrite
	dictEnd
)

type dictWorkerMessage struct {
	kind  dictWorkerKind
	value int64 // of dictResult
}

type dictWorkerKind uint8

const (
	dictDoWork dictWorkerKind = iota
	dictResult
)

// dictTotals is what a worker tells the master when it is done.
type dictTotals struct{ sum, writes, reads int64 }

func runConcdict(it *actor.Iteration, p Values) (Outcome, error) {
	workers, requests, writePct, entries := p.Int("workers"), p.Int("requests"), p.Int("write_pct"), p.Int("entries")
	table := make(map[int64]int64, entries)
	for key := int64(0); key < entries; key++ {
		table[key] = key
	}
	var size, sum int64
	it.ExpectLasting(1)
	dictionary := actor.NewBounded[dictMessage](it, workers)
	go func() {
		defer it.LeaveLasting()
		size, sum = dictActor(dictionary, table)
	}()

	it.Begin()
	var totals dictTotals
	it.Expect(1)
	actor.Spawn(it, func(self *actor.Mailbox[dictTotals]) {
		it.Expect(workers)
		for i := int64(0); i < workers; i++ {
			w := dictWorker{id: i, workers: workers, requests: requests, writePct: writePct, share: entries / workers}
			worker := actor.NewBounded[dictWorkerMessage](it, 1)
			go func() {
				defer it.Leave()
				self.Send(w.run(worker, dictionary))
			}()
			worker.Send(dictWorkerMessage{kind: dictDoWork})
		}
		for done := int64(0); done < workers; done++ {
			m := self.Receive()
			totals.sum += m.sum
			totals.writes += m.writes
			totals.reads += m.reads
		}
	})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	dictionary.Send(dictMessage{kind: dictEnd})
	if err := it.Finish(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: totals.sum,
		Checks: map[string]any{"writes": totals.writes, "reads": totals.reads, "map_size": size, "map_sum": sum},
	}, nil
}

func dictActor(self dictMailbox, table map[int64]int64) (size, sum int64) {
	for {
		switch m := self.Receive(); m.kind {
		case dictRead:
			value, found := table[m.key]
			if !found {
				actor.Fail("Dictionary has no key %d", m.key)
			}
			m.from.Send(dictWorkerMessage{kind: dictResult, value: value})
		case dictWrite:
			table[m.key] = m.value
			m.from.Send(dictWorkerMessage{kind: dictResult, value: m.value})
		case dictEnd:
			for _, value := range table {
				sum += value
			}
			return int64(len(table)), sum
		}
	}
}

type dictWorker struct{ id, workers, requests, writePct, share int64 }

func (w dictWorker) run(self dictWorkerMailbox, dictionary dictMailbox) (t dictTotals) {
	rng := lcg.New(w.id + w.requests + w.writePct)
	for sent := int64(0); ; sent++ {
		if m := self.Receive(); m.kind == dictResult {
			t.sum += m.value
		}
		if sent == w.requests {
			t.reads = w.requests - t.writes
			return t
		}
		write := rng.Scaled(100) < w.writePct
		request := dictMessage{kind: dictRead, from: self, key: rng.Below(w.share)*w.workers + w.id}
		if write {
			request.kind, request.value = dictWrite, rng.Next()
			t.writes++
		}
		dictionary.Send(request)
	}
}
