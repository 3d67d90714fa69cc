package bench

import "scoville/peer/internal/actor"

var fannkuch = Benchmark{
	Name:       "fannkuch",
	Parameters: []Parameter{{"n", between(2, 15)}, {"chunks", atLeast(1)}},
	Run:        runFannkuch,
}

// flipTask is Task: the number of a chunk of permutations.
type flipTask struct{ task int64 }

// flipReport is Report, or Start if it comes from no worker.
type flipReport struct {
	done                  bool
	checksum, most, flips int64
}

func runFannkuch(it *actor.Iteration, p Values) (Outcome, error) {
	n := int(p.Int("n"))
	all := factorials(n)[n]
	chunk := (all-1)/p.Int("chunks") + 1
	tasks := (all-1)/chunk + 1
	var total flipReport
	it.Begin()
	it.Expect(1)
	manager := actor.Spawn(it, func(self *actor.Mailbox[flipReport]) {
		for reports := int64(0); reports < tasks; {
			m := self.Receive()
			if m.done {
				reports++
				total.checksum += m.checksum
				total.most = max(total.most, m.most)
				total.flips += m.flips
				continue
			}
			it.Expect(tasks)
			for task := int64(0); task < tasks; task++ {
				worker := actor.Spawn(it, func(worker *actor.Mailbox[flipTask]) {
					low := worker.Receive().task * chunk
					self.Send(flipAll(n, low, min(all, low+chunk)))
				})
				worker.Send(flipTask{task: task})
			}
		}
	})
	manager.Send(flipReport{})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: total.checksum, Checks: map[string]any{"maxflips": total.most, "flips": total.flips}}, nil
}

func factorials(n int) []int64 {
	f := make([]int64, n+1)
	f[0] = 1
	for i := 1; i <= n; i++ {
		f[i] = f[i-1] * int64(i)
	}
	return f
}

// flipAll flips the permutations with numbers from low up to but not high.
func flipAll(n int, low, high int64) flipReport {
	r := flipReport{done: true}
	p := newPermutation(n, low)
	scratch := make([]int, n)
	for index := low; index < high; index++ {
		flips := int64(0)
		if p.entries[0] != 0 {
			copy(scratch, p.entries)
			flips = flipsOf(scratch)
		}
		r.flips += flips
		r.most = max(r.most, flips)
		if index%2 == 0 {
			r.checksum += flips
		} else {
			r.checksum -= flips
		}
		if index < high-1 {
			p.advance()
		}
	}
	return r
}

// flipsOf reverses as many first entries as the first of them says, and one more, until that is 0.
func flipsOf(q []int) (flips int64) {
	for first := q[0]; first != 0; first = q[0] {
		for i, j := 0, first; i < j; i, j = i+1, j-1 {
			q[i], q[j] = q[j], q[i]
		}
		flips++
	}
	return flips
}

// permutation enumerates the permutations of 0..n-1 by rotations.
type permutation struct{ entries, count []int }

// newPermutation makes the permutation with the given number.
func newPermutation(n int, number int64) permutation {
	p := permutation{entries: make([]int, n), count: make([]int, n)}
	for i := range p.entries {
		p.entries[i] = i
	}
	f := factorials(n)
	rotated := make([]int, n)
	for i := n - 1; i > 0; i-- {
		d := int(number / f[i])
		number %= f[i]
		p.count[i] = d
		for j := range p.entries[:i+1] {
			rotated[j] = p.entries[(j+d)%(i+1)]
		}
		copy(p.entries, rotated[:i+1])
	}
	return p
}

// advance makes the next permutation; it must not be called after the last one.
func (p *permutation) advance() {
	for i := 1; ; i++ {
		first := p.entries[0]
		for j := 0; j < i; j++ {
			p.entries[j] = p.entries[j+1]
		}
		p.entries[i] = first
		p.count[i]++
		if p.count[i] <= i {
			return
		}
		p.count[i] = 0
	}
}
