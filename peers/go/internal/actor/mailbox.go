package actor

import (
	"sync"
	"sync/atomic"
)

// Mailbox is the unbounded queue of one actor and, to everybody else, the actor's address. Any goroutine may send; only
// the actor itself receives.
//
// It is a list under a mutex and, from the moment when the receiver first has to wait, a small channel. An actor of a
// short life never needs the channel. While messages come one by one the channel alone is used and costs what a channel
// costs; a parked receiver is woken in the scheduler's cheapest way. In a flood senders append to the list and the
// receiver takes the whole list at once, which is cheaper still.
//
// Order: whoever finds the list in use appends to it, so that what is in the channel is older than the list, apart from
// sends that are still under way and that nobody can have seen. The receiver takes the list only when the channel is
// empty, which it tests under the mutex: a message in the list cannot have been caused by one that the test missed. A send
// has taken effect when it returns; so the order is the causal one that the specification asks for.
//
// Wake-up: the receiver waits only at the channel, and only after it saw the list not in use. A sender declares the list
// in use before it finds the channel full for the last time. So the receiver still gets a message from the channel, and
// looks at the list after it.
type Mailbox[M any] struct {
	direct  atomic.Bool // written under mu: the list is empty and the channel is made; senders try the channel first
	audited bool
	mu      sync.Mutex
	list    []M    // guarded by mu: sent and not yet taken
	channel chan M // made by the receiver before direct is first set

	// The list's first memory: an actor of a short life rarely holds more than one message before its channel begins. It
	// also keeps apart what senders and receiver write.
	first [1]M

	// The receiver's own.
	batch    []M // taken from list
	next     int // index in batch of the message to receive next
	received int // counted if audited
}

// channelCapacity bounds the messages that need no list. A waiting actor gets few before it runs, unless it is flooded.
const channelCapacity = 8

func newMailbox[M any](audited bool) *Mailbox[M] {
	m := &Mailbox[M]{audited: audited}
	m.list = m.first[:0]
	return m
}

// Send puts msg into the mailbox. It never blocks on the receiver and is never refused.
func (m *Mailbox[M]) Send(msg M) {
	if m.direct.Load() {
		select {
		case m.channel <- msg:
			return
		default:
		}
	}
	m.mu.Lock()
	if !m.direct.Load() || !m.retry(msg) {
		m.list = append(m.list, msg)
	}
	m.mu.Unlock()
}

// retry tries the channel again after it has declared the list in use, and leaves it so if the channel is full. The caller
// holds mu.
func (m *Mailbox[M]) retry(msg M) bool {
	m.direct.Store(false)
	select {
	case m.channel <- msg:
		m.direct.Store(true)
		return true
	default:
		return false
	}
}

// Receive returns the oldest message and waits for one if there is none. Only the mailbox's own actor may call it.
func (m *Mailbox[M]) Receive() M {
	if m.audited {
		m.received++
	}
	if m.next < len(m.batch) {
		msg := m.batch[m.next]
		m.next++
		return msg
	}
	if m.direct.Load() {
		return <-m.channel
	}
	return m.refill()
}

// refill returns a message of the channel or the first one of the list, which it takes, and waits for one if there is no
// message at all.
func (m *Mailbox[M]) refill() M {
	for {
		select {
		case msg := <-m.channel: // never, if it is not made yet
			return msg
		default:
		}
		if m.take() {
			m.next = 1
			return m.batch[0]
		}
		if m.direct.Load() {
			return <-m.channel
		}
	}
}

// take moves the list to the batch unless something older is in the channel or the list is empty. The first time it is
// empty the channel begins.
func (m *Mailbox[M]) take() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.channel) > 0 {
		return false
	}
	if len(m.list) == 0 {
		if m.channel == nil {
			m.channel = make(chan M, channelCapacity)
		}
		m.direct.Store(true)
		return false
	}
	m.batch, m.list = m.list, m.batch[:0]
	m.direct.Store(m.channel != nil)
	return true
}

// tally tells how many messages the actor received, and how many were left when it stopped.
func (m *Mailbox[M]) tally() (received, left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.received, len(m.channel) + len(m.list) + len(m.batch) - m.next
}
