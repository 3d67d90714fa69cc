package bench

import (
	"math/rand"
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
