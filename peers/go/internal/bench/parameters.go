package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	bignum "math/big"
	"slices"
	"strconv"
	"strings"
)

// Parameter is a named value and what values it may have.
type Parameter struct {
	Name   string
	Domain Domain
}

// Domain is a kind of values and their range. The texts say what a value must be.
type Domain interface {
	parse(raw json.RawMessage) (value any, text string, ok bool)
	inRange(value any) (text string, ok bool)
}

// Integer admits Min..Max.
type Integer struct {
	Min, Max   *int64 // nil: no bound; a Max comes with a Min
	PowerOfTwo bool
}

// Number admits 64-bit floats. A JSON integer is one too.
type Number struct {
	Min, Above, Max *float64 // nil: no bound; a Max comes with a Min
}

// Choice admits one of its words.
type Choice []string

func anyInteger() Domain              { return Integer{} }
func atLeast(min int64) Domain        { return Integer{Min: &min} }
func between(min, max int64) Domain   { return Integer{Min: &min, Max: &max} }
func powerOfTwoFrom(min int64) Domain { return Integer{Min: &min, PowerOfTwo: true} }
func powerOfTwoBetween(min, max int64) Domain {
	return Integer{Min: &min, Max: &max, PowerOfTwo: true}
}
func anyNumber() Domain                     { return Number{} }
func numberAbove(above float64) Domain      { return Number{Above: &above} }
func numberFrom(min float64) Domain         { return Number{Min: &min} }
func numberBetween(min, max float64) Domain { return Number{Min: &min, Max: &max} }
func oneOf(words ...string) Domain          { return Choice(words) }

func (d Integer) parse(raw json.RawMessage) (any, string, bool) {
	v, err := strconv.ParseInt(string(raw), 10, 64)
	return v, "an integer", err == nil
}

func (d Integer) inRange(value any) (string, bool) {
	v := value.(int64)
	switch {
	case d.Max != nil:
		return fmt.Sprintf("between %d and %d", *d.Min, *d.Max), *d.Min <= v && v <= *d.Max
	case d.Min != nil:
		return fmt.Sprintf("at least %d", *d.Min), *d.Min <= v
	default:
		return "", true
	}
}

func (d Number) parse(raw json.RawMessage) (any, string, bool) {
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, "a number", err == nil
}

func (d Number) inRange(value any) (string, bool) {
	v := value.(float64)
	switch {
	case d.Max != nil:
		return fmt.Sprintf("between %v and %v", *d.Min, *d.Max), *d.Min <= v && v <= *d.Max
	case d.Min != nil:
		return fmt.Sprintf("at least %v", *d.Min), *d.Min <= v
	case d.Above != nil:
		return fmt.Sprintf("above %v", *d.Above), *d.Above < v
	default:
		return "", true
	}
}

func (d Choice) parse(raw json.RawMessage) (any, string, bool) {
	text := "one of " + strings.Join(d, ", ")
	var word string
	if err := json.Unmarshal(raw, &word); err != nil || string(raw) == "null" {
		return nil, text, false
	}
	for _, known := range d {
		if word == known {
			return word, text, true
		}
	}
	return nil, text, false
}

func (d Choice) inRange(any) (string, bool) { return "", true }

// Relation compares a parameter with a limit that depends on another one: Factor*Of + Plus, or just Of for numbers.
type Relation struct {
	Parameter string
	Must      Rule
	Factor    int64
	Of        string
	Plus      int64
}

// Rule is how a parameter must relate to a limit.
type Rule string

// The rules, in the words of the protocol.
const (
	AtLeast    Rule = "at least"
	AtMost     Rule = "at most"
	Above      Rule = "above"
	MultipleOf Rule = "a multiple of"
)

// limit returns what the parameter is compared with; rational numbers hold it without rounding and overflow.
func (r Relation) limit(values Values) *bignum.Rat {
	limit := values.rational(r.Of)
	limit.Mul(limit, new(bignum.Rat).SetInt64(r.Factor))
	return limit.Add(limit, new(bignum.Rat).SetInt64(r.Plus))
}

