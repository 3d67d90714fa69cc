package bench

import "scoville/peer/internal/actor"

var pingpong = Benchmark{
	Name:       "pingpong",
	Parameters: []Parameter{{"pings", atLeast(1)}},
	Run:        runPingpong,
}

type pingMessage struct {
	kind pingKind
	from *actor.Mailbox[pongMessage]
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
	from *actor.Mailbox[pingMessage]
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
	pong := actor.Spawn(it, func(self *actor.Mailbox[pongMessage]) { pongs = pongActor(self) })
	ping := actor.Spawn(it, func(self *actor.Mailbox[pingMessage]) { sum = pingActor(self, pong, p.Int("pings")) })
	ping.Send(pingMessage{kind: pingStart})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: sum, Checks: map[string]any{"pongs": pongs}}, nil
}

func pingActor(self *actor.Mailbox[pingMessage], pong *actor.Mailbox[pongMessage], left int64) (sum int64) {
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

func pongActor(self *actor.Mailbox[pongMessage]) (count int64) {
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
