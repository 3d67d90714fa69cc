package bench

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

func TestPairsStopWhenTheirTimeIsOver(t *testing.T) {
	p := check(t, pairs, `{"pairs":3,"mode":"timed","rounds":1,"seconds":1,"report":7,"size":9,"payload":"copy"}`)
	it := actor.NewIteration(func() {}, func() {}, true)
	out, err := pairs.Run(it, p)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range out.PerActor["n"] {
		sum += n
	}
	if out.Result != sum || len(out.PerActor["n"]) != 3 || len(out.Checks) != 0 {
		t.Errorf("%v exchanges, %v by pair, checks %v", out.Result, out.PerActor["n"], out.Checks)
	}
	if w, err := it.Work(); err != nil || w.Actors != 7 {
		t.Errorf("work is %v, %v", w, err)
	}
	if it.Wall() < time.Second {
		t.Errorf("they stopped after %v", it.Wall())
	}
}

func TestPlacingActorsIsUnsupported(t *testing.T) {
	p := check(t, matrixsearch, `{"controllers":1,"seekers":1,"size":1,"jobs":1,"word":1,"alphabet":2,"assign":"continuous","place":"roundrobin"}`)
	_, err := matrixsearch.Run(actor.NewIteration(func() { t.Error("the clock was started") }, func() {}, false), p)
	var unsupported Unsupported
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "roundrobin") {
		t.Errorf("Run returned %v", err)
	}
}

