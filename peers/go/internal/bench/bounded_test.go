package bench

import (
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"scoville/peer/internal/actor"
)

// bounded draws parameters of the benchmarks that have bounded mailboxes.
var bounded = []struct {
	benchmark Benchmark
	draw      func(r *rand.Rand) Values
}{
	{pingpong, func(r *rand.Rand) Values { return Values{"pings": some(r, 1)} }},
	{threadring, func(r *rand.Rand) Values { return Values{"actors": some(r, 1), "hops": some(r, 0)} }},
	{fib, func(r *rand.Rand) Values { return Values{"index": 1 + r.Int63n(12)} }},
	{fjcreate, func(r *rand.Rand) Values { return Values{"actors": some(r, 1)} }},
	{chameneos, func(r *rand.Rand) Values { return Values{"creatures": some(r, 2), "meetings": some(r, 0)} }},
	{chameneosfair, func(r *rand.Rand) Values { return Values{"creatures": some(r, 2), "meetings": some(r, 1)} }},
	{concdict, func(r *rand.Rand) Values {
		workers := some(r, 1)
		return Values{
			"workers": workers, "requests": some(r, 0), "write_pct": r.Int63n(101), "entries": workers + some(r, 0),
		}
	}},
	{concsll, func(r *rand.Rand) Values {
		writes := r.Int63n(50)
		return Values{
			"workers": some(r, 1), "requests": some(r, 0), "write_pct": writes, "size_pct": r.Int63n(100 - 2*writes),
		}
	}},
	{philosopher, func(r *rand.Rand) Values { return Values{"philosophers": some(r, 1), "rounds": some(r, 1)} }},
	{sor, func(r *rand.Rand) Values {
		return Values{"size": 3 + r.Int63n(10), "it": some(r, 2), "omega": r.Float64() * 2, "seed": r.Int63()}
	}},
}

// some draws a size, half of the time one of the three smallest.
func some(r *rand.Rand, least int64) int64 {
	return least + r.Int63n([]int64{3, 60}[r.Intn(2)])
}

// onEach runs test with one processor, where actors take turns, and with more than the machine may have.
func onEach(t *testing.T, test func(t *testing.T)) {
	for name, processors := range map[string]int{"one processor": 1, "eight processors": 8} {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			test(t)
		})
	}
}

// A message that finds no room fails the iteration, and an audited one lets messages wait as long as they can.
func TestThereIsRoomForAllMessagesAtAnySize(t *testing.T) {
	onEach(t, func(t *testing.T) {
		seed := rand.Int63()
		r := rand.New(rand.NewSource(seed))
		for _, b := range bounded {
			for i := 0; i < 50; i++ {
				p := b.draw(r)
				it := actor.NewIteration(func() {}, func() {}, true)
				if _, err := b.benchmark.Run(it, p); err != nil {
					t.Fatalf("seed %d: %s with %v: %v", seed, b.benchmark.Name, p, err)
				}
				if _, err := it.Work(); err != nil {
					t.Fatalf("seed %d: %s with %v: %v", seed, b.benchmark.Name, p, err)
				}
			}
		}
	})
}

// With one place less than the programs give, a message finds none, whoever sends it.
func TestTooLittleRoomFailsTheIteration(t *testing.T) {
	const n = 3
	for name, actors := range map[string]func(it *actor.Iteration){
		"threadring": func(it *actor.Iteration) {
			it.Expect(2)
			first := startBounded(it, ringRoom-1, func(self ringLink) { ringActor(self, 0, 1, new(ringEnd)) })
			startBounded(it, 1, func(actor.Bounded[struct{}]) {
				first.Send(ringMessage{kind: ringData, next: first})
				first.Send(ringMessage{kind: ringToken, k: 5})
			})
		},
		"fib": func(it *actor.Iteration) {
			it.Expect(2)
			parent := actor.NewBounded[fibMessage](it, fibRoom-1) // receives too late
			spawnFib(it, parent).Send(fibMessage{kind: fibRequest, n: 1})
			spawnFib(it, parent).Send(fibMessage{kind: fibRequest, n: 1})
		},
		"chameneos": func(it *actor.Iteration) {
			it.Expect(1)
			startBounded(it, n-1, func(self mallMailbox) { mallActor(it, self, n, 100) })
		},
		"chameneosfair": func(it *actor.Iteration) {
			it.Expect(1 + n)
			p := meetingPlace{left: 100, meetings: make([]int64, n)}
			place := startBounded(it, n-1, p.run)
			for i := int64(0); i < n; i++ {
				id := i
				visitor := startBounded(it, 1, func(self visitor) { visitorActor(self, place, id) })
				visitor.Send(visitorMessage{kind: visitorRun})
			}
		},
		"concdict": func(it *actor.Iteration) {
			it.Expect(1 + n)
			table := map[int64]int64{0: 0, 1: 1, 2: 2}
			dictionary := startBounded(it, n-1, func(self dictMailbox) { dictActor(self, table) })
			for i := int64(0); i < n; i++ {
				w := dictWorker{id: i, workers: n, requests: 100, share: 1}
				worker := startBounded(it, 1, func(self dictWorkerMailbox) { w.run(self, dictionary) })
				worker.Send(dictWorkerMessage{kind: dictDoWork})
			}
		},
		"concsll": func(it *actor.Iteration) {
			it.Expect(1 + n)
			list := startBounded(it, n-1, func(self listMailbox) { listActor(self) })
			for i := int64(0); i < n; i++ {
				w := listWorker{id: i, workers: n, requests: 100}
				worker := startBounded(it, 1, func(self listWorkerMailbox) { w.run(self, list) })
				worker.Send(listWorkerMessage{kind: listDoWork})
			}
		},
		"sor": func(it *actor.Iteration) {
			it.Expect(2)
			s := relaxation{it: it, side: 3, iterations: 2, start: make([]float64, 9)}
			middle := startBounded(it, cellRoom-1, func(self cell) { s.cell(self, nil, 1, 1) })
			startBounded(it, 1, func(self cell) {
				middle.Send(cellMessage{neighbours: []cell{self, self, self, self}})
				for i := 0; i < 4; i++ {
					middle.Send(cellMessage{v: 1})
				}
			})
		},
		"philosopher": func(it *actor.Iteration) {
			it.Expect(2)
			arbitrator := startBounded(it, 1, func(self arbitratorMailbox) { arbitratorActor(self, 1) })
			alone := startBounded(it, 1, func(self philosopherMailbox) { philosopherActor(self, arbitrator, 0, 100) })
			alone.Send(philosopherStart)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // actors run on until they wait, or let others run
			it := actor.NewIteration(func() {}, func() {}, true)
			actors(it)
			if err := it.Wait(); err == nil || !strings.Contains(err.Error(), "is full") {
				t.Errorf("the iteration ended with %v; want a mailbox that is full", err)
			}
		})
	}
}

// An actor that waits is made of a channel, a closure, and what the runtime keeps of a goroutine that waits at a channel.
// Goroutines that have ended are used again.
func TestADormantActorCostsThreeAllocations(t *testing.T) {
	const n = 1000
	var before, after runtime.MemStats
	for i := 0; i < 2; i++ {
		it := actor.NewIteration(func() { runtime.ReadMemStats(&before) }, func() { runtime.ReadMemStats(&after) }, false)
		if _, err := spawn.Run(it, Values{"n": int64(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if each := float64(after.Mallocs-before.Mallocs) / n; each > 3.5 {
		t.Errorf("%v allocations for each actor; want 3", each)
	}
}
