package bench

import "scoville/peer/internal/actor"

var philosopher = Benchmark{
	Name:       "philosopher",
	Parameters: []Parameter{{"philosophers", atLeast(1)}, {"rounds", atLeast(1)}},
	Run:        runPhilosopher,
}

// philosopherMessage is Start, Eat or Denied.
type philosopherMessage uint8

const (
	philosopherStart philosopherMessage = iota
	philosopherEat
	philosopherDenied
)

// A philosopher waits for the answer before it asks again: no more than one message waits for it, and two of each for the
// arbitrator, Done and what follows it.
type (
	philosopherMailbox = actor.Bounded[philosopherMessage]
	arbitratorMailbox  = actor.Bounded[arbitratorMessage]
)

type arbitratorMessage struct {
	kind   arbitratorKind
	from   philosopherMailbox // of arbitratorHungry
	id     int64              // of arbitratorHungry and arbitratorDone
	denied int64              // of arbitratorExit
}

type arbitratorKind uint8

const (
	arbitratorHungry arbitratorKind = iota
	arbitratorDone
	arbitratorExit
)

// arbitratorEnd is what the arbitrator reports.
type arbitratorEnd struct {
	meals                     []int64 // by philosopher
	retries, errors, messages int64
}

func runPhilosopher(it *actor.Iteration, p Values) (Outcome, error) {
	n, rounds := p.Int("philosophers"), p.Int("rounds")
	var end arbitratorEnd
	denied := make([]int64, n)
	it.Begin()
	it.Expect(n + 1)
	arbitrator := actor.NewBounded[arbitratorMessage](it, 2*n)
	go func() {
		defer it.Leave()
		end = arbitratorActor(arbitrator, n)
	}()
	philosophers := make([]philosopherMailbox, n)
	for i := range philosophers {
		id, self := int64(i), actor.NewBounded[philosopherMessage](it, 1)
		philosophers[i] = self
		go func() {
			defer it.Leave()
			denied[id] = philosopherActor(self, arbitrator, id, rounds)
		}()
	}
	for _, to := range philosophers {
		to.Send(philosopherStart)
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	result := int64(0)
	for i, meals := range end.meals {
		result += int64(i+1) * meals
	}
	return Outcome{
		Result:   result,
		Checks:   map[string]any{"errors": end.errors},
		Metrics:  map[string]any{"retries": end.retries, "arbitrator_messages": end.messages},
		PerActor: map[string][]int64{"denied": denied},
	}, nil
}

// arbitratorActor lends the forks: philosopher i uses the forks i and i+1, and the last one the forks n-1 and 0.
func arbitratorActor(self arbitratorMailbox, n int64) (end arbitratorEnd) {
	taken := make([]bool, n)
	end.meals = make([]int64, n)
	for exited := int64(0); exited < n; {
		m := self.Receive()
		end.messages++
		left, right := m.id, m.id+1
		if right == n {
			right = 0
		}
		switch m.kind {
		case arbitratorHungry:
			if taken[left] || taken[right] {
				m.from.Send(philosopherDenied)
				continue
			}
			taken[left], taken[right] = true, true
			end.meals[m.id]++
			m.from.Send(philosopherEat)
		case arbitratorDone:
			if !taken[left] || !taken[right] {
				end.errors++
			}
			taken[left], taken[right] = false, false
		case arbitratorExit:
			exited++
			end.retries += m.denied
		}
	}
	for _, t := range taken {
		if t {
			end.errors++
		}
	}
	return end
}

func philosopherActor(
	self philosopherMailbox, arbitrator arbitratorMailbox, id, rounds int64,
) (denied int64) {
	eaten := int64(0)
	for {
		switch self.Receive() {
		case philosopherStart:
			arbitrator.Send(arbitratorMessage{kind: arbitratorHungry, from: self, id: id})
		case philosopherDenied:
			denied++
			arbitrator.Send(arbitratorMessage{kind: arbitratorHungry, from: self, id: id})
		case philosopherEat:
			eaten++
			arbitrator.Send(arbitratorMessage{kind: arbitratorDone, id: id})
			if eaten == rounds {
				arbitrator.Send(arbitratorMessage{kind: arbitratorExit, denied: denied})
				return denied
			}
			self.Send(philosopherStart)
		}
	}
}
