package bench

// fifo is a queue whose ends cost constant time: a ring that doubles when it is full. Its zero value is empty.
type fifo[T any] struct {
	ring []T // a power of two long, or empty
	head int // of the oldest element
	n    int
}

func (q *fifo[T]) len() int { return q.n }

func (q *fifo[T]) push(x T) {
	if q.n == len(q.ring) {
		q.grow()
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pop removes the oldest element; there must be one.
func (q *fifo[T]) pop() T {
	var zero T
	x := q.ring[q.head]
	q.ring[q.head] = zero // whatever it refers to may be collected
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return x
}

func (q *fifo[T]) grow() {
	ring := make([]T, max(2, 2*len(q.ring)))
	copied := copy(ring, q.ring[q.head:])
	copy(ring[copied:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}
