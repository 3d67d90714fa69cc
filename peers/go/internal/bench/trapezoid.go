package bench

import (
	"math"

	"scoville/peer/internal/actor"
)

var trapezoid = Benchmark{
	Name:       "trapezoid",
	Parameters: []Parameter{{"n", atLeast(1)}, {"w", atLeast(1)}, {"l", numberFrom(0)}, {"r", anyNumber()}},
	Relations:  []Relation{{"r", Above, 1, "l", 0}},
	Run:        runTrapezoid,
}

// trapezoidWork is Work: the pieces first..last-1 of width h, counted from l.
type trapezoidWork struct {
	first, last int64
	l, h        float64
}

// trapezoidMessage is Start with an interval, or Result.
type trapezoidMessage struct {
	kind   trapezoidKind
	l, r   float64 // of trapezoidStart
	pieces int64   // of both
	area   float64 // of trapezoidResult
}

type trapezoidKind uint8

const (
	trapezoidStart trapezoidKind = iota
	trapezoidResult
)

func runTrapezoid(it *actor.Iteration, p Values) (Outcome, error) {
	var area float64
	var pieces int64
	it.Begin()
	it.Expect(1)
	master := actor.Spawn(it, func(self *actor.Mailbox[trapezoidMessage]) {
		area, pieces = trapezoidMaster(it, self, p.Int("w"))
	})
	master.Send(trapezoidMessage{kind: trapezoidStart, l: p.Number("l"), r: p.Number("r"), pieces: p.Int("n")})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: Float(area), Checks: map[string]any{"pieces": pieces}}, nil
}

func trapezoidMaster(
	it *actor.Iteration, self *actor.Mailbox[trapezoidMessage], workers int64,
) (area float64, pieces int64) {
	for received := int64(0); received < workers; {
		switch m := self.Receive(); m.kind {
		case trapezoidStart:
			h := (m.r - m.l) / float64(m.pieces)
			it.Expect(workers)
			for i := int64(0); i < workers; i++ {
				worker := actor.Spawn(it, func(worker *actor.Mailbox[trapezoidWork]) { trapezoidWorker(worker, self) })
				worker.Send(trapezoidWork{first: i * m.pieces / workers, last: (i + 1) * m.pieces / workers, l: m.l, h: h})
			}
		case trapezoidResult:
			received++
			area += m.area
			pieces += m.pieces
		}
	}
	return area, pieces
}

func trapezoidWorker(self *actor.Mailbox[trapezoidWork], master *actor.Mailbox[trapezoidMessage]) {
	w := self.Receive()
	area := 0.0
	for p := w.first; p < w.last; p++ {
		left := w.l + float64(float64(p)*w.h) // conversions round, here and below: nothing may be fused
		right := left + w.h
		area += float64(0.5 * (curve(left) + curve(right)) * w.h)
	}
	master.Send(trapezoidMessage{kind: trapezoidResult, area: area, pieces: w.last - w.first})
}

// curve is the function that is integrated.
func curve(x float64) float64 {
	return float64(math.Sin(float64(x*x*x)-1) / (x + 1) * math.Sqrt(1+math.Exp(math.Sqrt(2*x))))
}
