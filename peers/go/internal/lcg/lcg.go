// Package lcg holds the deterministic arithmetic that every benchmark shares: the pseudo-random generator of
// convention [C3] and the busy work of convention [C4].
package lcg

// DefaultSeed is the seed of a generator that an entry writes as Rng().
const DefaultSeed = 74755

// step advances the 16-bit linear congruential generator. Only the low 16 bits of v matter, so that a wrapping
// multiplication is harmless.
func step(v int64) int64 { return (v*1309 + 13849) & 65535 }

// Rng is the pseudo-random generator. Each owner has one of its own; it is not safe for concurrent use.
type Rng struct{ v int64 }

// New returns a generator in the state seed; nothing is drawn.
func New(seed int64) Rng { return Rng{v: seed} }

// Next draws a number in 0..65535.
func (r *Rng) Next() int64 {
	r.v = step(r.v)
	return r.v
}

// Below draws a number in 0..min(m, 65536)-1; m must be at least 1.
func (r *Rng) Below(m int64) int64 { return r.Next() % m }

// Unit draws a number in [2^-16, 1].
func (r *Rng) Unit() float64 { return 1 / float64(r.Next()+1) }

// Scaled draws a number in 0..m-1 from the high bits; m must be in 1..2^47.
func (r *Rng) Scaled(m int64) int64 { return (r.Next() * m) >> 16 }

// Busy runs k dependent steps from the start value k and returns the last value, which the caller has to put into a
// checksum so that the loop is not removed.
func Busy(k int64) int64 {
	v := k
	for i := int64(0); i < k; i++ {
		v = step(v)
	}
	return v
}
