package actor

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Iteration is what one run of a benchmark shares outside its messages: the clock, the completion latches that every actor
// decrements when it stops, and the place where a crash is reported.
//
// A benchmark does its setup, calls Begin, creates its actors and sends their first messages, and calls Wait. Some actors
// last: they outlive the timed region, because the entry stops them in its check phase. They are awaited by Finish.
// Whatever an actor has written before it stopped is visible after Wait or Finish: the latch orders it.
type Iteration struct {
	announce func() // tells the outside that the timed region begins
	stopped  func() // tells the outside that it has ended
	ledger   *ledger
	failure  chan error // the first failure
	began    time.Time
	wall     time.Duration

	run     latch
	lasting latch
}

// latch opens when all the actors that it was told about have stopped and the driver waits for them.
type latch struct {
	_       [64]byte     // the count is written by every actor; what stands before it is read by every spawn
	running atomic.Int64 // actors expected or running, and one for the driver until it waits
	opened  chan struct{}
}

func (l *latch) close() {
	l.running.Store(1)
	l.opened = make(chan struct{})
}

func (l *latch) release() {
	if l.running.Add(-1) == 0 {
		close(l.opened)
	}
}

// NewIteration makes an iteration. Begin calls announce immediately before it reads the clock, and Wait calls stopped after
// it has read the clock. If audited, the iteration keeps count of its actors and messages; see [Iteration.Work].
func NewIteration(announce, stopped func(), audited bool) *Iteration {
	it := &Iteration{announce: announce, stopped: stopped, failure: make(chan error, 1)}
	it.run.close()
	it.lasting.close()
	if audited {
		it.ledger = new(ledger)
	}
	return it
}

// Begin starts the clock. It comes after setup and before the first actor of the timed region.
func (it *Iteration) Begin() {
	it.announce()
	it.began = time.Now()
}

// Expect tells the latch about n actors that the caller is going to spawn. One call for many is cheaper than one for each.
func (it *Iteration) Expect(n int64) { it.run.running.Add(n) }

// ExpectLasting does the same for actors that outlive the timed region.
func (it *Iteration) ExpectLasting(n int64) { it.lasting.running.Add(n) }

// Wait blocks until every actor that does not last has stopped or one has crashed, and stops the clock.
func (it *Iteration) Wait() error {
	if err := it.await(&it.run); err != nil {
		return err
	}
	it.wall = time.Since(it.began)
	it.stopped()
	return it.failed()
}

// Finish blocks until every actor that lasts has stopped or one has crashed. It comes after Wait.
func (it *Iteration) Finish() error {
	if err := it.await(&it.lasting); err != nil {
		return err
	}
	return it.failed()
}

func (it *Iteration) await(l *latch) error {
	l.release()
	return Await(it, l.opened)
}

// Await blocks until it can receive from done, or an actor has crashed.
func Await[T any](it *Iteration, done <-chan T) error {
	select {
	case <-done:
		return nil
	case err := <-it.failure:
		return err
	}
}

// failed finds the crash of an actor that was the last to stop.
func (it *Iteration) failed() error {
	select {
	case err := <-it.failure:
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
	return spawn(it, &it.run, body)
}

// SpawnLasting creates an actor that outlives the timed region. The caller must have told ExpectLasting about it.
func SpawnLasting[M any](it *Iteration, body func(self *Mailbox[M])) *Mailbox[M] {
	return spawn(it, &it.lasting, body)
}

func spawn[M any](it *Iteration, l *latch, body func(self *Mailbox[M])) *Mailbox[M] {
	self := newMailbox[M](it.ledger != nil)
	if it.ledger != nil {
		it.ledger.add(self)
	}
	go func() {
		defer func() { it.leave(l, recover()) }()
		body(self)
	}()
	return self
}

// Leave is deferred by the goroutine of an actor with a [Bounded] mailbox.
func (it *Iteration) Leave() { it.leave(&it.run, recover()) }

// LeaveLasting is deferred instead by an actor that outlives the timed region.
func (it *Iteration) LeaveLasting() { it.leave(&it.lasting, recover()) }

// leave tells the latch that an actor has stopped. The reason of a crash fails the iteration.
func (it *Iteration) leave(l *latch, reason any) {
	if reason != nil {
		it.fail(fmt.Errorf("an actor crashed: %v", reason))
	}
	l.release()
}

func (it *Iteration) fail(err error) {
	select {
	case it.failure <- err:
	default: // an earlier failure is the cause
	}
}

// Dismiss sends a message that does not count as one: where an entry lets the driver stop an actor in its check phase and
// lists no message for it.
func Dismiss[M any](it *Iteration, to interface{ Send(M) }, msg M) {
	if it.ledger != nil {
		it.ledger.dismiss()
	}
	to.Send(msg)
}

// Work is what an audited iteration counted.
type Work struct {
	Actors   int64 `json:"actors"`
	Messages int64 `json:"messages"`
}

// Work returns the count when all actors have stopped; nil if the iteration is not audited. It is an error if a message was
// never received.
func (it *Iteration) Work() (*Work, error) {
	if it.ledger == nil {
		return nil, nil
	}
	return it.ledger.close()
}

// ledger knows the mailboxes of an audited iteration. Counting needs no work per message, because every mailbox knows what
// went through it; an iteration that is not audited pays one comparison per spawn and one per receive.
type ledger struct {
	mu        sync.Mutex
	mailboxes []interface{ tally() (received, left int) }
	dismissed int64 // messages that do not count
}

func (l *ledger) add(m interface{ tally() (received, left int) }) {
	l.mu.Lock()
	l.mailboxes = append(l.mailboxes, m)
	l.mu.Unlock()
}

func (l *ledger) dismiss() {
	l.mu.Lock()
	l.dismissed++
	l.mu.Unlock()
}

func (l *ledger) close() (*Work, error) {
	w := &Work{Actors: int64(len(l.mailboxes)), Messages: -l.dismissed}
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
