package lcg

import (
	"math"
	"testing"
)

func TestNextFollowsTheTable(t *testing.T) {
	table := map[int64][]int64{
		0:           {13849, 54254, 56847, 43212, 20789, 29210, 42251, 8024},
		1:           {15158, 63799, 33876, 55197, 46050, 179, 51552, 58873},
		DefaultSeed: {22896, 34761, 34014, 39231, 52540, 41445, 1546, 5947},
		123456:      {5977, 38958, 22863, 57100, 46709, 10842, 50251, 59800},
	}
	for seed, want := range table {
		r := New(seed)
		for i, w := range want {
			if got := r.Next(); got != w {
				t.Errorf("seed %d, draw %d: got %d, want %d", seed, i, got, w)
			}
		}
	}
}

func TestOnlyTheLow16BitsOfTheSeedMatter(t *testing.T) {
	for _, high := range []int64{1 << 16, 1 << 40, math.MinInt64} {
		a, b := New(12345), New(12345|high)
		for i := 0; i < 100; i++ {
			if x, y := a.Next(), b.Next(); x != y {
				t.Fatalf("seed 12345|%d, draw %d: %d and %d differ", high, i, x, y)
			}
		}
	}
}

func TestEveryDerivedDrawDrawsOnce(t *testing.T) {
	a, b := New(1), New(1)
	if got, want := a.Below(10), b.Next()%10; got != want {
		t.Errorf("Below(10) = %d, want %d", got, want)
	}
	if got, want := a.Unit(), 1/float64(b.Next()+1); got != want {
		t.Errorf("Unit() = %v, want %v", got, want)
	}
	if got, want := a.Scaled(360), b.Next()*360/65536; got != want {
		t.Errorf("Scaled(360) = %d, want %d", got, want)
	}
	if got, want := a.Next(), b.Next(); got != want {
		t.Errorf("the generators are no longer in step: %d and %d", got, want)
	}
}

func TestBusyFollowsTheTable(t *testing.T) {
	for k, want := range map[int64]int64{0: 0, 1: 15158, 2: 7808, 10: 38176, 100: 16528, 1009: 24630} {
		if got := Busy(k); got != want {
			t.Errorf("Busy(%d) = %d, want %d", k, got, want)
		}
	}
}

func TestSpinFollowsTheTable(t *testing.T) {
	for _, c := range []struct{ v, n, want int64 }{{1, 100, 51005}, {70000, 10, 56054}, {12345, 1000, 9041}, {65537, 0, 1}} {
		if got := Spin(c.v, c.n); got != c.want {
			t.Errorf("Spin(%d, %d) = %d, want %d", c.v, c.n, got, c.want)
		}
	}
	for k := int64(1); k < 300; k++ {
		if got, want := Spin(k, k), Busy(k); got != want {
			t.Errorf("Spin(%d, %d) = %d, want Busy: %d", k, k, got, want)
		}
	}
}

func TestJ48IsJavasGenerator(t *testing.T) {
	r := NewJ48(2)
	for i, want := range []int64{1570126108, 630021372, 1935844040, 8925067} {
		if got := r.Bits(31); got != want {
			t.Errorf("seed 2, draw %d: got %d, want %d", i, got, want)
		}
	}
	r = NewJ48(123456)
	for i, want := range []bool{false, true, true, false, false, false, true, false, false, true, true, false} {
		if got := r.Bool(); got != want {
			t.Errorf("seed 123456, draw %d: got %v, want %v", i, got, want)
		}
	}
	r = NewJ48(2)
	if got := r.Int(100); got != 1570126108%100 {
		t.Errorf("Int(100) = %d, want 8", got)
	}
}

func TestL32FollowsTheTable(t *testing.T) {
	r := NewL32(12345 + 1<<32)
	for i, want := range []byte{0, 0, 2, 2, 3} {
		if got := r.Char(4); got != want {
			t.Errorf("draw %d: got %d, want %d", i, got, want)
		}
	}
	for i := 0; i < 1000; i++ {
		if got := r.Char(2); got > 1 {
			t.Fatalf("Char(2) = %d", got)
		}
	}
}
