package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var big = Benchmark{
	Name:       "big",
	Parameters: []Parameter{{"pings", atLeast(0)}, {"actors", between(1, 65536)}},
	Run:        runBig,
}

type peer = *actor.Mailbox[peerMessage]

type peerMessage struct {
	kind  peerKind
	id    int64   // of peerPing and peerPong
	peers *[]peer // of peerPeers; shared and never changed
}

type peerKind uint8

const (
	peerPeers peerKind = iota
	peerPing
	peerPong
	peerExit
)

// sinkMessage is Peers if it carries any, otherwise Done.
type sinkMessage struct{ peers *[]peer }

func runBig(it *actor.Iteration, p Values) (Outcome, error) {
	n, w := p.Int("pings"), p.Int("actors")
	it.Begin()
	peers := make([]peer, w)
	received := make([]int64, w)
	it.Expect(w + 1)
	sink := actor.Spawn(it, func(self *actor.Mailbox[sinkMessage]) { sinkActor(self, w) })
	for i := range peers {
		id := i
		peers[i] = actor.Spawn(it, func(self peer) { received[id] = peerActor(self, sink, int64(id), n) })
	}
	sink.Send(sinkMessage{peers: &peers})
	for _, to := range peers {
		to.Send(peerMessage{kind: peerPeers, peers: &peers})
	}
	for _, to := range peers {
		to.Send(peerMessage{kind: peerPong, id: -1})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	var result, pings int64
	for i, r := range received {
		result += int64(i+1) * r
		pings += r
	}
	return Outcome{Result: result, Checks: map[string]any{"pings": pings}}, nil
}

// peerActor returns the number of pings it received. It needs no queue for messages that come before Peers: a send has
// taken effect when it returns, and the driver sends all Peers before the first Pong.
func peerActor(self peer, sink *actor.Mailbox[sinkMessage], id, n int64) (received int64) {
	first := self.Receive()
	if first.kind != peerPeers {
		actor.Fail("Worker %d received message kind %d before Peers", id, first.kind)
	}
	peers := *first.peers
	targets := lcg.New(id)
	sent, expect := int64(0), int64(-1)
	for {
		switch m := self.Receive(); m.kind {
		case peerPing:
			received++
			peers[m.id].Send(peerMessage{kind: peerPong, id: id})
		case peerPong:
			if m.id != expect {
				actor.Fail("Worker %d received a pong from %d; it expected one from %d", id, m.id, expect)
			}
			if sent == n {
				sink.Send(sinkMessage{})
				continue
			}
			expect = targets.Below(int64(len(peers)))
			sent++
			peers[expect].Send(peerMessage{kind: peerPing, id: id})
		case peerExit:
			return received
		case peerPeers:
			actor.Fail("Worker %d received Peers twice", id)
		}
	}
}

func sinkActor(self *actor.Mailbox[sinkMessage], w int64) {
	var peers []peer
	for done := int64(0); done < w; {
		if m := self.Receive(); m.peers != nil {
			peers = *m.peers
		} else {
			done++
		}
	}
	for _, to := range peers {
		to.Send(peerMessage{kind: peerExit})
	}
}
