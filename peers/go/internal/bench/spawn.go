package bench

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"scoville/peer/internal/actor"
)

var spawn = Benchmark{
	Name:       "spawn",
	Parameters: []Parameter{{"n", atLeast(1)}},
	Run:        runSpawn,
}

// dormantMessage is Wake, or the driver's request to stop.
type dormantMessage uint8

// dormantMailbox is an actor's that waits: it has answered Wake before the driver asks it to stop.
type dormantMailbox = actor.Bounded[dormantMessage]

const (
	dormantWake dormantMessage = iota
	dormantStop
)

// awakeMessage is Awake: the number of the actor that is.
type awakeMessage struct{ id int64 }

func runSpawn(it *actor.Iteration, p Values) (Outcome, error) {
	n := p.Int("n")
	var count, sum int64
	finished := make(chan struct{})
	it.ExpectLasting(1)
	tally := actor.SpawnLasting(it, func(self *actor.Mailbox[awakeMessage]) {
		for count < n {
			sum += self.Receive().id
			count++
		}
		close(finished)
	})
	if err := spawnOne(); err != nil {
		return Outcome{}, err
	}
	actors := make([]dormantMailbox, n)
	// Memory that is free stays with the process: given back here, it would be fetched again on the clock.
	runtime.GC()
	runtime.GC()
	before, err := residentBytes()
	if err != nil {
		return Outcome{}, err
	}

	it.Begin()
	it.ExpectLasting(n)
	for i := range actors {
		id, self := int64(i), actor.NewBounded[dormantMessage](it, 1)
		actors[i] = self
		go func() {
			defer it.LeaveLasting()
			dormantActor(self, tally, id)
		}()
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}

	runtime.GC()
	debug.FreeOSMemory() // collects, too
	time.Sleep(100 * time.Millisecond)
	dormant, err := residentBytes()
	if err != nil {
		return Outcome{}, err
	}
	woken := time.Now()
	for _, to := range actors {
		to.Send(dormantWake)
	}
	if err := actor.Await(it, finished); err != nil {
		return Outcome{}, err
	}
	wake := time.Since(woken)
	awake, err := residentBytes()
	if err != nil {
		return Outcome{}, err
	}
	for _, to := range actors {
		actor.Dismiss(it, to, dormantStop)
	}
	if err := it.Finish(); err != nil {
		return Outcome{}, err
	}
	perActor := func(bytes int64) Float { return Float(float64(bytes-before) / float64(n)) }
	return Outcome{
		Result: sum,
		Checks: map[string]any{"awake": count},
		Metrics: map[string]any{
			"t_spawn": it.Wall().Nanoseconds(), "t_wake": wake.Nanoseconds(),
			"bytes_dormant": perActor(dormant), "bytes_awake": perActor(awake),
		},
	}, nil
}

func dormantActor(self dormantMailbox, tally *actor.Mailbox[awakeMessage], id int64) {
	for self.Receive() != dormantStop {
		tally.Send(awakeMessage{id: id})
	}
}

// spawnOne creates an actor and waits until it has stopped.
func spawnOne() error {
	it := actor.NewIteration(func() {}, func() {}, false)
	it.Expect(1)
	one := actor.NewBounded[dormantMessage](it, 1)
	go func() {
		defer it.Leave()
		one.Receive()
	}()
	one.Send(dormantStop)
	return it.Wait()
}

// residentBytes is the resident set size of this process, from the kernel.
func residentBytes() (int64, error) {
	const file = "/proc/self/statm"
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("cannot tell the resident memory: %w", err)
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, fmt.Errorf("cannot tell the resident memory: %s holds %q", file, text)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("cannot tell the resident memory: %s: %w", file, err)
	}
	return pages * int64(os.Getpagesize()), nil
}
