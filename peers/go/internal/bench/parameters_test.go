package bench

import (
	"encoding/json"
	"reflect"
	"testing"
)

// domains has every kind of parameter and of relation.
var domains = Benchmark{
	Name: "domains",
	Parameters: []Parameter{
		{"free", anyInteger()}, {"power", powerOfTwoBetween(2, 64)}, {"up", powerOfTwoFrom(2)}, {"rate", anyNumber()},
		{"alpha", numberAbove(0)}, {"from", numberFrom(0)}, {"omega", numberBetween(0, 2)}, {"mode", oneOf("one", "two")},
	},
	Relations: []Relation{
		{"power", AtLeast, 2, "free", -1}, {"power", AtMost, -2, "free", 99}, {"omega", Above, 1, "from", 0},
		{"up", MultipleOf, 1, "free", 0}, {"up", AtLeast, 1, "free", 1},
	},
}

func TestBadParametersOfEveryKindHaveTheExactText(t *testing.T) {
	good := map[string]string{
		"free": "-8", "power": "8", "up": "16", "rate": "-1.5", "alpha": "0.25", "from": "0.5", "omega": "1", "mode": `"two"`,
	}
	for _, c := range []struct {
		change map[string]string
		want   string // after the name; empty if nothing is wrong
	}{
		{nil, ""},
		{map[string]string{"alpha": "2", "from": "0", "omega": "2e0"}, ""},
		{map[string]string{"free": "4.0"}, "free is 4.0; it must be an integer"},
		{map[string]string{"rate": `"7"`}, `rate is "7"; it must be a number`},
		{map[string]string{"rate": "null"}, "rate is null; it must be a number"},
		{map[string]string{"rate": "true"}, "rate is true; it must be a number"},
		{map[string]string{"rate": "[1, 2]"}, "rate is [1,2]; it must be a number"},
		{map[string]string{"mode": "1"}, "mode is 1; it must be one of one, two"},
		{map[string]string{"mode": "null"}, "mode is null; it must be one of one, two"},
		{map[string]string{"mode": `"three"`}, `mode is "three"; it must be one of one, two`},
		{map[string]string{"power": "65"}, "power is 65; it must be between 2 and 64"},
		{map[string]string{"alpha": "0"}, "alpha is 0; it must be above 0"},
		{map[string]string{"from": "-0.5"}, "from is -0.5; it must be at least 0"},
		{map[string]string{"omega": "2.5"}, "omega is 2.5; it must be between 0 and 2"},
		{map[string]string{"power": "6"}, "power is 6; it must be a power of two"},
		{map[string]string{"up": "24"}, "up is 24; it must be a power of two"},
		{map[string]string{"power": "6", "mode": "0"}, "mode is 0; it must be one of one, two"},
		{map[string]string{"power": "6", "omega": "3"}, "omega is 3; it must be between 0 and 2"},
		{map[string]string{"free": "8"}, "power is 8; it must be at least 15 (2 * free - 1)"},
		{map[string]string{"free": "9223372036854775807"}, "power is 8; it must be at least 18446744073709551613 (2 * free - 1)"},
		{map[string]string{"power": "64", "free": "20"}, "power is 64; it must be at most 59 (99 - 2 * free)"},
		{map[string]string{"from": "1.0"}, "omega is 1; it must be above 1 (from)"},
		{map[string]string{"from": "1.25"}, "omega is 1; it must be above 1.25 (from)"},
		{map[string]string{"free": "3"}, "up is 16; it must be a multiple of 3 (free)"},
		{map[string]string{"free": "0"}, "up is 16; it must be a multiple of 0 (free)"},
		{map[string]string{"free": "4", "up": "4"}, "up is 4; it must be at least 5 (free + 1)"},
	} {
		raw := map[string]json.RawMessage{}
		for _, from := range []map[string]string{good, c.change} {
			for name, value := range from {
				raw[name] = json.RawMessage(value)
			}
		}
		_, err := domains.Check(raw)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.change, err)
		case c.want != "" && (err == nil || err.Error() != "domains: "+c.want):
			t.Errorf("%v: got %v, want %s", c.change, err, c.want)
		}
	}
}

func TestGoodParametersAreAccepted(t *testing.T) {
	got := check(t, partOf(domains, "rate", "mode", "free"), `{"free":-9,"rate":4,"mode":"one"}`)
	if want := (Values{"free": int64(-9), "rate": 4.0, "mode": "one"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// partOf is a benchmark with only some of the parameters, and no relations.
func partOf(b Benchmark, names ...string) Benchmark {
	part := Benchmark{Name: b.Name}
	for _, p := range b.Parameters {
		for _, name := range names {
			if p.Name == name {
				part.Parameters = append(part.Parameters, p)
			}
		}
	}
	return part
}

func TestWhatBenchmarksDeclareIsConsistent(t *testing.T) {
	for _, b := range All() {
		known := map[string]bool{}
		for _, p := range b.Parameters {
			if known[p.Name] {
				t.Errorf("%s has two parameters %s", b.Name, p.Name)
			}
			known[p.Name] = true
		}
		for _, r := range b.Relations {
			if !known[r.Parameter] || !known[r.Of] {
				t.Errorf("%s: a relation between %s and %s, which are not both parameters", b.Name, r.Parameter, r.Of)
			}
		}
	}
}
