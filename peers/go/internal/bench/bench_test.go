package bench

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"scoville/peer/internal/actor"
)

// cases are the tiny presets, and the smallest and oddest parameters that an entry admits; the specification gives the
// formulas. The messages do not include those whose number depends on scheduling.
var cases = []struct {
	benchmark        Benchmark
	parameters       string
	fields           string // result and checks
	actors, messages int64
}{
	{pingpong, `{"pings":100}`, `{"result":5050,"pongs":100}`, 2, 301},
	{pingpong, `{"pings":1}`, `{"result":1,"pongs":1}`, 2, 4},
	{threadring, `{"actors":7,"hops":40}`, `{"result":161,"last":5}`, 7, 55},
	{threadring, `{"actors":1,"hops":0}`, `{"result":1,"last":0}`, 1, 3},
	{threadring, `{"actors":5,"hops":2}`, `{"result":6,"last":2}`, 5, 13},
	{count, `{"messages":1000}`, `{"result":1000}`, 2, 1003},
	{count, `{"messages":0}`, `{"result":0}`, 2, 3},
	{fjthrput, `{"messages":50,"actors":7}`, `{"result":1400,"sum":80.185670383472}`, 7, 350},
	{fjthrput, `{"messages":1,"actors":1}`, `{"result":1,"sum":0.22910191538134758}`, 1, 1},
	{fjcreate, `{"actors":500}`, `{"result":125250}`, 500, 500},
	{fjcreate, `{"actors":1}`, `{"result":1}`, 1, 1},
	{fib, `{"index":10}`, `{"result":55,"actors":109}`, 109, 217},
	{fib, `{"index":1}`, `{"result":1,"actors":1}`, 1, 1},
	{fib, `{"index":3}`, `{"result":2,"actors":3}`, 3, 5},
	{chameneos, `{"creatures":5,"meetings":100}`, `{"result":200,"colour":1}`, 6, 415},
	{chameneos, `{"creatures":2,"meetings":0}`, `{"result":0,"colour":1}`, 3, 6},
	{big, `{"pings":50,"actors":10}`, `{"result":2806,"pings":500}`, 11, 1041},
	{big, `{"pings":0,"actors":3}`, `{"result":0,"pings":0}`, 4, 13},
	{big, `{"pings":9,"actors":1}`, `{"result":9,"pings":9}`, 2, 23},
	{concdict, `{"workers":3,"requests":40,"write_pct":30,"entries":50}`, `{"result":1979089,"writes":35,"reads":85,"map_size":50,"map_sum":961944}`, 5, 247},
	{concdict, `{"workers":1,"requests":0,"write_pct":0,"entries":1}`, `{"result":0,"writes":0,"reads":0,"map_size":1,"map_sum":0}`, 3, 3},
	{concsll, `{"workers":3,"requests":300,"write_pct":20,"size_pct":5}`, `{"result":469117805,"list_len":169,"hits":1,"sizes":29,"contains":702}`, 5, 1807},
	{concsll, `{"workers":2,"requests":0,"write_pct":0,"size_pct":0}`, `{"result":0,"list_len":0,"hits":0,"sizes":0,"contains":0}`, 4, 5},
	{bndbuffer, `{"buffer":6,"producers":4,"consumers":3,"items":20,"prod_cost":1,"cons_cost":0}`, `{"result":840,"items":80,"data_sum":-386124.32298391}`, 8, 331},
	{bndbuffer, `{"buffer":2,"producers":1,"consumers":1,"items":0,"prod_cost":0,"cons_cost":0}`, `{"result":0,"items":0,"data_sum":0}`, 3, 3},
	{bndbuffer, `{"buffer":2,"producers":1,"consumers":1,"items":3,"prod_cost":0,"cons_cost":0}`, `{"result":6,"items":3,"data_sum":-41.381783193187}`, 3, 15},
	{philosopher, `{"philosophers":5,"rounds":20}`, `{"result":300,"errors":0}`, 6, 405},
	{philosopher, `{"philosophers":1,"rounds":1}`, `{"result":1,"errors":0}`, 2, 5},
	{barber, `{"haircuts":30,"chairs":5,"arrival_work":100,"haircut_work":80}`, `{"result":465,"factory_busy":897978,"barber_busy":923802}`, 33, 213},
	{barber, `{"haircuts":1,"chairs":1,"arrival_work":1,"haircut_work":1}`, `{"result":1,"factory_busy":38176,"barber_busy":38176}`, 4, 10},
	{cigsmok, `{"rounds":20,"smokers":6}`, `{"result":76,"busy_sum":713088}`, 7, 47},
	{cigsmok, `{"rounds":2,"smokers":1}`, `{"result":2,"busy_sum":78080}`, 2, 6},
	{logmap, `{"terms":100,"series":4,"start_rate":3.46,"increment":0.0025}`, `{"result":1.28893373024145,"orbit_sum":188.6715380777975,"steps":400}`, 9, 1217},
	{logmap, `{"terms":0,"series":1,"start_rate":3,"increment":1}`, `{"result":0,"orbit_sum":0,"steps":0}`, 3, 5},
	{banking, `{"accounts":20,"transactions":100,"initial_balance":1000000}`, `{"result":210289872,"total":20000000,"completed":100}`, 21, 421},
	{banking, `{"accounts":10,"transactions":1,"initial_balance":-5}`, `{"result":4909,"total":-50,"completed":1}`, 11, 15},
}

