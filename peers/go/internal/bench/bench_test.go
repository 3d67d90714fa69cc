package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"scoville/peer/internal/actor"
)

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
