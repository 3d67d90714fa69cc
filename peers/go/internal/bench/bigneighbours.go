package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var bigneighbours = Benchmark{
	Name:       "bigneighbours",
	Parameters: []Parameter{{"workers", atLeast(1)}, {"hood", atLeast(1)}, {"pings", atLeast(1)}},
	Run:        runBigneighbours,
}

type neighbour = *actor.Mailbox[neighbourMessage]

type neighbourMessage struct {
	kind  neighbourKind
	local int64       // of neighbourPing and neighbourPong: the sender's number in its neighbourhood
	from  neighbour   // of neighbourPing
	hood  []neighbour // of neighbourNeighbours; shared and never changed
}

type neighbourKind uint8

const (
	neighbourNeighbours neighbourKind = iota
	neighbourPing
	neighbourPong
	neighbourStop
)

type hoodSinkMessage struct {
	kind    hoodSinkKind
	workers []neighbour // of hoodWorkers; shared and never changed
	totals  hoodTotals  // of hoodStopped
}

type hoodSinkKind uint8

const (
	hoodWorkers hoodSinkKind = iota
	hoodExit
	hoodStopped
)

type hoodTotals struct{ pings, pongs, weighted, errors int64 }

func runBigneighbours(it *actor.Iteration, p Values) (Outcome, error) {
	workers := make([]neighbour, p.Int("workers"))
	var totals hoodTotals
	it.Begin()
	it.Expect(int64(len(workers)) + 1)
	sink := actor.Spawn(it, func(self *actor.Mailbox[hoodSinkMessage]) { totals = hoodSink(self, len(workers)) })
	hoodOf := neighbourhoods(int64(len(workers)), p.Int("hood"))
	for i := range workers {
		g := int64(i)
		first, _ := hoodOf(g)
		workers[i] = actor.Spawn(it, func(self neighbour) { neighbourActor(self, sink, g, g-first, p.Int("pings")) })
	}
	sink.Send(hoodSinkMessage{kind: hoodWorkers, workers: workers})
	for i, to := range workers {
		first, last := hoodOf(int64(i))
		to.Send(neighbourMessage{kind: neighbourNeighbours, hood: workers[first:last]})
	}
	for _, to := range workers {
		to.Send(neighbourMessage{kind: neighbourPong, local: -1})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: totals.weighted,
		Checks: map[string]any{"pings": totals.pings, "pongs": totals.pongs, "errors": totals.errors},
	}, nil
}

// neighbourhoods returns a function that tells the first member of a worker's neighbourhood and the one behind its last.
// The last neighbourhood takes the workers that are left.
func neighbourhoods(workers, size int64) func(g int64) (first, last int64) {
	hoods := max(1, workers/size)
	return func(g int64) (first, last int64) {
		k := min(g/size, hoods-1)
		if k == hoods-1 {
			return k * size, workers
		}
		return k * size, (k + 1) * size
	}
}

func neighbourActor(self neighbour, sink *actor.Mailbox[hoodSinkMessage], g, local, pings int64) {
	var (
		hood   []neighbour
		totals hoodTotals
		sent   int64
	)
	targets, expected := lcg.New(g), int64(-1)
	for {
		switch m := self.Receive(); m.kind {
		case neighbourNeighbours:
			hood = m.hood
		case neighbourPing:
			totals.pings++
			m.from.Send(neighbourMessage{kind: neighbourPong, local: local})
		case neighbourPong:
			if m.local != expected {
				totals.errors++
			}
			if m.local >= 0 {
				totals.pongs++
			}
			if sent == pings {
				sink.Send(hoodSinkMessage{kind: hoodExit})
				continue
			}
			expected = targets.Below(int64(len(hood)))
			sent++
			hood[expected].Send(neighbourMessage{kind: neighbourPing, local: local, from: self})
		case neighbourStop:
			totals.weighted = totals.pings * (g%97 + 1)
			sink.Send(hoodSinkMessage{kind: hoodStopped, totals: totals})
			return
		}
	}
}

func hoodSink(self *actor.Mailbox[hoodSinkMessage], n int) (totals hoodTotals) {
	var workers []neighbour
	for exits, stopped := 0, 0; stopped < n; {
		switch m := self.Receive(); m.kind {
		case hoodWorkers:
			workers = m.workers
		case hoodExit:
			if exits++; exits == n {
				for _, to := range workers {
					to.Send(neighbourMessage{kind: neighbourStop})
				}
			}
		case hoodStopped:
			stopped++
			totals.pings += m.totals.pings
			totals.pongs += m.totals.pongs
			totals.weighted += m.totals.weighted
			totals.errors += m.totals.errors
		}
	}
	return totals
}
