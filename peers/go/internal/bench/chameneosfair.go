package bench

import "scoville/peer/internal/actor"

var chameneosfair = Benchmark{
	Name:       "chameneosfair",
	Parameters: []Parameter{{"creatures", atLeast(2)}, {"meetings", atLeast(1)}},
	Run:        runChameneosfair,
}

// A visitor asks for one meeting at a time: no more than one message waits for it, and one of each for the place. At the
// beginning there is Run.
type (
	visitor      = actor.Bounded[visitorMessage]
	placeMailbox = actor.Bounded[placeMessage]
)

type visitorMessage struct {
	kind    visitorKind
	partner int64  // of visitorMet
	colour  colour // of visitorMet
}

type visitorKind uint8

const (
	visitorRun visitorKind = iota
	visitorMet
	visitorStop
)

type placeMessage struct {
	kind   placeKind
	id     int64
	colour colour
	who    visitor // of placeMeet
	met    int64   // of placeSum
	self   int64   // of placeSum: meetings with itself
}

type placeKind uint8

const (
	placeMeet placeKind = iota
	placeSum
)

func runChameneosfair(it *actor.Iteration, p Values) (Outcome, error) {
	n := p.Int("creatures")
	place := meetingPlace{left: p.Int("meetings"), meetings: make([]int64, n)}
	it.Begin()
	it.Expect(n + 1)
	box := actor.NewBounded[placeMessage](it, n)
	go func() {
		defer it.Leave()
		place.run(box)
	}()
	visitors := make([]visitor, n)
	for i := range visitors {
		id, self := int64(i), actor.NewBounded[visitorMessage](it, 1)
		visitors[i] = self
		go func() {
			defer it.Leave()
			visitorActor(self, box, id)
		}()
	}
	for _, to := range visitors {
		to.Send(visitorMessage{kind: visitorRun})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result:   place.total,
		Checks:   map[string]any{"colours": place.colours % 3, "self": place.self},
		PerActor: map[string][]int64{"meetings": place.meetings},
	}, nil
}

type meetingPlace struct {
	left  int64
	first placeMessage // the visitor who waits for a partner; none if `who` is zero

	meetings             []int64 // by creature
	total, colours, self int64
}

// run lets nobody meet before all have come.
func (p *meetingPlace) run(self placeMailbox) {
	early := make([]placeMessage, 0, len(p.meetings))
	for len(early) < cap(early) {
		early = append(early, self.Receive())
	}
	for _, m := range early {
		p.meet(m)
	}
	for done := 0; done < len(p.meetings); {
		switch m := self.Receive(); m.kind {
		case placeMeet:
			p.meet(m)
		case placeSum:
			done++
			p.meetings[m.id] = m.met
			p.total += m.met
			p.colours += int64(m.colour)
			p.self += m.self
		}
	}
}

func (p *meetingPlace) meet(second placeMessage) {
	switch {
	case p.left == 0:
		second.who.Send(visitorMessage{kind: visitorStop})
	case p.first.who == (visitor{}):
		p.first = second
	default:
		first := p.first
		both := first.colour.complement(second.colour)
		p.left--
		second.who.Send(visitorMessage{kind: visitorMet, partner: first.id, colour: both})
		first.who.Send(visitorMessage{kind: visitorMet, partner: second.id, colour: both})
		p.first.who = visitor{}
	}
}

func visitorActor(self visitor, place placeMailbox, id int64) {
	own, met, alone := colour(id%3), int64(0), int64(0)
	for {
		switch m := self.Receive(); m.kind {
		case visitorMet:
			met++
			own = m.colour
			if m.partner == id {
				alone++
			}
		case visitorStop:
			place.Send(placeMessage{kind: placeSum, id: id, met: met, colour: own, self: alone})
			return
		}
		place.Send(placeMessage{kind: placeMeet, id: id, colour: own, who: self})
	}
}
