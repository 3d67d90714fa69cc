package bench

import "scoville/peer/internal/actor"

var sieve = Benchmark{
	Name:       "sieve",
	Parameters: []Parameter{{"n", atLeast(3)}, {"m", atLeast(1)}},
	Run:        runSieve,
}

// sieveMessage is Candidate, or Exit if it carries totals.
type sieveMessage struct {
	x    int64
	exit *sieveTotals
}

type sieveFilter = *actor.Mailbox[sieveMessage]

// sieveStart is Start.
type sieveStart struct{ first sieveFilter }

type sieveTotals struct{ count, sum, filters int64 }

func runSieve(it *actor.Iteration, p Values) (Outcome, error) {
	s := sieveRun{it: it, most: int(p.Int("m"))}
	it.Begin()
	it.Expect(1)
	producer := actor.Spawn(it, func(self *actor.Mailbox[sieveStart]) {
		first := self.Receive().first
		for x := int64(3); x < p.Int("n"); x += 2 {
			first.Send(sieveMessage{x: x})
		}
		first.Send(sieveMessage{exit: new(sieveTotals)})
	})
	producer.Send(sieveStart{first: s.spawn(1, 2)})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: s.end.count, Checks: map[string]any{"sum": s.end.sum, "filters": s.end.filters}}, nil
}

// sieveRun is what the filters have in common; the last of them writes the end.
type sieveRun struct {
	it   *actor.Iteration
	most int // primes per filter
	end  sieveTotals
}

func (s *sieveRun) spawn(id, prime int64) sieveFilter {
	s.it.Expect(1)
	return actor.Spawn(s.it, func(self sieveFilter) { s.filter(self, id, prime) })
}

func (s *sieveRun) filter(self sieveFilter, id, prime int64) {
	primes := []int64{prime}
	var next sieveFilter
	for {
		m := self.Receive()
		switch {
		case m.exit != nil:
			totals := sieveTotals{count: m.exit.count + int64(len(primes)), sum: m.exit.sum, filters: id}
			for _, q := range primes {
				totals.sum += q
			}
			if next != nil {
				next.Send(sieveMessage{exit: &totals})
			} else {
				s.end = totals
			}
			return
		case divisible(m.x, primes):
		case next != nil:
			next.Send(m)
		case len(primes) < s.most:
			primes = append(primes, m.x)
		default:
			next = s.spawn(id+1, m.x)
		}
	}
}

// divisible tries the primes in order until one divides x.
func divisible(x int64, primes []int64) bool {
	for _, q := range primes {
		if x%q == 0 {
			return true
		}
	}
	return false
}
