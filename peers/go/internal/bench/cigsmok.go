package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var cigsmok = Benchmark{
	Name:       "cigsmok",
	Parameters: []Parameter{{"rounds", atLeast(1)}, {"smokers", atLeast(1)}},
	Run:        runCigsmok,
}

// smokeMessage is Smoke with its amount of work, or Exit if there is none.
type smokeMessage struct{ work int64 }

// arbiterMessage is Start from the driver or Started from a smoker.
type arbiterMessage uint8

const (
	arbiterStart arbiterMessage = iota
	arbiterStarted
)

// smokerEnd is what a smoker reports.
type smokerEnd struct{ smoked, busySum int64 }

func runCigsmok(it *actor.Iteration, p Values) (Outcome, error) {
	rounds, ends := p.Int("rounds"), make([]smokerEnd, p.Int("smokers"))
	it.Begin()
	it.Expect(1)
	arbiter := actor.Spawn(it, func(self *actor.Mailbox[arbiterMessage]) {
		smokers := make([]*actor.Mailbox[smokeMessage], len(ends))
		it.Expect(int64(len(ends)))
		for i := range smokers {
			end := &ends[i]
			smokers[i] = actor.Spawn(it, func(smoker *actor.Mailbox[smokeMessage]) { *end = smokerActor(smoker, self) })
		}
		arbiterActor(self, smokers, rounds)
	})
	arbiter.Send(arbiterStart)
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	var result, busySum int64
	smoked := make([]int64, len(ends))
	for i, e := range ends {
		result += int64(i+1) * e.smoked
		busySum += e.busySum
		smoked[i] = e.smoked
	}
	return Outcome{
		Result:   result,
		Checks:   map[string]any{"busy_sum": busySum},
		PerActor: map[string][]int64{"smoked": smoked},
	}, nil
}

func arbiterActor(self *actor.Mailbox[arbiterMessage], smokers []*actor.Mailbox[smokeMessage], rounds int64) {
	n := int64(len(smokers))
	rng := lcg.New(rounds * n)
	for chosen := int64(0); ; chosen++ {
		want := arbiterStarted
		if chosen == 0 {
			want = arbiterStart
		}
		if m := self.Receive(); m != want {
			actor.Fail("Arbiter received message kind %d after choosing %d smokers", m, chosen)
		}
		if chosen == rounds {
			break
		}
		i := rng.Scaled(n)
		smokers[i].Send(smokeMessage{work: rng.Below(1000) + 10})
	}
	for _, s := range smokers {
		s.Send(smokeMessage{})
	}
}

func smokerActor(self *actor.Mailbox[smokeMessage], arbiter *actor.Mailbox[arbiterMessage]) (end smokerEnd) {
	for {
		m := self.Receive()
		if m.work == 0 {
			return end
		}
		arbiter.Send(arbiterStarted)
		end.smoked++
		end.busySum += lcg.Busy(m.work)
	}
}