// scheduled is the number of messages that scheduling adds.
var scheduled = map[string]func(p Values, metric func(string) int64) int64{
	"philosopher": func(_ Values, metric func(string) int64) int64 { return 2 * metric("retries") },
	"barber": func(p Values, metric func(string) int64) int64 {
		return 3*(metric("attempts")-p.Int("haircuts")) + metric("sleeps")
	},
}

func TestResultsAndWork(t *testing.T) {
	for _, c := range cases {
		c := c
		t.Run(c.benchmark.Name, func(t *testing.T) {
			t.Parallel()
			p := check(t, c.benchmark, c.parameters)
			for repeat := 0; repeat < 20; repeat++ {
				it := actor.NewIteration(func() {}, true)
				out, err := c.benchmark.Run(it, p)
				if err != nil {
					t.Fatalf("%s: %v", c.parameters, err)
				}
				compare(t, c.parameters, out, c.fields)
				want := actor.Work{Actors: c.actors, Messages: c.messages}
				if plus := scheduled[c.benchmark.Name]; plus != nil {
					want.Messages += plus(p, func(name string) int64 { return out.Metrics[name].(int64) })
				}
				if w, err := it.Work(); err != nil || *w != want {
					t.Fatalf("%s: work %v (%v), want %v", c.parameters, w, err, want)
				}
			}
		})
	}
}

func check(t *testing.T, b Benchmark, parameters string) Values {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(parameters), &raw); err != nil {
		t.Fatal(err)
	}
	p, err := b.Check(raw)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compare holds result and checks against the expected fields: integers are equal, floats agree to nine digits.
func compare(t *testing.T, parameters string, out Outcome, fields string) {
	t.Helper()
	var want map[string]json.Number
	if err := json.Unmarshal([]byte(fields), &want); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{"result": out.Result}
	for name, v := range out.Checks {
		got[name] = v
	}
	if len(got) != len(want) {
		t.Fatalf("%s: fields %v, want %v", parameters, got, want)
	}
	for name, w := range want {
		ok := false
		switch v := got[name].(type) {
		case int64:
			ok = strconv.FormatInt(v, 10) == w.String()
		case Float:
			wanted, err := w.Float64()
			ok = err == nil && math.Abs(float64(v)-wanted) <= 1e-9*math.Abs(wanted)
		}
		if !ok {
			t.Fatalf("%s: %s is %v, want %s", parameters, name, got[name], w)
		}
	}
}

func TestMeetingsOfAllCreaturesAddUp(t *testing.T) {
	out, err := chameneos.Run(actor.NewIteration(func() {}, false), Values{"creatures": int64(9), "meetings": int64(1000)})
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, m := range out.PerActor["meetings"] {
		sum += m
	}
	if n := len(out.PerActor["meetings"]); n != 9 || sum != 2000 {
		t.Errorf("%d creatures met %d times; want 9 and 2000", n, sum)
	}
}

func TestComplementIsTheThirdColour(t *testing.T) {
	want := [3][3]colour{{0, 2, 1}, {2, 1, 0}, {1, 0, 2}}
	for a := colour(0); a < 3; a++ {
		for b := colour(0); b < 3; b++ {
			if got := a.complement(b); got != want[a][b] {
				t.Errorf("complement(%d, %d) = %d, want %d", a, b, got, want[a][b])
			}
		}
	}
}

