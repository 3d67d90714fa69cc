package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var bitonicsort = Benchmark{
	Name:       "bitonicsort",
	Parameters: []Parameter{{"n", powerOfTwoFrom(2)}, {"m", atLeast(1)}, {"s", anyInteger()}},
	Run:        runBitonicsort,
}

// flow is Value, or Exit if it is last.
type flow struct {
	v    int64
	last bool
}

type flowMailbox = *actor.Mailbox[flow]

// joined is Data from one input of a joiner, or Exit if it is last.
type joined struct {
	input int
	v     int64
	last  bool
}

type joiner = *actor.Mailbox[joined]

// bitonicStart is Start.
type bitonicStart struct{}

func runBitonicsort(it *actor.Iteration, p Values) (Outcome, error) {
	var arrived arrivals
	net := bitonicNet{it}
	it.Begin()
	it.Expect(1)
	validator := actor.Spawn(it, func(self flowMailbox) {
		for m := self.Receive(); !m.last; m = self.Receive() {
			arrived.add(m.v)
		}
	})
	first := net.build(int(p.Int("n")), validator)
	it.Expect(1)
	source := actor.Spawn(it, func(self *actor.Mailbox[bitonicStart]) {
		self.Receive()
		rng := lcg.New(p.Int("s"))
		for i := int64(0); i < p.Int("n"); i++ {
			first.Send(flow{v: rng.Next() % p.Int("m")})
		}
		first.Send(flow{last: true})
	})
	source.Send(bitonicStart{})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return arrived.outcome(), nil
}

// bitonicNet builds the network from its end to its beginning. Each function returns the entrance of the part that it has
// built.
type bitonicNet struct{ it *actor.Iteration }

func (net bitonicNet) build(n int, next flowMailbox) flowMailbox {
	next = net.forward(next)
	for length := 2; length <= n; length *= 2 {
		next = net.step(length, n/length, nil, next)
	}
	next = net.forward(next)
	for block := n / 2; block >= 2; block /= 2 {
		for length := 2; length <= block; length *= 2 {
			half := block / length
			up := func(worker int) bool { return worker/half%2 == 0 }
			next = net.step(length, n/block*half, up, net.forward(next))
		}
		next = net.forward(next)
	}
	return net.forward(next) // the kernel
}

// step makes one pass over the values; each of its workers compares within a part of the given length. If up is nil all
// parts are ascending.
func (net bitonicNet) step(length, workers int, up func(worker int) bool, next flowMailbox) flowMailbox {
	join := net.join(length, workers, next)
	parts := make([]flowMailbox, workers)
	for j := range parts {
		ascending := up == nil || up(j)
		if length > 2 {
			parts[j] = net.partition(j, length, ascending, join)
		} else {
			parts[j] = net.compare(j, ascending, join)
		}
	}
	return net.forward(net.split(length, parts))
}

// partition compares each of its first values with the one half a length later.
func (net bitonicNet) partition(worker, length int, up bool, outer joiner) flowMailbox {
	join := net.join(1, length/2, net.tag(worker, outer))
	compares := make([]flowMailbox, length/2)
	for o := range compares {
		compares[o] = net.compare(o, up, join)
	}
	return net.forward(net.split(1, compares))
}

// forward is Stage, Step, Partition, Untag and Kernel: it passes everything on.
func (net bitonicNet) forward(next flowMailbox) flowMailbox {
	net.it.Expect(1)
	return actor.Spawn(net.it, func(self flowMailbox) {
		for {
			m := self.Receive()
			next.Send(m)
			if m.last {
				return
			}
		}
	})
}

// split deals `each` values to every receiver in turn.
func (net bitonicNet) split(each int, receivers []flowMailbox) flowMailbox {
	net.it.Expect(1)
	return actor.Spawn(net.it, func(self flowMailbox) {
		receiver, dealt := 0, 0
		for m := self.Receive(); !m.last; m = self.Receive() {
			receivers[receiver].Send(m)
			if dealt++; dealt == each {
				dealt = 0
				if receiver++; receiver == len(receivers) {
					receiver = 0
				}
			}
		}
		for _, r := range receivers {
			r.Send(flow{last: true})
		}
	})
}

// join takes `each` values from every input in turn.
func (net bitonicNet) join(each, inputs int, next flowMailbox) joiner {
	net.it.Expect(1)
	return actor.Spawn(net.it, func(self joiner) {
		queues := make([]fifo[int64], inputs)
		input, taken := 0, 0
		for exits := 0; exits < inputs; {
			m := self.Receive()
			if m.last {
				exits++
				continue
			}
			queues[m.input].push(m.v)
			for queues[input].len() > 0 {
				next.Send(flow{v: queues[input].pop()})
				if taken++; taken == each {
					taken = 0
					if input++; input == inputs {
						input = 0
					}
				}
			}
		}
		next.Send(flow{last: true})
	})
}

// compare orders pairs of values.
func (net bitonicNet) compare(input int, up bool, next joiner) flowMailbox {
	net.it.Expect(1)
	return actor.Spawn(net.it, func(self flowMailbox) {
		for a := self.Receive(); !a.last; a = self.Receive() {
			b := self.Receive()
			if b.last {
				actor.Fail("Compare %d received a value without a partner", input)
			}
			if (a.v <= b.v) != up {
				a, b = b, a
			}
			next.Send(joined{input: input, v: a.v})
			next.Send(joined{input: input, v: b.v})
		}
		next.Send(joined{last: true})
	})
}

// tag turns the stream of an inner joiner into an input of the outer one.
func (net bitonicNet) tag(input int, next joiner) flowMailbox {
	net.it.Expect(1)
	return actor.Spawn(net.it, func(self flowMailbox) {
		for m := self.Receive(); !m.last; m = self.Receive() {
			next.Send(joined{input: input, v: m.v})
		}
		next.Send(joined{last: true})
	})
}