func (r Relation) holds(values Values) bool {
	v, limit := values.rational(r.Parameter), r.limit(values)
	switch r.Must {
	case AtLeast:
		return v.Cmp(limit) >= 0
	case AtMost:
		return v.Cmp(limit) <= 0
	case Above:
		return v.Cmp(limit) > 0
	case MultipleOf:
		return limit.Sign() != 0 && v.Quo(v, limit).IsInt()
	default:
		panic("unknown rule " + r.Must)
	}
}

// expression is the limit as a formula; a falling one begins with its constant.
func (r Relation) expression() string {
	term := r.Of
	if factor := max(r.Factor, -r.Factor); factor != 1 {
		term = fmt.Sprintf("%d * %s", factor, r.Of)
	}
	switch {
	case r.Factor < 0:
		return fmt.Sprintf("%d - %s", r.Plus, term)
	case r.Plus < 0:
		return fmt.Sprintf("%s - %d", term, -r.Plus)
	case r.Plus > 0:
		return fmt.Sprintf("%s + %d", term, r.Plus)
	default:
		return term
	}
}

// Values holds a checked value for every parameter of a benchmark: an int64, a float64 or a word.
type Values map[string]any

// Int returns the value of an integer parameter.
func (v Values) Int(name string) int64 { return v[name].(int64) }

// Number returns the value of a float parameter.
func (v Values) Number(name string) float64 { return v[name].(float64) }

// Word returns the value of a choice.
func (v Values) Word(name string) string { return v[name].(string) }

func (v Values) rational(name string) *bignum.Rat {
	if x, isFloat := v[name].(float64); isFloat {
		return new(bignum.Rat).SetFloat64(x)
	}
	return new(bignum.Rat).SetInt64(v.Int(name))
}

// Check turns the parameters of a run message into values. The text of its error is prescribed by the peer protocol, and
// so is the order of the tests: missing, unknown, type, range, power of two, relations.
func (b *Benchmark) Check(raw map[string]json.RawMessage) (Values, error) {
	if err := b.checkNames(raw); err != nil {
		return nil, err
	}
	refuse := func(name, text string) error {
		return fmt.Errorf("%s: %s is %s; it must be %s", b.Name, name, compact(raw[name]), text)
	}
	values := make(Values, len(b.Parameters))
	for _, p := range b.Parameters {
		v, text, ok := p.Domain.parse(raw[p.Name])
		if !ok {
			return nil, refuse(p.Name, text)
		}
		values[p.Name] = v
	}
	for _, p := range b.Parameters {
		if text, ok := p.Domain.inRange(values[p.Name]); !ok {
			return nil, refuse(p.Name, text)
		}
	}
	for _, p := range b.Parameters {
		if d, ok := p.Domain.(Integer); ok && d.PowerOfTwo && !isPowerOfTwo(values.Int(p.Name)) {
			return nil, refuse(p.Name, "a power of two")
		}
	}
	for _, r := range b.Relations {
		if !r.holds(values) {
			limit := compact(raw[r.Of]) // a broken number is quoted as it came
			if l := r.limit(values); l.IsInt() {
				limit = l.Num().String()
			}
			return nil, refuse(r.Parameter, fmt.Sprintf("%s %s (%s)", r.Must, limit, r.expression()))
		}
	}
	return values, nil
}

func isPowerOfTwo(v int64) bool { return v > 0 && v&(v-1) == 0 }

func (b *Benchmark) checkNames(raw map[string]json.RawMessage) error {
	known := make(map[string]bool, len(b.Parameters))
	for _, p := range b.Parameters {
		known[p.Name] = true
		if _, given := raw[p.Name]; !given {
			return fmt.Errorf("%s: parameter %s is missing", b.Name, p.Name)
		}
	}
	names := make([]string, 0, len(raw))
	for name := range raw {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !known[name] {
			return fmt.Errorf("%s: unknown parameter %s", b.Name, name)
		}
	}
	return nil
}

// compact returns valid JSON without white space.
func compact(value json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return string(value)
	}
	return b.String()
}
