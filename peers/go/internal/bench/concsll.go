package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var concsll = Benchmark{
	Name: "concsll",
	Parameters: []Parameter{
		{"workers", atLeast(1)}, {"requests", atLeast(0)}, {"write_pct", between(0, 49)}, {"size_pct", atLeast(0)},
	},
	Relations: []Relation{{"size_pct", AtMost, -2, "write_pct", 99}},
	Run:       runConcsll,
}

// A worker makes one request at a time: no more than one message waits for it, and one of each for the list.
type (
	listMailbox       = actor.Bounded[listMessage]
	listWorkerMailbox = actor.Bounded[listWorkerMessage]
)

type listMessage struct {
	kind  listKind
	from  listWorkerMailbox
	value int64 // of listWrite and listContains
}

type listKind uint8

const (
	listWrite listKind = iota
	listSize
	listContains
	listEnd
)

type listWorkerMessage struct {
	kind  listWorkerKind
	value int64 // of listResult
}

type listWorkerKind uint8

const (
	listDoWork listWorkerKind = iota
	listResult
)

// listTotals is what a worker tells the master when it is done.
type listTotals struct{ hits, sizes, contains int64 }

func runConcsll(it *actor.Iteration, p Values) (Outcome, error) {
	workers := p.Int("workers")
	var (
		list         listMailbox
		totals       listTotals
		length, hash int64
	)
	it.Begin()
	it.Expect(1)
	it.ExpectLasting(1)
	actor.Spawn(it, func(self *actor.Mailbox[listTotals]) {
		list = actor.NewBounded[listMessage](it, workers)
		go func() {
			defer it.LeaveLasting()
			length, hash = listActor(list)
		}()
		it.Expect(workers)
		for i := int64(0); i < workers; i++ {
			w := listWorker{i, workers, p.Int("requests"), p.Int("write_pct"), p.Int("size_pct")}
			worker := actor.NewBounded[listWorkerMessage](it, 1)
			go func() {
				defer it.Leave()
				self.Send(w.run(worker, list))
			}()
			worker.Send(listWorkerMessage{kind: listDoWork})
		}
		for done := int64(0); done < workers; done++ {
			m := self.Receive()
			totals.hits += m.hits
			totals.sizes += m.sizes
			totals.contains += m.contains
		}
	})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	list.Send(listMessage{kind: listEnd})
	if err := it.Finish(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: hash,
		Checks: map[string]any{
			"list_len": length, "hits": totals.hits, "sizes": totals.sizes, "contains": totals.contains,
		},
	}, nil
}

// sortedList is a singly linked list in ascending order.
type sortedList struct{ head *listNode }

type listNode struct {
	value int64
	next  *listNode
}

// insert puts x behind all elements that are not greater.
func (l *sortedList) insert(x int64) {
	at := &l.head
	for *at != nil && (*at).value <= x {
		at = &(*at).next
	}
	*at = &listNode{value: x, next: *at}
}

// contains looks at every element until it finds x: that the list is sorted must not help it.
func (l *sortedList) contains(x int64) bool {
	for n := l.head; n != nil; n = n.next {
		if n.value == x {
			return true
		}
	}
	return false
}

func (l *sortedList) size() (size int64) {
	for n := l.head; n != nil; n = n.next {
		size++
	}
	return size
}

// weighted is the sum of all elements, each times its position from 1.
func (l *sortedList) weighted() (sum int64) {
	position := int64(1)
	for n := l.head; n != nil; n = n.next {
		sum += position * n.value
		position++
	}
	return sum
}

func listActor(self listMailbox) (length, hash int64) {
	var list sortedList
	for {
		m := self.Receive()
		result := m.value
		switch m.kind {
		case listWrite:
			list.insert(m.value)
		case listSize:
			result = list.size()
		case listContains:
			result = 0
			if list.contains(m.value) {
				result = 1
			}
		case listEnd:
			return list.size(), list.weighted()
		}
		m.from.Send(listWorkerMessage{kind: listResult, value: result})
	}
}

type listWorker struct{ id, workers, requests, writePct, sizePct int64 }

func (w listWorker) run(self listWorkerMailbox, list listMailbox) (t listTotals) {
	rng := lcg.New(w.id + w.requests + w.writePct + w.sizePct)
	last := listSize
	for sent := int64(0); ; sent++ {
		if m := self.Receive(); m.kind == listResult && last == listContains {
			t.hits += m.value
		}
		if sent == w.requests {
			return t
		}
		request := listMessage{from: self}
		switch p := rng.Scaled(100); {
		case p < w.sizePct:
			request.kind = listSize
			t.sizes++
		case p < w.sizePct+w.writePct:
			request.kind, request.value = listWrite, w.draw(&rng)
		default:
			request.kind, request.value = listContains, w.draw(&rng)
			t.contains++
		}
		last = request.kind
		list.Send(request)
	}
}

// draw returns a value that no other worker uses.
func (w listWorker) draw(rng *lcg.Rng) int64 { return (rng.Next()>>2)*w.workers + w.id }
