package bench

import (
	"fmt"
	"math"
	"time"

	"scoville/peer/internal/actor"
)

var pairs = Benchmark{
	Name: "pairs",
	Parameters: []Parameter{
		{"pairs", atLeast(1)}, {"mode", oneOf("fixed", "timed")}, {"rounds", atLeast(1)}, {"seconds", atLeast(1)},
		{"report", atLeast(1)}, {"size", atLeast(1)}, {"payload", oneOf("copy", "share")},
	},
	Run: runPairs,
}

type pairServer = *actor.Mailbox[pairServerMessage]

type pairServerMessage struct {
	kind    pairServerKind
	payload []byte // of pairReply
}

type pairServerKind uint8

const (
	pairStart pairServerKind = iota
	pairReply
	pairHalt
)

// pairClientMessage is Data, or Stop if it carries no payload.
type pairClientMessage struct{ payload []byte }

type aggregatorMessage struct {
	finished bool
	server   int   // of Finished
	n        int64 // exchanges since the last Report; in Finished all of them
	hash     int64 // of Finished
}

// aggregatorEnd is what the aggregator reports.
type aggregatorEnd struct {
	total, hashSum int64
	exchanges      []int64 // by pair
}

func runPairs(it *actor.Iteration, p Values) (Outcome, error) {
	timed := p.Word("mode") == "timed"
	n := p.Int("pairs")
	var end aggregatorEnd
	it.Expect(n + 1)
	aggregator := actor.Spawn(it, func(self *actor.Mailbox[aggregatorMessage]) { end = aggregatorActor(self, n) })
	servers := make([]pairServer, n)
	for i := range servers {
		s := pairState{
			it: it, aggregator: aggregator, number: i, rounds: p.Int("rounds"), report: p.Int("report"),
			size: p.Int("size"), share: p.Word("payload") == "share",
		}
		if timed {
			s.rounds = math.MaxInt64
		}
		servers[i] = actor.Spawn(it, s.serve)
	}

	it.Begin()
	for _, to := range servers {
		to.Send(pairServerMessage{kind: pairStart})
	}
	if timed {
		span := time.Duration(min(p.Int("seconds"), math.MaxInt64/int64(time.Second))) * time.Second
		if err := actor.Await(it, time.After(span)); err != nil {
			return Outcome{}, err
		}
		for _, to := range servers {
			to.Send(pairServerMessage{kind: pairHalt})
		}
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	if err := end.verify(); err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{
		Result:   end.total,
		Metrics:  map[string]any{"throughput": Float(float64(end.total) * 60 / it.Wall().Seconds())},
		PerActor: map[string][]int64{"n": end.exchanges},
	}
	if !timed {
		outcome.Checks = map[string]any{"hashsum": end.hashSum}
	}
	return outcome, nil
}

func (e *aggregatorEnd) verify() error {
	sum := int64(0)
	for i, n := range e.exchanges {
		if n < 1 {
			return fmt.Errorf("pair %d made %d exchanges; it must make at least one", i, n)
		}
		sum += n
	}
	if sum != e.total {
		return fmt.Errorf("the pairs made %d exchanges; their reports add up to %d", sum, e.total)
	}
	return nil
}

func aggregatorActor(self *actor.Mailbox[aggregatorMessage], n int64) (end aggregatorEnd) {
	end.exchanges = make([]int64, n)
	for finished := int64(0); finished < n; {
		m := self.Receive()
		if !m.finished {
			end.total += m.n
			continue
		}
		finished++
		end.exchanges[m.server] = m.n
		end.hashSum += m.hash
	}
	return end
}

// pairState is what a server knows from the beginning.
type pairState struct {
	it                   *actor.Iteration
	aggregator           *actor.Mailbox[aggregatorMessage]
	number               int
	rounds, report, size int64
	share                bool
}

func (s pairState) serve(self pairServer) {
	var client *actor.Mailbox[pairClientMessage]
	unreported, halted := int64(0), false
	for n := int64(0); ; {
		m := self.Receive()
		switch m.kind {
		case pairStart:
			s.it.Expect(1)
			client = actor.Spawn(s.it, func(client *actor.Mailbox[pairClientMessage]) { s.request(client, self) })
			client.Send(pairClientMessage{payload: freshPayload(s.size)})
			continue
		case pairHalt:
			halted = true
			continue
		}
		payload := passOn(m.payload, n%s.size, s.share)
		n++
		unreported++
		last := halted || n == s.rounds
		if unreported == s.report || last {
			s.aggregator.Send(aggregatorMessage{n: unreported})
			unreported = 0
		}
		if last {
			client.Send(pairClientMessage{})
			hash := checksumOf(payload)
			s.aggregator.Send(aggregatorMessage{finished: true, server: s.number, n: n, hash: hash})
			return
		}
		client.Send(pairClientMessage{payload: payload})
	}
}

func (s pairState) request(self *actor.Mailbox[pairClientMessage], server pairServer) {
	for n := int64(0); ; n++ {
		m := self.Receive()
		if m.payload == nil {
			return
		}
		server.Send(pairServerMessage{kind: pairReply, payload: passOn(m.payload, n%s.size, s.share)})
	}
}