func TestMeetingsOfAllCreaturesAddUp(t *testing.T) {
	out, err := chameneos.Run(actor.NewIteration(func() {}, func() {}, false), Values{"creatures": int64(9), "meetings": int64(1000)})
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

// startBounded starts one actor of the timed region.
func startBounded[M any](it *actor.Iteration, room int64, body func(self actor.Bounded[M])) actor.Bounded[M] {
	self := actor.NewBounded[M](it, room)
	go func() {
		defer it.Leave()
		body(self)
	}()
	return self
}

// An actor that gets what must not come fails the iteration instead of carrying on.
func TestViolatedAssertionsFailTheIteration(t *testing.T) {
	for name, c := range map[string]struct {
		provoke func(it *actor.Iteration)
		want    string
	}{
		"pingpong: wrong number": {func(it *actor.Iteration) {
			it.Expect(1)
			pong := actor.NewBounded[pongMessage](it, 1)
			ping := startBounded(it, 2, func(self pinger) { pingActor(self, pong, 3) })
			ping.Send(pingMessage{kind: pingStart})
			ping.Send(pingMessage{kind: pingBack, n: 99})
		}, "Ping received 99; it expected 3"},
		"threadring: token before data": {func(it *actor.Iteration) {
			ring := startBounded(it, 1, func(self ringLink) { ringActor(self, 0, 1, new(ringEnd)) })
			ring.Send(ringMessage{kind: ringToken})
		}, "before Data"},
		"big: pong from a stranger": {func(it *actor.Iteration) {
			worker := actor.Spawn(it, func(self peer) { peerActor(self, nil, 0, 1) })
			worker.Send(peerMessage{kind: peerPeers, peers: &[]peer{worker}})
			worker.Send(peerMessage{kind: peerPong, id: 5})
		}, "a pong from 5; it expected one from -1"},
		"concdict: no such key": {func(it *actor.Iteration) {
			dictionary := startBounded(it, 1, func(self dictMailbox) { dictActor(self, map[int64]int64{1: 1}) })
			dictionary.Send(dictMessage{kind: dictRead, key: 2})
		}, "no key 2"},
		"barber: too few haircuts": {func(it *actor.Iteration) {
			barber := actor.Spawn(it, func(self *actor.Mailbox[barberMessage]) { barberActor(self, 3, 1) })
			barber.Send(barberMessage{kind: barberClose})
		}, "made 0 haircuts; 3 were due"},
		"cigsmok: started by nobody": {func(it *actor.Iteration) {
			arbiter := actor.Spawn(it, func(self *actor.Mailbox[arbiterMessage]) { arbiterActor(self, nil, 1) })
			arbiter.Send(arbiterStarted)
		}, "Arbiter received message kind 1 after choosing 0 smokers"},
		"logmap: value without a request": {func(it *actor.Iteration) {
			worker := actor.Spawn(it, seriesWorker{}.run)
			worker.Send(seriesMessage{kind: seriesValue})
		}, "a value that it did not ask for"},
		"banking: reply without a debit": {func(it *actor.Iteration) {
			account := actor.Spawn(it, func(self account) { accountActor(self, 0) })
			account.Send(accountMessage{kind: accountReply})
		}, "a reply that it did not wait for"},
		"apsp: result of a later phase": {func(it *actor.Iteration) {
			w := apspWorker{n: 4, side: 2, nb: 2}
			block := actor.Spawn(it, func(self apspBlock) {
				w.begin(distances(4, 1))
				w.run(self)
			})
			block.Send(apspMessage{kind: apspResult, phase: 1})
		}, "finished phase -1 received a result of phase 1"},
		"filterbank: incomplete row": {func(it *actor.Iteration) {
			integrator := actor.Spawn(it, func(self *actor.Mailbox[filterTagged]) { filterIntegrator(self, nil, 2) })
			integrator.Send(filterTagged{channel: 1})
			integrator.Send(filterTagged{exit: new(filterExit)})
			integrator.Send(filterTagged{exit: new(filterExit)})
		}, "1 incomplete rows"},
		"bitonicsort: odd value": {func(it *actor.Iteration) {
			compare := bitonicNet{it}.compare(3, true, nil)
			compare.Send(flow{v: 1})
			compare.Send(flow{last: true})
		}, "Compare 3 received a value without a partner"},
		"facloc: customer outside": {func(it *actor.Iteration) {
			f := facilities{it: it}
			it.Expect(4)
			root := f.spawn(quadrantState{box: box{high: point{1, 1}}, facilities: []point{{}}})
			root.Send(quadrantMessage{kind: quadrantCustomer, at: point{2, 2}})
		}, "outside of the box"},
		"mixed: no product of two primes": {func(it *actor.Iteration) {
			tally := actor.Spawn(it, func(self *actor.Mailbox[mixedMessage]) { mixedTally(self, 1, 1, 12) })
			tally.Send(mixedMessage{factors: factorise(12)})
		}, "the factors [2 2 3] came"},
		"chat: late close": {func(it *actor.Iteration) {
			it.Expect(1)
			poker := actor.Spawn(it, func(self chatPoker) { self.Receive() })
			a := accumulatorState{poker: poker, opened: [levels]int64{1}, counts: new(chatCounts)}
			accumulator := actor.Spawn(it, a.run)
			closeLevel(accumulator, levelActs)
			closeLevel(accumulator, levelActs)
		}, "after its turn had ended"},
	} {
		c := c
		t.Run(name, func(t *testing.T) {
			it := actor.NewIteration(func() {}, func() {}, false)
			it.Expect(1)
			c.provoke(it)
			if err := it.Wait(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the iteration ended with %v; want %q", err, c.want)
			}
		})
	}
}

func TestWorkIsDealtInTurn(t *testing.T) {
	it := actor.NewIteration(func() {}, func() {}, false)
	it.Expect(6)
	got := make([][]int32, 6)
	queens := queensMaster{workers: make([]*actor.Mailbox[queensMessage], 3)}
	nodes := astarMaster{workers: make([]*actor.Mailbox[astarMessage], 3)}
	for i := range queens.workers {
		i := i
		queens.workers[i] = actor.Spawn(it, func(self *actor.Mailbox[queensMessage]) {
			for m := self.Receive(); !m.last; m = self.Receive() {
				got[i] = append(got[i], int32(m.work.depth))
			}
		})
		nodes.workers[i] = actor.Spawn(it, func(self *actor.Mailbox[astarMessage]) {
			for m := self.Receive(); !m.last; m = self.Receive() {
				got[3+i] = append(got[3+i], m.work.node)
			}
		})
	}
	for n := 0; n < 7; n++ {
		queens.dispatch(queensWork{depth: n})
		nodes.dispatch(gridWork{node: int32(n)})
	}
	queens.stop()
	nodes.stop()
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	want := [][]int32{{0, 3, 6}, {1, 4}, {2, 5}, {0, 3, 6}, {1, 4}, {2, 5}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the workers got %v, want %v", got, want)
	}
}

// News of a facility that comes from a child goes to the opposite child, and upwards in the parent's own name.
func TestNewsOfAFacilityGoToTheOppositeChild(t *testing.T) {
	it := actor.NewIteration(func() {}, func() {}, false)
	it.Expect(5)
	got := make([][]quadrantMessage, 5)
	all := make([]quadrant, 5)
	for i := range all {
		i := i
		all[i] = actor.Spawn(it, func(self quadrant) {
			for m := self.Receive(); m.kind != quadrantRequestExit; m = self.Receive() {
				got[i] = append(got[i], m)
			}
		})
	}
	q := quadrantState{parent: all[4], position: 2, children: all[:4]}
	q.facilityUp(quadrantMessage{kind: quadrantFacilityUp, position: 1, depth: 5, at: point{1, 2}})
	q.requestExit()
	q.facilityUp(quadrantMessage{kind: quadrantFacilityUp, position: 0, depth: 6})
	q.facilityDown(quadrantMessage{kind: quadrantFacilityDown})
	all[4].Send(quadrantMessage{kind: quadrantRequestExit})
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	up := quadrantMessage{kind: quadrantFacilityUp, position: 2, depth: 5, at: point{1, 2}}
	down := quadrantMessage{kind: quadrantFacilityDown, position: 2, depth: 5, at: point{1, 2}}
	late := quadrantMessage{kind: quadrantFacilityUp, position: 2, depth: 6}
	if want := [][]quadrantMessage{nil, nil, {down}, nil, {up, late}}; !reflect.DeepEqual(got, want) {
		t.Errorf("the children and the parent got %v, want %v", got, want)
	}
	if q.ups != 2 || q.totals.downs != 1 {
		t.Errorf("%d ups and %d downs were counted, want 2 and 1", q.ups, q.totals.downs)
	}
}

// A partner may be reached by a ball before it knows whom to send it back to.
func TestAnEarlyBallIsKept(t *testing.T) {
	it := actor.NewIteration(func() {}, func() {}, false)
	it.Expect(2)
	var end partnerEnd
	early := actor.Spawn(it, func(self partner) { end = partnerActor(self, 2, 1, false) })
	early.Send(ballMessage{left: 1, payload: []byte{10}})
	other := actor.Spawn(it, func(self partner) {
		for _, want := range []ballMessage{{left: 1, payload: []byte{3}}, {left: 0, payload: []byte{11}}} {
			if m := self.Receive(); !reflect.DeepEqual(m, want) {
				actor.Fail("ball %v came; it must be %v", m, want)
			}
		}
	})
	early.Send(ballMessage{partner: other})
	early.Send(ballMessage{left: 0, payload: []byte{20}})
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := (partnerEnd{acc: 30, hash: checksumOf([]byte{21})}); end != want {
		t.Errorf("the partner reports %v, want %v", end, want)
	}
}

// A newcomer gets what was posted before, and who has left gets nothing any more.
func TestARoomForwardsToItsMembers(t *testing.T) {
	it := actor.NewIteration(func() {}, func() {}, false)
	it.Expect(4)
	var bumps []accumulatorMessage
	turn := actor.Spawn(it, func(self chatAccumulator) {
		for i := 0; i < 4; i++ {
			bumps = append(bumps, self.Receive())
		}
	})
	var got [2][]clientKind
	guest := func(i, n int) chatClient {
		return actor.Spawn(it, func(self chatClient) {
			for ; n > 0; n-- {
				got[i] = append(got[i], self.Receive().kind)
			}
		})
	}
	creator, newcomer := guest(0, 3), guest(1, 3)
	room := actor.Spawn(it, func(self chatRoom) { roomOf(self, creator) })
	for _, m := range []chatMessage{
		{kind: chatPost, turn: turn}, {kind: chatPost, turn: turn}, {kind: chatJoin, client: newcomer, turn: turn},
		{kind: chatLeave, client: newcomer, turn: turn}, {kind: chatPost, turn: turn}, {kind: chatStop},
	} {
		room.Send(m)
	}
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	one := accumulatorMessage{kind: accumulatorBump, closes: levelActs, opens: levelForwards, n: 1}
	two := accumulatorMessage{kind: accumulatorBump, closes: levelJoins, opens: levelForwards, n: 2}
	if want := []accumulatorMessage{one, one, two, one}; !reflect.DeepEqual(bumps, want) {
		t.Errorf("the accumulator got %v, want %v", bumps, want)
	}
	want := [2][]clientKind{
		{clientForward, clientForward, clientForward}, {clientForward, clientForward, clientLeft},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the members got %v, want %v", got, want)
	}
}

// Room is told to close while the barber still cuts: it must wait for the barber's Next.
func TestARoomThatClosesWaitsForTheBarber(t *testing.T) {
	it := actor.NewIteration(func() {}, func() {}, true)
	it.Expect(3)
	var room *actor.Mailbox[roomMessage]
	cut := actor.Spawn(it, func(self *actor.Mailbox[barberMessage]) {
		if m := self.Receive(); m.kind != barberServe {
			actor.Fail("message kind %d came instead of Serve", m.kind)
		}
		room.Send(roomMessage{kind: roomClose})
		room.Send(roomMessage{kind: roomNext})
		if m := self.Receive(); m.kind != barberClose {
			actor.Fail("message kind %d came instead of Close", m.kind)
		}
	})
	room = actor.Spawn(it, func(self *actor.Mailbox[roomMessage]) { roomActor(self, cut, 1) })
	guest := actor.Spawn(it, func(customer) {})
	room.Send(roomMessage{kind: roomEnter, customer: guest})
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := it.Work(); err != nil {
		t.Error(err)
	}
}

// A wrong outcome must not pass for a good one.
func TestOutcomesAreVerified(t *testing.T) {
	if m := newProduct(4); m.verify() == nil {
		t.Error("a product that was not computed passed")
	}
	for _, end := range []aggregatorEnd{
		{total: 5, exchanges: []int64{2, 2}},
		{total: 2, exchanges: []int64{2, 0}},
	} {
		if end.verify() == nil {
			t.Errorf("%+v passed", end)
		}
	}
	g := newGrid(5)
	if _, ok := g.path(); ok {
		t.Error("a path to an unclaimed target passed")
	}
	g.parent[g.target].Store(g.target)
	if _, ok := g.path(); ok {
		t.Error("a path in circles passed")
	}
	g.parent[g.target].Store(0)
	if edges, ok := g.path(); !ok || edges != 1 {
		t.Errorf("a path of one edge has %d, and passed: %v", edges, ok)
	}
}

// The inputs that the specification describes by a checksum.
func TestInputsFollowTheTables(t *testing.T) {
	sum := int64(0)
	for _, row := range distances(12, 10) {
		for _, d := range row {
			sum += d
		}
	}
	if sum != 714 {
		t.Errorf("distances(12, 10) add up to %d, want 714", sum)
	}
	for side, want := range map[int]struct{ edges, hash, target int64 }{6: {534, 2142788024, 172}, 30: {78712, 1240668639, 22344}} {
		g, edges, hash := newGrid(side), int64(0), emptyChecksum
		for _, neighbours := range g.neighbours {
			edges += int64(len(neighbours))
			for _, n := range neighbours {
				hash.add(int64(n))
			}
		}
		if edges != want.edges || int64(hash) != want.hash || int64(g.target) != want.target {
			t.Errorf("grid of side %d: %d edges, checksum %d, target %d; want %v", side, edges, hash, g.target, want)
		}
	}
	rng := lcg.NewJ48(2)
	for i, want := range []int64{652, 478, 535, 397} {
		if got := normalDraw(&rng, 500, 100); got != want {
			t.Errorf("normal draw %d is %d, want %d", i, got, want)
		}
	}
	plan := planTree(check(t, uct, `{"nodes":50000,"avg":500,"stdev":100,"binomial":10,"urgent":50,"unit":1,"seed":2}`))
	families, urgent := 0, 0
	for _, f := range plan.families {
		if f.first != 0 {
			families++
		}
		if f.first != 0 && f.urgent >= 0 {
			urgent++
		}
	}
	if plan.size != 49991 || families != 4998 || urgent != 2536 {
		t.Errorf("the tree has %d nodes, %d families, %d urgent nodes; want 49991, 4998, 2536", plan.size, families, urgent)
	}
	list := drawList(check(t, quicksort, `{"n":100,"m":1152921504606846976,"t":16,"s":1024}`))
	if got := checksumOf(list); got != 334225633 {
		t.Errorf("the list to sort has the checksum %d, want 334225633", got)
	}
	cells := int64(0)
	for _, c := range (&matrixSearch{size: 16, alphabet: 4}).fill(0) {
		cells += int64(c)
	}
	if cells != 392 {
		t.Errorf("matrix 0 adds up to %d, want 392", cells)
	}
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
