package bench

import "scoville/peer/internal/actor"

var pingpong = Benchmark{
	Name:       "pingpong",
	Parameters: []Parameter{{"pings", atLeast(1)}},
	Run:        runPingpong,
}

// One message is under way at any time.
type (
	pinger = actor.Bounded[pingMessage]
	ponger = actor.Bounded[pongMessage]
)

type pingMessage struct {
	kind pingKind
	from ponger
	n    int64
}

type pingKind uint8

const (
	pingStart pingKind = iota
	pingNext
	pingBack
)

type pongMessage struct {
	kind pongKind
	from pinger
	n    int64
}

type pongKind uint8

const (
	pongBall pongKind = iota
	pongStop
)

func runPingpong(it *actor.Iteration, p Values) (Outcome, error) {
	var sum, pongs int64
	it.Begin()
	it.Expect(2)
	ping, pong := actor.NewBounded[pingMessage](it, 1), actor.NewBounded[pongMessage](it, 1)
	go func() {
		defer it.Leave()
		pongs = pongActor(pong)
	}()
	go func() {
		defer it.Leave()
		sum = pingActor(ping, pong, p.Int("pings"))
	}()
	ping.Send(pingMessage{kind: pingStart})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: sum, Checks: map[string]any{"pongs": pongs}}, nil
}

func pingActor(self pinger, pong ponger, left int64) (sum int64) {
	for {
		switch m := self.Receive(); m.kind {
		case pingStart, pingNext:
			pong.Send(pongMessage{kind: pongBall, from: self, n: left})
			left--
		case pingBack:
			if m.n != left+1 {
				actor.Fail("Ping received %d; it expected %d", m.n, left+1)
			}
			sum += m.n
			if left == 0 {
				pong.Send(pongMessage{kind: pongStop})
				return sum
			}
			self.Send(pingMessage{kind: pingNext})
		}
	}
}

func pongActor(self ponger) (count int64) {
	for {
		switch m := self.Receive(); m.kind {
		case pongBall:
			count++
			m.from.Send(pingMessage{kind: pingBack, from: self, n: m.n})
		case pongStop:
			return count
		}
	}
}
