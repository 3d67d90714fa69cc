package actor

import "sync"

// Mailbox is the unbounded queue of one actor and, to everybody else, the actor's address. Any goroutine may send; only
// the actor itself receives.
//
// Senders append to a buffer under a mutex; the receiver takes the whole buffer at once and then works through it without
// any synchronisation, so that a busy mailbox costs one lock per message for the sender and one per batch for the
// receiver. An empty mailbox is the other common case: there the sender hands its message to the parked receiver through
// a channel, which is the scheduler's cheapest way to wake a goroutine and carries the message along. An isolated message
// so costs one lock and one channel operation on each side, where a bounded channel would do with the latter.
//
// Order: while the receiver waits both buffers are empty, so that the message handed over is older than whatever is
// appended afterwards, and the receiver handles it first. A send has taken effect when it returns, which gives the
// causal order that the specification asks for.
type Mailbox[M any] struct {
	mu       sync.Mutex
	waiting  bool   // guarded by mu: the receiver has found nothing and takes its next message from handover
	inbox    []M    // guarded by mu: sent and not yet taken
	handover chan M // capacity 1, so that a hand-over never blocks; made when the receiver first has to wait

	// The receiver's own.
	batch []M // taken from inbox
	next  int // index in batch of the message to receive next
	taken int // messages received or in batch

	// The inbox's first memory: most actors of a short life never hold more than two messages.
	first [2]M
}

func newMailbox[M any]() *Mailbox[M] {
	m := new(Mailbox[M])
	m.inbox = m.first[:0]
	return m
}

// Send puts msg into the mailbox. It never blocks on the receiver and is never refused.
func (m *Mailbox[M]) Send(msg M) {
	m.mu.Lock()
	if m.waiting {
		m.waiting = false
		m.mu.Unlock()
		m.handover <- msg
		return
	}
	m.inbox = append(m.inbox, msg)
	m.mu.Unlock()
}

// Receive returns the oldest message and waits for one if there is none. Only the mailbox's own actor may call it.
func (m *Mailbox[M]) Receive() M {
	if m.next == len(m.batch) {
		if msg, handed := m.refill(); handed {
			return msg
		}
	}
	msg := m.batch[m.next]
	m.next++
	return msg
}

// refill takes all that has been sent, or waits for one message and returns that.
func (m *Mailbox[M]) refill() (msg M, handed bool) {
	m.mu.Lock()
	if len(m.inbox) > 0 {
		m.batch, m.inbox = m.inbox, m.batch[:0]
		m.mu.Unlock()
		m.next = 0
		m.taken += len(m.batch)
		return msg, false
	}
	if m.handover == nil {
		m.handover = make(chan M, 1)
	}
	m.waiting = true
	m.mu.Unlock()
	m.taken++
	return <-m.handover, true
}

// tally tells how many messages the actor received, and how many were left when it stopped.
func (m *Mailbox[M]) tally() (received, left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	unread := len(m.batch) - m.next
	return m.taken - unread, unread + len(m.inbox)
}
