package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
)

// Check turns the parameters of a run message into values. The text of its error is prescribed by the peer protocol, and
// so is the order of the tests: missing, unknown, type, range.
func (b *Benchmark) Check(raw map[string]json.RawMessage) (Values, error) {
	if err := b.checkNames(raw); err != nil {
		return nil, err
	}
	values := make(Values, len(b.Parameters))
	for _, p := range b.Parameters {
		v, err := strconv.ParseInt(string(raw[p.Name]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %s is %s; it must be an integer", b.Name, p.Name, compact(raw[p.Name]))
		}
		values[p.Name] = v
	}
	for _, p := range b.Parameters {
		if v := values[p.Name]; v < p.Min || p.Max != 0 && v > p.Max {
			return nil, fmt.Errorf("%s: %s is %d; it must be %s", b.Name, p.Name, v, p.bounds())
		}
	}
	return values, nil
}

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
	sort.Strings(names)
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

func (p Parameter) bounds() string {
	if p.Max == 0 {
		return fmt.Sprintf("at least %d", p.Min)
	}
	return fmt.Sprintf("between %d and %d", p.Min, p.Max)
}
