package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var barber = Benchmark{
	Name: "barber",
	Parameters: []Parameter{
		{"haircuts", atLeast(1)}, {"chairs", atLeast(1)},
		{"arrival_work", between(1, 65536)}, {"haircut_work", between(1, 65536)},
	},
	Run: runBarber,
}

// customerMessage is Full, Wait, Sit or Leave.
type customerMessage uint8

const (
	customerFull customerMessage = iota
	customerWait
	customerSit
	customerLeave
)

type customer = *actor.Mailbox[customerMessage]

type roomMessage struct {
	kind     roomKind
	customer customer // of roomEnter
}

type roomKind uint8

const (
	roomEnter roomKind = iota
	roomNext
	roomClose
)

type barberMessage struct {
	kind     barberKind
	customer customer                    // of barberServe
	room     *actor.Mailbox[roomMessage] // of barberServe
}

type barberKind uint8

const (
	barberServe barberKind = iota
	barberSleep
	barberClose
)

type factoryMessage struct {
	kind     factoryKind
	customer customer // of factoryReturned
	id       int64    // of factoryDone
}

type factoryKind uint8

const (
	factoryStart factoryKind = iota
	factoryReturned
	factoryDone
)

func runBarber(it *actor.Iteration, p Values) (Outcome, error) {
	n := p.Int("haircuts")
	var barberBusy, sleeps int64
	f := barberFactory{it: it, refused: make([]int64, n), work: p.Int("arrival_work")}
	it.Begin()
	it.Expect(3)
	b := actor.Spawn(it, func(self *actor.Mailbox[barberMessage]) {
		barberBusy, sleeps = barberActor(self, n, p.Int("haircut_work"))
	})
	f.room = actor.Spawn(it, func(self *actor.Mailbox[roomMessage]) { roomActor(self, b, p.Int("chairs")) })
	factory := actor.Spawn(it, f.run)
	factory.Send(factoryMessage{kind: factoryStart})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result:   f.idSum,
		Checks:   map[string]any{"factory_busy": f.busySum, "barber_busy": barberBusy},
		Metrics:  map[string]any{"attempts": f.attempts, "sleeps": sleeps},
		PerActor: map[string][]int64{"refused": f.refused},
	}, nil
}

func barberActor(self *actor.Mailbox[barberMessage], haircuts, work int64) (busySum, sleeps int64) {
	rng := lcg.New(lcg.DefaultSeed)
	for cuts := int64(0); ; {
		switch m := self.Receive(); m.kind {
		case barberServe:
			m.customer.Send(customerSit)
			cuts++
			busySum += lcg.Busy(rng.Below(work) + 10)
			m.customer.Send(customerLeave)
			m.room.Send(roomMessage{kind: roomNext})
		case barberSleep:
			sleeps++
		case barberClose:
			if cuts != haircuts {
				actor.Fail("Barber made %d haircuts; %d were due", cuts, haircuts)
			}
			return busySum, sleeps
		}
	}
}

func roomActor(self *actor.Mailbox[roomMessage], barber *actor.Mailbox[barberMessage], chairs int64) {
	var waiting fifo[customer]
	asleep, closing := true, false
	for {
		switch m := self.Receive(); m.kind {
		case roomEnter:
			switch {
			case int64(waiting.len()) == chairs:
				m.customer.Send(customerFull)
			case asleep:
				waiting.push(m.customer)
				asleep = false
				self.Send(roomMessage{kind: roomNext})
			default:
				waiting.push(m.customer)
				m.customer.Send(customerWait)
			}
		case roomNext:
			switch {
			case waiting.len() > 0:
				barber.Send(barberMessage{kind: barberServe, customer: waiting.pop(), room: self})
			case closing:
				barber.Send(barberMessage{kind: barberClose})
				return
			default:
				barber.Send(barberMessage{kind: barberSleep})
				asleep = true
			}
		case roomClose:
			if asleep {
				barber.Send(barberMessage{kind: barberClose})
				return
			}
			closing = true // the barber's last Next is still on its way
		}
	}
}

// barberFactory creates the customers and sends those who were refused again.
type barberFactory struct {
	it      *actor.Iteration
	room    *actor.Mailbox[roomMessage]
	work    int64
	refused []int64 // by customer, written by the customers

	attempts, idSum, busySum int64
}

func (f *barberFactory) run(self *actor.Mailbox[factoryMessage]) {
	for served := 0; served < len(f.refused); {
		switch m := self.Receive(); m.kind {
		case factoryStart:
			f.createAll(self)
		case factoryReturned:
			f.attempts++
			f.room.Send(roomMessage{kind: roomEnter, customer: m.customer})
		case factoryDone:
			served++
			f.idSum += m.id
		}
	}
	f.room.Send(roomMessage{kind: roomClose})
}

func (f *barberFactory) createAll(self *actor.Mailbox[factoryMessage]) {
	rng := lcg.New(lcg.DefaultSeed)
	f.it.Expect(int64(len(f.refused)))
	for i := range f.refused {
		id, refused := int64(i+1), &f.refused[i]
		c := actor.Spawn(f.it, func(c customer) { *refused = customerActor(c, self, id) })
		f.attempts++
		f.room.Send(roomMessage{kind: roomEnter, customer: c})
		f.busySum += lcg.Busy(rng.Below(f.work) + 10)
	}
}

func customerActor(self customer, factory *actor.Mailbox[factoryMessage], id int64) (refused int64) {
	for {
		switch self.Receive() {
		case customerFull:
			refused++
			factory.Send(factoryMessage{kind: factoryReturned, customer: self})
		case customerWait, customerSit:
		case customerLeave:
			factory.Send(factoryMessage{kind: factoryDone, id: id})
			return refused
		}
	}
}
