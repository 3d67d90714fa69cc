package bench

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"scoville/peer/internal/actor"
)

// cases are the tiny presets, and the smallest and oddest parameters that an entry admits; the specification gives the
// formulas. The messages do not include those whose number depends on scheduling; where it is all of them, it says so.
const scheduled = -1

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
	{apsp, `{"n":12,"b":4,"w":10}`, `{"result":382,"wsum":19158,"phases":108}`, 10, 459},
	{apsp, `{"n":2,"b":1,"w":1}`, `{"result":2,"wsum":50,"phases":8}`, 5, 28},
	{astar, `{"w":3,"g":6,"t":8,"p":30,"mode":"exhaust"}`, `{"result":131,"spins":4573021}`, 4, 5},
	{astar, `{"w":3,"g":6,"t":8,"p":30,"mode":"first"}`, `{"result":1,"valid":1}`, 4, scheduled},
	{nqueenk, `{"w":4,"n":6,"t":3,"k":1500000,"p":10}`, `{"result":4,"items":63}`, 5, 200},
	{nqueenk, `{"w":1,"n":1,"t":1,"k":2,"p":1}`, `{"result":1,"items":2}`, 2, 8},
	{nqueenk, `{"w":3,"n":6,"t":3,"k":3,"p":1}`, `{"result":3}`, 4, scheduled},
	{recmatmul, `{"n":16,"t":64,"w":3,"p":10}`, `{"result":230400,"wsum":11886336,"items":9}`, 4, 32},
	{recmatmul, `{"n":2,"t":1,"w":1,"p":1}`, `{"result":2,"wsum":98,"items":9}`, 2, 28},
	{quicksort, `{"n":100,"m":1152921504606846976,"t":16,"s":1024}`, `{"result":45451337,"count":100,"sorted":1,"sum":3624402}`, 21, 41},
	{quicksort, `{"n":1,"m":1,"t":1,"s":0}`, `{"result":1000003,"count":1,"sorted":1,"sum":0}`, 3, 5},
	{radixsort, `{"n":50,"m":65536,"s":2048}`, `{"result":1334527098,"count":50,"errors":0,"sum":1554079}`, 18, 851},
	{radixsort, `{"n":1,"m":2,"s":0}`, `{"result":1000004,"count":1,"errors":0,"sum":1}`, 3, 3},
	{filterbank, `{"sim":20,"col":4,"chan":3}`, `{"result":18306,"count":14,"sum":29464.0,"wsum":142600.0,"fir":51}`, 27, 534},
	{filterbank, `{"sim":3,"col":2,"chan":2}`, `{"result":12,"count":1,"sum":0,"wsum":0,"fir":4}`, 20, 66},
	{filterbank, `{"sim":7,"col":2,"chan":2}`, `{"result":228,"count":5,"sum":160,"wsum":692,"fir":12}`, 20, 150},
	{bitonicsort, `{"n":16,"m":1152921504606846976,"s":2048}`, `{"result":1395422121,"count":16,"errors":0,"sum":426088}`, 192, 1494},
	{bitonicsort, `{"n":2,"m":1,"s":0}`, `{"result":1426104154,"count":2,"errors":0,"sum":0}`, 9, 25},
	{sieve, `{"n":200,"m":10}`, `{"result":46,"sum":4227,"filters":5}`, 6, 185},
	{sieve, `{"n":3,"m":1}`, `{"result":1,"sum":2,"filters":1}`, 2, 2},
	{sieve, `{"n":8,"m":1}`, `{"result":4,"sum":17,"filters":4}`, 5, 11},
	{uct, `{"nodes":100,"avg":50,"stdev":10,"binomial":4,"urgent":50,"unit":1,"seed":2}`, `{"result":6325764,"nodes":97,"height":6,"urgent":10,"grants":23}`, 97, 527},
	{uct, `{"nodes":2,"avg":1,"stdev":0,"binomial":1,"urgent":0,"unit":1,"seed":2}`, `{"result":66163,"nodes":2,"height":2,"urgent":0,"grants":0}`, 2, 6},
	{facloc, `{"n":300,"g":500.0,"a":2.0,"s":123456,"dist":"uniform"}`, `{"result":600,"facilities":5,"customers":300,"maxdepth":2,"cost":12552.8010675,"rootups":4}`, 22, 1165},
	{facloc, `{"n":1,"g":1,"a":1,"s":0,"dist":"savina"}`, `{"result":0,"facilities":0,"customers":1,"maxdepth":0,"cost":0.7070426945424426,"rootups":0}`, 2, 3},
	{trapezoid, `{"n":1000,"w":10,"l":1.0,"r":5.0}`, `{"result":0.271068559391053,"pieces":1000}`, 11, 21},
	{trapezoid, `{"n":1,"w":3,"l":0,"r":1}`, `{"result":-0.595009839529386,"pieces":1}`, 4, 7},
	{piprecision, `{"w":3,"p":50}`, `{"result":245309055,"digits":1431576654}`, 4, 7},
	{piprecision, `{"w":1,"p":10}`, `{"result":1351155477,"digits":318976949}`, 2, 3},
	{sor, `{"size":4,"it":3,"omega":1.25,"seed":10101010}`, `{"result":1.01823080073825e-10,"received":128}`, 18, 156},
	{sor, `{"size":3,"it":2,"omega":0.5,"seed":7}`, `{"result":1.3964440476005354e-09,"received":41}`, 11, 58},
	{matrixsearch, `{"controllers":2,"seekers":3,"size":16,"jobs":3,"word":3,"alphabet":4,"assign":"continuous","place":"local"}`, `{"result":65,"jobs":18}`, 9, 52},
	{matrixsearch, `{"controllers":2,"seekers":3,"size":16,"jobs":3,"word":3,"alphabet":4,"assign":"blockwise","place":"local"}`, `{"result":65,"jobs":18}`, 9, 52},
	{bigneighbours, `{"workers":10,"hood":3,"pings":20}`, `{"result":1102,"pings":200,"pongs":200,"errors":0}`, 11, 451},
	{chameneosfair, `{"creatures":5,"meetings":50}`, `{"result":100,"colours":1,"self":0}`, 6, 220},
	{fannkuch, `{"n":7,"chunks":200}`, `{"result":228,"maxflips":16,"flips":18508}`, 195, 389},
	{pingping, `{"r":10,"size":4,"mode":"copy"}`, `{"result":258,"hash":690487743}`, 3, 24},
	{pingping, `{"r":10,"size":4,"mode":"share"}`, `{"result":242,"hash":1851424578}`, 3, 24},
	{spawn, `{"n":1000}`, `{"result":499500,"awake":1000}`, 1001, 2000},
	{pairs, `{"pairs":3,"mode":"fixed","rounds":5,"seconds":60,"report":2,"size":4,"payload":"copy"}`, `{"result":15,"hashsum":941836050}`, 7, 48},
	{mixed, `{"rings":2,"size":4,"token":3,"reps":2,"number":8051}`, `{"result":720,"results":4,"rounds":16}`, 17, 78},
	{chat, `{"clients":16,"turns":5,"dirs":2,"compute":10,"post":30,"leave":50,"invite":60,"befriend":50,"fib":5,"seed":42}`, `{"result":25,"edges":35,"compute":5,"post":33,"leave":24,"invite":15,"none":3,"invitations":23}`, 55, 297},
	{matrixsearch, `{"controllers":1,"seekers":2,"size":5,"jobs":4,"word":1,"alphabet":2,"assign":"blockwise","place":"local"}`, `{"result":99,"jobs":8}`, 4, 22},
	{bigneighbours, `{"workers":7,"hood":3,"pings":5}`, `{"result":137,"pings":35,"pongs":35,"errors":0}`, 8, 106},
	{bigneighbours, `{"workers":100,"hood":9,"pings":2}`, `{"result":9727,"pings":200,"pongs":200,"errors":0}`, 101, 901},
	{bigneighbours, `{"workers":1,"hood":5,"pings":3}`, `{"result":3,"pings":3,"pongs":3,"errors":0}`, 2, 12},
	{chameneosfair, `{"creatures":2,"meetings":1}`, `{"result":2,"colours":1,"self":0}`, 3, 12},
	{fannkuch, `{"n":2,"chunks":1}`, `{"result":-1,"maxflips":1,"flips":1}`, 2, 3},
	{fannkuch, `{"n":7,"chunks":1}`, `{"result":228,"maxflips":16,"flips":18508}`, 2, 3},
	{fannkuch, `{"n":7,"chunks":9223372036854775807}`, `{"result":228,"maxflips":16,"flips":18508}`, 5041, 10081},
	{pingping, `{"r":1,"size":1,"mode":"copy"}`, `{"result":6,"hash":1000007}`, 3, 6},
	{spawn, `{"n":1}`, `{"result":0,"awake":1}`, 2, 2},
	{pairs, `{"pairs":1,"mode":"fixed","rounds":1,"seconds":1,"report":5,"size":1,"payload":"copy"}`, `{"result":1,"hashsum":1000008}`, 3, 6},
	{pairs, `{"pairs":2,"mode":"fixed","rounds":3,"seconds":1,"report":1,"size":1,"payload":"share"}`, `{"result":6,"hashsum":2000012}`, 5, 24},
	{mixed, `{"rings":1,"size":2,"token":0,"reps":1,"number":4}`, `{"result":4,"results":1,"rounds":1}`, 4, 7},
	{chat, `{"clients":1,"turns":1,"dirs":3,"compute":0,"post":0,"leave":0,"invite":0,"befriend":0,"fib":0,"seed":0}`, `{"result":0,"edges":0,"compute":0,"post":0,"leave":0,"invite":0,"none":1,"invitations":0}`, 7, 15},
	{chat, `{"clients":9,"turns":3,"dirs":2,"compute":0,"post":0,"leave":0,"invite":0,"befriend":100,"fib":0,"seed":1}`, `{"result":0,"edges":16,"compute":0,"post":0,"leave":0,"invite":0,"none":27,"invitations":0}`, 24, 100},
}

