package actor

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Iteration is what one run of a benchmark shares outside its messages: the clock, the completion latch that every actor
// decrements when it stops, and the place where a crash is reported.
//
// A benchmark does its setup, calls Begin, creates its actors and sends their first messages, and calls Wait. Whatever an
// actor has written before it stopped is visible after Wait: the latch orders it.
type Iteration struct {
	announce func() // tells the outside that the timed region begins
	ledger   *ledger
	failure  chan error // the first failure
	stopped  chan struct{}
	began    time.Time
	wall     time.Duration

	_       [64]byte     // the latch is written by every actor; what stands before it is read by every spawn
	running atomic.Int64 // actors expected or running, and one for the driver until it waits
}

// NewIteration makes an iteration. Begin calls announce immediately before it reads the clock. If audited, the iteration
// keeps count of its actors and messages; see [Iteration.Work].
func NewIteration(announce func(), audited bool) *Iteration {
	it := &Iteration{announce: announce, failure: make(chan error, 1), stopped: make(chan struct{})}
	it.running.Store(1)
	if audited {
		it.ledger = new(ledger)
	}
	return it
}

// Begin starts the clock. It comes after setup and before the first actor.
func (it *Iteration) Begin() {
	it.announce()
	it.began = time.Now()
}

// Expect tells the latch about n actors that the caller is going to spawn. One call for many is cheaper than one for each.
func (it *Iteration) Expect(n int64) { it.running.Add(n) }

// Wait blocks until every actor has stopped or one has crashed, and stops the clock.
func (it *Iteration) Wait() error {
	it.release()
	select {
	case <-it.stopped:
	case err := <-it.failure:
		return err
	}
	it.wall = time.Since(it.began)
	select {
	case err := <-it.failure: // the last actor to stop may be the one that crashed
		return err
	default:
		return nil
	}
}

// Wall is the duration of the timed region, once Wait has returned without error.
func (it *Iteration) Wall() time.Duration { return it.wall }

// Spawn creates an actor that runs body and stops when body returns. The caller must have told Expect about it. A panic in
// body fails the iteration.
func Spawn[M any](it *Iteration, body func(self *Mailbox[M])) *Mailbox[M] {
	self := newMailbox[M](it.ledger != nil)
	if it.ledger != nil {
		it.ledger.add(self)
	}
	go live(it, self, body)
	return self
}

func live[M any](it *Iteration, self *Mailbox[M], body func(self *Mailbox[M])) {
	defer it.leave()
	body(self)
}

// leave is deferred by every actor.
func (it *Iteration) leave() {
	if reason := recover(); reason != nil {
		it.fail(fmt.Errorf("an actor crashed: %v", reason))
	}
	it.release()
}

func (it *Iteration) release() {
	if it.running.Add(-1) == 0 {
		close(it.stopped)
	}
}

func (it *Iteration) fail(err error) {
	select {
	case it.failure <- err:
	default: // an earlier failure is the cause
	}
}

// Work is what an audited iteration counted.
type Work struct {
	Actors   int64 `json:"actors"`
	Messages int64 `json:"messages"`
}

// Work returns the count after Wait; nil if the iteration is not audited. It is an error if a message was never received.
func (it *Iteration) Work() (*Work, error) {
	if it.ledger == nil {
		return nil, nil
	}
	return it.ledger.close()
}

// ledger knows the mailboxes of an audited iteration. Counting needs no work per message, because every mailbox knows what
// went through it; an iteration that is not audited pays one comparison per spawn.
type ledger struct {
	mu        sync.Mutex
	mailboxes []interface{ tally() (received, left int) }
}

func (l *ledger) add(m interface{ tally() (received, left int) }) {
	l.mu.Lock()
	l.mailboxes = append(l.mailboxes, m)
	l.mu.Unlock()
}

func (l *ledger) close() (*Work, error) {
	w := &Work{Actors: int64(len(l.mailboxes))}
	for i, m := range l.mailboxes {
		received, left := m.tally()
		if left > 0 {
			return nil, fmt.Errorf("%d messages were sent to actor %d (in order of creation) and never received", left, i)
		}
		w.Messages += int64(received)
	}
	return w, nil
}

// Fail ends the calling actor and fails the iteration: for assertions of an entry and messages that must not come.
func Fail(format string, args ...any) { panic(fmt.Errorf(format, args...)) }
