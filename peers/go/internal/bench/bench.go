// Package bench holds the benchmarks. Each is written once, in a file of its own, and is nothing but actors: what it shares
// with the others is in packages actor (mailboxes, latch, clock) and lcg (numbers).
package bench

import (
	"fmt"
	"strconv"

	"scoville/peer/internal/actor"
)

// Benchmark is an entry of the specification.
type Benchmark struct {
	Name       string
	Parameters []Parameter       // in the catalogue's order
	Relations  []Relation        // in the catalogue's order
	Labels     map[string]string // that the specification asks for
	Run        func(it *actor.Iteration, p Values) (Outcome, error)
}

// Unsupported is why a benchmark cannot be run with some parameters. Run returns it before it calls Begin.
type Unsupported string

func (u Unsupported) Error() string { return string(u) }

// Outcome is the record of one iteration: what is compared, and what is only reported.
type Outcome struct {
	Result   any            // int64 or Float
	Checks   map[string]any // int64 or Float
	Metrics  map[string]any // int64 or Float
	PerActor map[string][]int64
}

// Float is a float that is written with 17 significant digits.
type Float float64

// MarshalJSON writes f in scientific notation; numbers that JSON cannot express are an error.
func (f Float) MarshalJSON() ([]byte, error) {
	if f != f || f-f != 0 {
		return nil, fmt.Errorf("%v has no representation in JSON", float64(f))
	}
	return strconv.AppendFloat(nil, float64(f), 'e', 16, 64), nil
}

// All returns the benchmarks in the specification's order.
func All() []Benchmark {
	return []Benchmark{
		pingpong, threadring, count, fjthrput, fjcreate, fib, chameneos, big,
		concdict, concsll, bndbuffer, philosopher, barber, cigsmok, logmap, banking,
		apsp, astar, nqueenk, recmatmul, quicksort, radixsort, filterbank, bitonicsort, sieve, uct, facloc, trapezoid,
		piprecision, sor,
		matrixsearch, bigneighbours, chameneosfair, fannkuch, pingping, spawn, pairs, mixed, chat,
	}
}
