package bench

import "scoville/peer/internal/actor"

var pingping = Benchmark{
	Name:       "pingping",
	Parameters: []Parameter{{"r", atLeast(1)}, {"size", atLeast(1)}, {"mode", oneOf("copy", "share")}},
	Run:        runPingping,
}

type partner = *actor.Mailbox[ballMessage]

// ballMessage is Start if it names the partner, otherwise Ping.
type ballMessage struct {
	partner partner
	left    int64
	payload []byte
}

// partnerEnd is Done.
type partnerEnd struct{ acc, hash int64 }

func runPingping(it *actor.Iteration, p Values) (Outcome, error) {
	var ends [2]partnerEnd
	it.Begin()
	it.Expect(3)
	tally := actor.Spawn(it, func(self *actor.Mailbox[partnerEnd]) {
		for i := range ends {
			ends[i] = self.Receive()
		}
		if ends[0].hash != ends[1].hash {
			actor.Fail("the last payloads have the checksums %d and %d; they must be equal", ends[0].hash, ends[1].hash)
		}
	})
	play := func(self partner) {
		tally.Send(partnerActor(self, p.Int("r"), p.Int("size"), p.Word("mode") == "share"))
	}
	a, b := actor.Spawn(it, play), actor.Spawn(it, play)
	a.Send(ballMessage{partner: b})
	b.Send(ballMessage{partner: a})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: ends[0].acc + ends[1].acc, Checks: map[string]any{"hash": ends[0].hash}}, nil
}

// partnerActor keeps a ball that comes before Start until it knows its partner: the other may have been started first.
func partnerActor(self partner, repetitions, size int64, share bool) (end partnerEnd) {
	var other partner
	var early []ballMessage
	received := int64(0)
	receive := func(m ballMessage) {
		received++
		i := m.left % size
		end.acc += int64(m.payload[i])
		payload := passOn(m.payload, i, share)
		if m.left > 0 {
			other.Send(ballMessage{left: m.left - 1, payload: payload})
		} else {
			end.hash = checksumOf(payload)
		}
	}
	for received < repetitions {
		switch m := self.Receive(); {
		case m.partner != nil:
			other = m.partner
			other.Send(ballMessage{left: repetitions - 1, payload: freshPayload(size)})
			for _, ball := range early {
				receive(ball)
			}
		case other == nil:
			early = append(early, m)
		default:
			receive(m)
		}
	}
	return end
}