// An actor that gets what must not come fails the iteration instead of carrying on.
func TestViolatedAssertionsFailTheIteration(t *testing.T) {
	t.Run("wrong number at Ping", func(t *testing.T) {
		it := actor.NewIteration(func() {}, false)
		it.Expect(2)
		pong := actor.Spawn(it, func(self *actor.Mailbox[pongMessage]) { self.Receive() })
		ping := actor.Spawn(it, func(self *actor.Mailbox[pingMessage]) { pingActor(self, pong, 3) })
		ping.Send(pingMessage{kind: pingStart})
		ping.Send(pingMessage{kind: pingBack, n: 99})
		mustFail(t, it, "Ping received 99; it expected 3")
	})
	t.Run("token before data", func(t *testing.T) {
		it := actor.NewIteration(func() {}, false)
		it.Expect(1)
		ring := actor.Spawn(it, func(self *actor.Mailbox[ringMessage]) { ringActor(self, 0, 1, new(ringEnd)) })
		ring.Send(ringMessage{kind: ringToken})
		mustFail(t, it, "before Data")
	})
	t.Run("pong from a stranger", func(t *testing.T) {
		it := actor.NewIteration(func() {}, false)
		it.Expect(1)
		worker := actor.Spawn(it, func(self peer) { peerActor(self, nil, 0, 1) })
		worker.Send(peerMessage{kind: peerPeers, peers: &[]peer{worker}})
		worker.Send(peerMessage{kind: peerPong, id: 5})
		mustFail(t, it, "a pong from 5; it expected one from -1")
	})
}

func TestBadParametersHaveTheExactText(t *testing.T) {
	for _, c := range []struct {
		benchmark Benchmark
		given     string
		want      string
	}{
		{threadring, `{}`, "threadring: parameter actors is missing"},
		{threadring, `{"actors":1}`, "threadring: parameter hops is missing"},
		{threadring, `{"zz":1}`, "threadring: parameter actors is missing"},
		{pingpong, `{"pings":"x","z":1,"a":2}`, "pingpong: unknown parameter a"},
		{pingpong, `{"pings":"7"}`, `pingpong: pings is "7"; it must be an integer`},
		{pingpong, `{"pings":1.5}`, "pingpong: pings is 1.5; it must be an integer"},
		{pingpong, `{"pings":1e3}`, "pingpong: pings is 1e3; it must be an integer"},
		{pingpong, `{"pings":null}`, "pingpong: pings is null; it must be an integer"},
		{pingpong, `{"pings":[1, 2]}`, "pingpong: pings is [1,2]; it must be an integer"},
		{pingpong, `{"pings":9223372036854775808}`, "pingpong: pings is 9223372036854775808; it must be an integer"},
		{threadring, `{"actors":0,"hops":true}`, "threadring: hops is true; it must be an integer"},
		{threadring, `{"actors":0,"hops":-1}`, "threadring: actors is 0; it must be at least 1"},
		{fib, `{"index":46}`, "fib: index is 46; it must be between 1 and 45"},
		{fib, `{"index":0}`, "fib: index is 0; it must be between 1 and 45"},
		{big, `{"pings":0,"actors":65537}`, "big: actors is 65537; it must be between 1 and 65536"},
	} {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.given), &raw); err != nil {
			t.Fatal(err)
		}
		if _, err := c.benchmark.Check(raw); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: got %v, want %s", c.benchmark.Name, c.given, err, c.want)
		}
	}
}

func TestFloatsHave17SignificantDigits(t *testing.T) {
	for f, want := range map[Float]string{0.1: "1.0000000000000001e-01", 274922.29845761: "2.7492229845761001e+05"} {
		if got, err := json.Marshal(f); err != nil || string(got) != want {
			t.Errorf("%v: got %s (%v), want %s", float64(f), got, err, want)
		}
	}
	if _, err := json.Marshal(Float(math.NaN())); err == nil {
		t.Error("NaN was written")
	}
}

func mustFail(t *testing.T, it *actor.Iteration, want string) {
	t.Helper()
	if err := it.Wait(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the iteration ended with %v; want %q", err, want)
	}
}
