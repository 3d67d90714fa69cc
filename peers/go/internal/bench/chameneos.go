package bench

import "scoville/peer/internal/actor"

var chameneos = Benchmark{
	Name:       "chameneos",
	Parameters: []Parameter{{"creatures", atLeast(2)}, {"meetings", atLeast(0)}},
	Run:        runChameneos,
}

// colour is 0 red, 1 yellow, 2 blue.
type colour int64

func (a colour) complement(b colour) colour {
	if a == b {
		return a
	}
	return 3 - a - b
}

// A creature asks for one meeting at a time: no more than one message waits for it, and one of each for the mall.
type (
	creature    = actor.Bounded[creatureMessage]
	mallMailbox = actor.Bounded[mallMessage]
)

type creatureMessage struct {
	kind   creatureKind
	colour colour
	who    creature // of creatureMeet
}

type creatureKind uint8

const (
	creatureMeet creatureKind = iota
	creatureChange
	creatureExit
)

type mallMessage struct {
	kind   mallKind
	colour colour
	who    creature // of mallMeet
	id     int64    // of mallCount
	met    int64    // of mallCount
}

type mallKind uint8

const (
	mallMeet mallKind = iota
	mallCount
)

// mallEnd is what the mall reports.
type mallEnd struct {
	sum      int64
	colours  int64
	meetings []int64 // by creature
}

func runChameneos(it *actor.Iteration, p Values) (Outcome, error) {
	var end mallEnd
	it.Begin()
	it.Expect(1)
	mall := actor.NewBounded[mallMessage](it, p.Int("creatures"))
	go func() {
		defer it.Leave()
		end = mallActor(it, mall, p.Int("creatures"), p.Int("meetings"))
	}()
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result:   end.sum,
		Checks:   map[string]any{"colour": end.colours % 3},
		PerActor: map[string][]int64{"meetings": end.meetings},
	}, nil
}

func mallActor(it *actor.Iteration, self mallMailbox, creatures, left int64) mallEnd {
	it.Expect(creatures)
	for i := int64(0); i < creatures; i++ {
		id, c := i, actor.NewBounded[creatureMessage](it, 1)
		go func() {
			defer it.Leave()
			creatureActor(c, self, id)
		}()
	}
	end := mallEnd{meetings: make([]int64, creatures)}
	var waiting creature // none if it is zero
	for gone := int64(0); gone < creatures; {
		switch m := self.Receive(); m.kind {
		case mallMeet:
			switch {
			case left == 0:
				m.who.Send(creatureMessage{kind: creatureExit})
			case waiting == (creature{}):
				waiting = m.who
			default:
				left--
				waiting.Send(creatureMessage{kind: creatureMeet, colour: m.colour, who: m.who})
				waiting = creature{}
			}
		case mallCount:
			gone++
			end.sum += m.met
			end.colours += int64(m.colour)
			end.meetings[m.id] = m.met
		}
	}
	return end
}

func creatureActor(self creature, mall mallMailbox, id int64) {
	own, met := colour(id%3), int64(0)
	mall.Send(mallMessage{kind: mallMeet, colour: own, who: self})
	for {
		switch m := self.Receive(); m.kind {
		case creatureMeet:
			own = own.complement(m.colour)
			met++
			m.who.Send(creatureMessage{kind: creatureChange, colour: own})
			mall.Send(mallMessage{kind: mallMeet, colour: own, who: self})
		case creatureChange:
			own = m.colour
			met++
			mall.Send(mallMessage{kind: mallMeet, colour: own, who: self})
		case creatureExit:
			mall.Send(mallMessage{kind: mallCount, id: id, met: met, colour: own})
			return
		}
	}
}
