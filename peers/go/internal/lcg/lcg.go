// Package lcg holds the deterministic arithmetic that the benchmarks share: the pseudo-random generators of the conventions
// [C3], [P1] and [X1], and the busy work of [C4] and [P1]. All are linear congruential.
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

// Spin is Busy with a start value of its own: n dependent steps from the low 16 bits of v.
func Spin(v, n int64) int64 {
	v &= 65535
	for i := int64(0); i < n; i++ {
		v = step(v)
	}
	return v
}

const (
	j48Multiplier = 25214903917
	j48Mask       = 1<<48 - 1
)

// J48 is the generator of Java's Random. It is not safe for concurrent use.
type J48 struct{ s uint64 }

// NewJ48 returns a generator with the given seed.
func NewJ48(seed int64) J48 { return J48{s: (uint64(seed) ^ j48Multiplier) & j48Mask} }

// Bits draws a number of k bits; k must be in 1..48.
func (r *J48) Bits(k uint) int64 {
	r.s = (r.s*j48Multiplier + 11) & j48Mask
	return int64(r.s >> (48 - k))
}

// Bool draws a truth value.
func (r *J48) Bool() bool { return r.Bits(1) == 1 }

// Int draws a number in 0..m-1; m must be in 1..2^31.
func (r *J48) Int(m int64) int64 { return r.Bits(31) % m }

// L32 is a 32-bit generator for text. It is not safe for concurrent use.
type L32 struct{ x uint32 }

// NewL32 returns a generator whose state is the low 32 bits of seed.
func NewL32(seed int64) L32 { return L32{x: uint32(seed)} }

// Char draws a character in 0..a-1; a must be in 1..256.
func (r *L32) Char(a int64) byte {
	r.x = r.x*1664525 + 1013904223
	return byte(uint64(r.x) * uint64(a) >> 32)
}
