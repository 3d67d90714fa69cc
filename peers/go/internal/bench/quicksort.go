package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var quicksort = Benchmark{
	Name:       "quicksort",
	Parameters: []Parameter{{"n", atLeast(1)}, {"m", atLeast(1)}, {"t", atLeast(1)}, {"s", atLeast(0)}},
	Run:        runQuicksort,
}

type sorter = *actor.Mailbox[sortMessage]

// sortMessage is Sort or Sorted. The list is shared and never changed.
type sortMessage struct {
	kind sortKind
	list []int64
}

type sortKind uint8

const (
	sortSort sortKind = iota
	sortedLeft
	sortedRight
)

// sortEnd is what the root reports.
type sortEnd struct{ count, sum, sorted, hash int64 }

func runQuicksort(it *actor.Iteration, p Values) (Outcome, error) {
	threshold := int(p.Int("t"))
	var end sortEnd
	it.Begin()
	it.Expect(1)
	root := actor.Spawn(it, func(self sorter) { end = describe(sorterActor(it, self, threshold)) })
	root.Send(sortMessage{kind: sortSort, list: drawList(p)})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: end.hash,
		Checks: map[string]any{"count": end.count, "sorted": end.sorted, "sum": end.sum},
	}, nil
}

func drawList(p Values) []int64 {
	rng := lcg.New(p.Int("s"))
	list := make([]int64, p.Int("n"))
	for i := range list {
		list[i] = rng.Next() % p.Int("m")
	}
	return list
}

// sorterActor returns the sorted list.
func sorterActor(it *actor.Iteration, self sorter, threshold int) (result []int64) {
	for fragments := 0; fragments < 3; {
		switch m := self.Receive(); m.kind {
		case sortSort:
			if len(m.list) < threshold {
				return sortAlone(m.list)
			}
			left, equal, right := partition(m.list)
			it.Expect(2)
			spawnSorter(it, self, sortedLeft, threshold).Send(sortMessage{kind: sortSort, list: left})
			spawnSorter(it, self, sortedRight, threshold).Send(sortMessage{kind: sortSort, list: right})
			result = equal
		case sortedLeft:
			result = concat(m.list, result)
		case sortedRight:
			result = concat(result, m.list)
		}
		fragments++
	}
	return result
}

func spawnSorter(it *actor.Iteration, parent sorter, position sortKind, threshold int) sorter {
	return actor.Spawn(it, func(self sorter) {
		parent.Send(sortMessage{kind: position, list: sorterActor(it, self, threshold)})
	})
}

// sortAlone is the same algorithm without actors.
func sortAlone(list []int64) []int64 {
	if len(list) < 2 {
		return list
	}
	left, equal, right := partition(list)
	return concat(sortAlone(left), equal, sortAlone(right))
}

// partition divides a list by its middle element, with one pass for each part.
func partition(list []int64) (left, equal, right []int64) {
	pivot := list[len(list)/2]
	left = make([]int64, 0, len(list)/2) // a guess; it grows
	for _, v := range list {
		if v < pivot {
			left = append(left, v)
		}
	}
	for _, v := range list {
		if v == pivot {
			equal = append(equal, v)
		}
	}
	right = make([]int64, 0, len(list)-len(left)-len(equal))
	for _, v := range list {
		if v > pivot {
			right = append(right, v)
		}
	}
	return left, equal, right
}

// concat puts lists together without changing them.
func concat(lists ...[]int64) []int64 {
	length, parts := 0, 0
	var last []int64
	for _, l := range lists {
		if len(l) > 0 {
			length += len(l)
			parts++
			last = l
		}
	}
	if parts == 1 {
		return last
	}
	all := make([]int64, 0, length)
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func describe(list []int64) (end sortEnd) {
	end = sortEnd{count: int64(len(list)), sorted: 1, hash: checksumOf(list)}
	for i, v := range list {
		end.sum += v
		if i > 0 && v < list[i-1] {
			end.sorted = 0
		}
	}
	return end
}
