package actor

import "runtime"

// Bounded is the mailbox and the address of an actor for which only so many messages can ever wait, because its protocol
// says so: one that asks and waits for the answer, say. It is a channel with room for them all, so that no send blocks;
// where the number is unknown, or large for each of many actors, [Mailbox] has no limit.
//
// The actor is a goroutine that the benchmark starts itself and that defers [Iteration.Leave] or
// [Iteration.LeaveLasting]. It needs one closure and few frames on its stack, which the collector looks at while the actor
// waits: that is half of the cost of an actor of a short life.
//
// Any goroutine may send; only the actor itself receives. Copies are the same mailbox; the zero value is none.
type Bounded[M any] struct {
	channel chan M
	audit   *boundedAudit[M] // nil if the iteration is not audited
}

// boundedAudit counts what an actor receives.
type boundedAudit[M any] struct {
	channel  chan M
	received int
}

// headStart is how often an audited actor gives up its turn before it receives: so many actors in a row can pass something
// on meanwhile, as from a call of fib to its children and back.
const headStart = 4

// NewBounded makes the mailbox of one actor, with room for as many messages as can wait at once, at least 1.
func NewBounded[M any](it *Iteration, room int64) Bounded[M] {
	self := Bounded[M]{channel: make(chan M, room)}
	if it.ledger != nil {
		self.audit = &boundedAudit[M]{channel: self.channel}
		it.ledger.add(self.audit)
	}
	return self
}

// NewCollector makes a place where actors leave as many final values for the driver as there is room for. They are no
// messages and are not counted.
func NewCollector[M any](room int64) Bounded[M] { return Bounded[M]{channel: make(chan M, room)} }

// Send puts msg into the mailbox. It never blocks; that more messages wait than the protocol allows is an error.
func (b Bounded[M]) Send(msg M) {
	select {
	case b.channel <- msg:
	default:
		Fail("a mailbox with room for %d messages is full", cap(b.channel))
	}
}

// Receive returns the oldest message and waits for one if there is none. Only the mailbox's own actor may call it.
//
// In an audited iteration the actor lets others go first, so that as many messages wait as can: too little room shows.
func (b Bounded[M]) Receive() M {
	if b.audit != nil {
		b.audit.received++
		for i := 0; i < headStart; i++ {
			runtime.Gosched()
		}
	}
	return <-b.channel
}

func (a *boundedAudit[M]) tally() (received, left int) { return a.received, len(a.channel) }
