package protocol

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/bench"
)

// laboratory is the other side of a conversation with Serve.
type laboratory struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	left chan error
}

func meet(t *testing.T, benchmarks []bench.Benchmark) *laboratory {
	t.Helper()
	ours, theirs := net.Pipe()
	lab := &laboratory{t: t, conn: ours, in: bufio.NewReader(ours), left: make(chan error, 1)}
	go func() {
		lab.left <- Serve(theirs, benchmarks)
		theirs.Close() // as the end of the process does, so that a test that waits for an answer fails
	}()
	t.Cleanup(func() { ours.Close() })
	if hello := lab.receive(); hello["type"] != "hello" || hello["protocol"] != 1.0 || hello["runtime"] != "go" {
		t.Fatalf("hello is %v", hello)
	}
	return lab
}

func (l *laboratory) send(line string) {
	l.t.Helper()
	if _, err := io.WriteString(l.conn, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

func (l *laboratory) receive() map[string]any {
	l.t.Helper()
	line, err := l.in.ReadBytes('\n')
	if err != nil {
		l.t.Fatal(err)
	}
	var message map[string]any
	if err := json.Unmarshal(line, &message); err != nil {
		l.t.Fatalf("%q: %v", line, err)
	}
	return message
}

func (l *laboratory) mustLeave(want error) {
	l.t.Helper()
	if err := <-l.left; !errors.Is(err, want) {
		l.t.Errorf("Serve returned %v, want %v", err, want)
	}
}

func TestAConversation(t *testing.T) {
	lab := meet(t, bench.All())
	lab.send(`{"type":"run","benchmark":"nope","parameters":{},"iteration":0,"count_messages":false}`)
	if got := lab.receive(); got["type"] != "fail" || got["code"] != "bad-parameter" || got["message"] != "nope: unknown benchmark" {
		t.Errorf("unknown benchmark: %v", got)
	}
	lab.send(`{"type":"run","benchmark":"fib","parameters":{"index":0},"iteration":0,"count_messages":false}`)
	if got := lab.receive(); got["code"] != "bad-parameter" {
		t.Errorf("bad parameter: %v", got)
	}
	for _, count := range []bool{true, false} {
		request, _ := json.Marshal(map[string]any{"type": "run", "benchmark": "fib", "count_messages": count,
			"parameters": map[string]int{"index": 10}, "from the future": []int{1}, "Benchmark": "nope", "TYPE": 1})
		lab.send(string(request))
		if got := lab.receive(); got["type"] != "begin" {
			t.Errorf("instead of begin: %v", got)
		}
		got := lab.receive()
		if got["type"] != "end" || got["result"] != 55.0 || got["wall_ns"].(float64) <= 0 {
			t.Errorf("end: %v", got)
		}
		if _, counted := got["work"]; counted != count {
			t.Errorf("count_messages %v: work is %v", count, got["work"])
		}
	}
	lab.send(`{"type":"bye"}`)
	if got := lab.receive(); got["type"] != "bye" {
		t.Errorf("instead of bye: %v", got)
	}
	lab.mustLeave(nil)
}

// endless never ends; doomed crashes in an actor, rash in the driver.
var (
	endless = bench.Benchmark{Name: "endless", Run: func(it *actor.Iteration, _ bench.Values) (bench.Outcome, error) {
		it.Begin()
		it.Expect(1)
		actor.Spawn(it, func(self *actor.Mailbox[int]) { self.Receive() })
		return bench.Outcome{}, it.Wait()
	}}
	doomed = bench.Benchmark{Name: "doomed", Run: func(it *actor.Iteration, _ bench.Values) (bench.Outcome, error) {
		it.Begin()
		it.Expect(2)
		actor.Spawn(it, func(self *actor.Mailbox[int]) { self.Receive() })
		actor.Spawn(it, func(*actor.Mailbox[int]) { actor.Fail("that was %s", "wrong") })
		return bench.Outcome{}, it.Wait()
	}}
	rash = bench.Benchmark{Name: "rash", Run: func(it *actor.Iteration, _ bench.Values) (bench.Outcome, error) {
		it.Begin()
		panic("no room")
	}}
)

func TestStopAndEndOfFileEndARunningIteration(t *testing.T) {
	for _, c := range []struct {
		leave func(*laboratory)
		want  error
	}{
		{func(l *laboratory) { l.send(`{"type":"stop"}`) }, ErrStop},
		{func(l *laboratory) { l.conn.Close() }, ErrGone},
	} {
		lab := meet(t, []bench.Benchmark{endless})
		lab.send(`{"type":"run","benchmark":"endless","parameters":{}}`)
		lab.receive()
		c.leave(lab)
		lab.mustLeave(c.want)
	}
}

func TestWhoWaitsForAServeThatHasLeftIsToldSo(t *testing.T) {
	lab := meet(t, bench.All())
	lab.send(`{"type":"stop"}`)
	if err := lab.conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := lab.in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("reading gives %v, want the end", err)
	}
	if _, err := io.WriteString(lab.conn, "{}\n"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing gives %v, want a closed pipe", err)
	}
}

func TestACrashIsReportedAsFailed(t *testing.T) {
	for name, text := range map[string]string{"doomed": "doomed: an actor crashed: that was wrong", "rash": "rash: the driver crashed: no room"} {
		lab := meet(t, []bench.Benchmark{doomed, rash})
		lab.send(`{"type":"run","benchmark":"` + name + `","parameters":{}}`)
		lab.receive()
		if got := lab.receive(); got["type"] != "fail" || got["code"] != "failed" || got["message"] != text {
			t.Errorf("%s: %v", name, got)
		}
		lab.mustLeave(ErrFailed)
	}
}

func TestWhatIsUnsupportedDoesNotEndTheConversation(t *testing.T) {
	lab := meet(t, []bench.Benchmark{{Name: "odd", Run: func(*actor.Iteration, bench.Values) (bench.Outcome, error) {
		return bench.Outcome{}, bench.Unsupported("no such means")
	}}})
	for i := 0; i < 2; i++ {
		lab.send(`{"type":"run","benchmark":"odd","parameters":{}}`)
		if got := lab.receive(); got["type"] != "fail" || got["code"] != "unsupported" || got["message"] != "odd: no such means" {
			t.Errorf("the answer is %v", got)
		}
	}
	lab.send(`{"type":"bye"}`)
	lab.receive()
	lab.mustLeave(nil)
}

func TestMetricsAndLabelsAreReported(t *testing.T) {
	labelled := bench.Benchmark{Name: "labelled", Labels: map[string]string{"stash": "local"},
		Run: func(it *actor.Iteration, _ bench.Values) (bench.Outcome, error) {
			it.Begin()
			return bench.Outcome{Result: bench.Float(0.1), Metrics: map[string]any{"steals": int64(3)}}, it.Wait()
		}}
	p := peer{benchmarks: []bench.Benchmark{endless, labelled}}
	if labels := p.hello().Labels; len(labels) != 1 || labels["stash"] != "local" {
		t.Errorf("labels are %v", labels)
	}
	lab := meet(t, p.benchmarks)
	lab.send(`{"type":"run","benchmark":"labelled","parameters":{}}`)
	lab.receive()
	got := lab.receive()
	if metrics, ok := got["metrics"].(map[string]any); !ok || metrics["steals"] != 3.0 || got["result"] != 0.1 {
		t.Errorf("end is %v", got)
	}
}

func TestWhatIsNotAMessageEndsTheConversation(t *testing.T) {
	for line, want := range map[string]string{
		"":                               "is not a message",
		"not json":                       "is not a message",
		`[]`:                             "is not a message",
		`{"type":1}`:                     "is not a message",
		`{"type":"dance"}`:               `unknown type "dance"`,
		`{}`:                             `unknown type ""`,
		`{"Type":"bye"}`:                 `unknown type ""`,
		"null":                           `unknown type ""`,
		`{"type":"run","parameters":{}}`: "without a benchmark",
		`{"type":"run","benchmark":null,"parameters":{}}`:                            "without a benchmark",
		`{"type":"run","benchmark":"endless"}`:                                       "without parameters",
		`{"type":"run","benchmark":"endless","parameters":null}`:                     "without parameters",
		`{"type":"run","benchmark":"endless","parameters":[7]}`:                      "is not a message",
		`{"type":"run","benchmark":"endless","parameters":{},"count_messages":"1"}`:  "is not a message",
		`{"type":"run","benchmark":"endless","parameters":{},"count_messages":null}`: "null is neither true nor false",
	} {
		lab := meet(t, []bench.Benchmark{endless})
		lab.send(line)
		if err := <-lab.left; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: Serve returned %v, want %q", line, err, want)
		}
	}
}

func TestALineIsNotLongerThanAllowed(t *testing.T) {
	long := strings.NewReader(strings.Repeat("x", maxLine+1))
	if _, err := readLine(bufio.NewReader(long)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("readLine returned %v", err)
	}
}

func TestAnotherSettingOfTheCollectorIsAnotherRuntime(t *testing.T) {
	for _, c := range []struct {
		percent         int
		name, described string
	}{
		{100, "go", "GOGC=100"},
		{400, "go-gogc400", "GOGC=400"},
		{-1, "go-gogcoff", "GOGC=off"},
	} {
		before := debug.SetGCPercent(c.percent)
		name, described := runtimeName(), describeGC()
		debug.SetGCPercent(before)
		if name != c.name || !strings.Contains(described, c.described) {
			t.Errorf("with GOGC=%d it is %q, %q; want %q, %q", c.percent, name, described, c.name, c.described)
		}
	}
}
