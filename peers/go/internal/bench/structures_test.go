package bench

import (
	bignum "math/big"
	"math/rand"
	"slices"
	"testing"
)

// The queue is compared with a slice over random pushes and pops.
func TestFifoIsAQueue(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var q fifo[int]
	var want []int
	for i := 0; i < 100000; i++ {
		if bias := i / 1000 % 2; rng.Intn(3) > bias || len(want) == 0 {
			q.push(i)
			want = append(want, i)
		} else {
			if got := q.pop(); got != want[0] {
				t.Fatalf("step %d: pop returned %d, want %d", i, got, want[0])
			}
			want = want[1:]
		}
		if q.len() != len(want) {
			t.Fatalf("step %d: len is %d, want %d", i, q.len(), len(want))
		}
	}
}

func TestChecksumFollowsTheTable(t *testing.T) {
	if got := checksumOf([]int64{1, 2, 3}); got != 330182277 {
		t.Errorf("checksum of 1, 2, 3 is %d, want 330182277", got)
	}
}

func TestProcessFollowsTheTable(t *testing.T) {
	for cost, want := range map[int64]float64{0: -4.597975910354064, 1: -459.2339106084338, 2: -918.593980759151, 25: -11482.378824363414} {
		if got := process(0, cost); got < want*(1+1e-12) || got > want*(1-1e-12) {
			t.Errorf("process(0, %d) = %v, want %v", cost, got, want)
		}
	}
}

func TestSortedListIsSorted(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var list sortedList
	var want []int64
	for i := 0; i < 500; i++ {
		x := rng.Int63n(100)
		if got := list.contains(x); got != slices.Contains(want, x) {
			t.Fatalf("contains(%d) is %v with %v", x, got, want)
		}
		list.insert(x)
		want = append(want, x)
		slices.Sort(want)
		if got := list.size(); got != int64(len(want)) {
			t.Fatalf("size is %d, want %d", got, len(want))
		}
	}
	sum := int64(0)
	for i, n := 0, list.head; n != nil; i, n = i+1, n.next {
		if n.value != want[i] {
			t.Fatalf("element %d is %d, want %d", i, n.value, want[i])
		}
		sum += int64(i+1) * want[i]
	}
	if got := list.weighted(); got != sum {
		t.Errorf("weighted is %d, want %d", got, sum)
	}
}

func TestQuotientsAreRoundedToTheNearestAndToTheEven(t *testing.T) {
	var terms piTerms
	for _, c := range []struct{ a, b, want int64 }{
		{0, 5, 0}, {1, 2, 0}, {3, 2, 2}, {5, 2, 2}, {7, 2, 4}, {7, 3, 2}, {8, 3, 3}, {9, 3, 3}, {10, 4, 2}, {14, 4, 4},
	} {
		got := terms.roundedQuotient(new(bignum.Int), bignum.NewInt(c.a), bignum.NewInt(c.b))
		if got.Cmp(bignum.NewInt(c.want)) != 0 {
			t.Errorf("%d/%d is rounded to %v, want %d", c.a, c.b, got, c.want)
		}
	}
}

// The terms of one worker add up to what those of fresh ones do: a term that was returned does not change with the next.
func TestATermIsNotChangedByTheNextOne(t *testing.T) {
	numbers := newPiNumbers(50)
	one := piTerms{piNumbers: numbers}
	var got []*bignum.Int
	for k := int64(0); k < 42; k++ {
		got = append(got, one.compute(k))
	}
	for k, term := range got {
		fresh := piTerms{piNumbers: numbers}
		if want := fresh.compute(int64(k)); term.Cmp(want) != 0 {
			t.Errorf("term %d has become %v; it was %v", k, term, want)
		}
	}
	if first := got[0].String(); first[:6] != "313333" { // 4 - 1/2 - 1/5 - 1/6
		t.Errorf("the first term begins with %s", first[:6])
	}
}

// A term is the only new number: all others use memory of the terms before.
func TestATermNeedsMemoryForItselfOnly(t *testing.T) {
	terms := piTerms{piNumbers: newPiNumbers(3000)}
	terms.compute(1000)
	each := testing.AllocsPerRun(100, func() { terms.compute(1000) })
	if each > 6 { // the race detector adds some
		t.Errorf("%v allocations for a term; want 2, for the number and its digits", each)
	}
}