// plus is the number of messages that scheduling adds.
var plus = map[string]func(p Values, metric func(string) int64) int64{
	"philosopher": func(_ Values, metric func(string) int64) int64 { return 2 * metric("retries") },
	"barber": func(p Values, metric func(string) int64) int64 {
		return 3*(metric("attempts")-p.Int("haircuts")) + metric("sleeps")
	},
	"chat": func(_ Values, metric func(string) int64) int64 {
		return metric("forwards") + metric("bumps") + metric("closes") + 2*metric("leaves")
	},
	"astar":       func(_ Values, metric func(string) int64) int64 { return 3 * metric("items") },
	"facloc":      func(_ Values, metric func(string) int64) int64 { return metric("facility_down") },
	"piprecision": func(_ Values, metric func(string) int64) int64 { return 2 * metric("terms") },
}

func TestResultsAndWork(t *testing.T) {
	for _, c := range cases {
		c := c
		t.Run(c.benchmark.Name, func(t *testing.T) {
			t.Parallel()
			p := check(t, c.benchmark, c.parameters)
			repeats := 20
			if c.benchmark.Name == "spawn" {
				repeats = 2 // it collects garbage and pauses
			}
			for repeat := 0; repeat < repeats; repeat++ {
				it := actor.NewIteration(func() {}, func() {}, true)
				out, err := c.benchmark.Run(it, p)
				if err != nil {
					t.Fatalf("%s: %v", c.parameters, err)
				}
				compare(t, c.parameters, out, c.fields)
				w, err := it.Work()
				if err != nil {
					t.Fatalf("%s: %v", c.parameters, err)
				}
				want := actor.Work{Actors: c.actors, Messages: c.messages}
				if c.messages == scheduled {
					want.Messages = w.Messages
				} else if add := plus[c.benchmark.Name]; add != nil {
					want.Messages += add(p, func(name string) int64 { return out.Metrics[name].(int64) })
				}
				if *w != want {
					t.Fatalf("%s: work %v, want %v", c.parameters, *w, want)
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
