// Package protocol speaks the peer protocol: it says hello, runs what it is asked to, and answers.
package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/bench"
)

// Version of the protocol.
const Version = 1

// maxLine is the longest line that either side may send, its end included.
const maxLine = 16 << 20

// Reasons for leaving other than bye.
var (
	// ErrStop means that the laboratory asked the peer to leave at once.
	ErrStop = errors.New("asked to stop")
	// ErrGone means that the conversation ended without bye.
	ErrGone = errors.New("the laboratory closed the conversation")
	// ErrFailed means that an iteration failed; its actors may still be there, so that no other may follow it.
	ErrFailed = errors.New("an iteration failed")
)

// Serve leads the conversation until bye, which gives nil. Any other end is an error, and stop, end of file and malformed
// lines end it even during an iteration; the caller has to leave the process then.
func Serve(conn io.ReadWriter, benchmarks []bench.Benchmark) error {
	p := peer{out: conn, benchmarks: benchmarks}
	if err := p.send(p.hello()); err != nil {
		return err
	}
	requests, lost := make(chan request), make(chan error, 1)
	go func() { lost <- receive(conn, requests) }()
	done := make(chan error, 1)
	go func() { done <- p.serve(requests) }()
	select {
	case err := <-lost:
		return err
	case err := <-done:
		return err
	}
}

// receive passes run and bye on and returns when there is a reason to leave at once.
func receive(conn io.Reader, requests chan<- request) error {
	in := bufio.NewReader(conn)
	for {
		line, err := readLine(in)
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("a line from the laboratory is not a message: %w", err)
		}
		if r.Type == "run" && (r.Benchmark == "" || r.Parameters == nil) {
			return fmt.Errorf("the laboratory sent a run without a benchmark or without parameters: %s", bytes.TrimSpace(line))
		}
		switch r.Type {
		case "stop":
			return ErrStop
		case "run", "bye":
			requests <- r
		default:
			return fmt.Errorf("the laboratory sent a message of unknown type %q", r.Type)
		}
	}
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("a line from the laboratory is longer than %d bytes", maxLine)
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull): // the line goes on
		case errors.Is(err, io.EOF):
			return nil, ErrGone
		default:
			return nil, err
		}
	}
}

type peer struct {
	out        io.Writer
	benchmarks []bench.Benchmark
}

func (p *peer) serve(requests <-chan request) error {
	for r := range requests {
		if r.Type == "bye" {
			return p.send(signal{Type: "bye"})
		}
		if err := p.run(r); err != nil {
			return err
		}
	}
	return ErrGone
}

// run answers one run message with begin and end, or with fail.
func (p *peer) run(r request) error {
	b := p.find(r.Benchmark)
	if b == nil {
		return p.send(fail{Type: "fail", Code: "bad-parameter", Message: r.Benchmark + ": unknown benchmark"})
	}
	values, err := b.Check(r.Parameters)
	if err != nil {
		return p.send(fail{Type: "fail", Code: "bad-parameter", Message: err.Error()})
	}
	answer, err := p.iterate(b, values, bool(r.CountMessages))
	var unsupported bench.Unsupported
	if errors.As(err, &unsupported) {
		text := fmt.Sprintf("%s: %v", b.Name, unsupported)
		return p.send(fail{Type: "fail", Code: "unsupported", Message: text})
	}
	if err != nil {
		text := fmt.Sprintf("%s: %v", b.Name, err)
		if err := p.send(fail{Type: "fail", Code: "failed", Message: text}); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrFailed, text)
	}
	return p.send(answer)
}

// iterate runs the benchmark once. A panic of the driver fails the iteration as one of an actor does.
func (p *peer) iterate(b *bench.Benchmark, values bench.Values, audited bool) (answer end, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the driver crashed: %v", reason)
		}
	}()
	var before gcSnapshot
	var gc gcDelta
	it := actor.NewIteration(func() {
		before = readGC()
		if err := p.send(signal{Type: "begin"}); err != nil {
			panic(err)
		}
	}, func() { gc = readGC().since(before) }, audited)
	outcome, err := b.Run(it, values)
	if err != nil {
		return end{}, err
	}
	work, err := it.Work()
	if err != nil {
		return end{}, err
	}
	checks := outcome.Checks
	if checks == nil {
		checks = map[string]any{}
	}
	return end{
		Type: "end", WallNS: it.Wall().Nanoseconds(), Result: outcome.Result, Checks: checks,
		Metrics: outcome.Metrics, PerActor: outcome.PerActor, Work: work, GC: gc,
	}, nil
}

func (p *peer) find(name string) *bench.Benchmark {
	for i := range p.benchmarks {
		if p.benchmarks[i].Name == name {
			return &p.benchmarks[i]
		}
	}
	return nil
}

func (p *peer) hello() hello {
	names, labels := make([]string, len(p.benchmarks)), map[string]string{}
	for i, b := range p.benchmarks {
		names[i] = b.Name
		for label, text := range b.Labels {
			labels[label] = text
		}
	}
	version := strings.TrimPrefix(runtime.Version(), "go")
	return hello{
		Type: "hello", Protocol: Version, Runtime: runtimeName(), Version: version, Language: "Go " + version,
		Workers: runtime.GOMAXPROCS(0), GC: describeGC(), Capabilities: []string{"count-messages", "gc"},
		Labels: labels, Benchmarks: names,
	}
}

// send writes one message in one piece.
func (p *peer) send(message any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return fmt.Errorf("cannot express a message in JSON: %w", err)
	}
	if line.Len() > maxLine {
		return fmt.Errorf("a message is %d bytes long; the protocol allows %d", line.Len(), maxLine)
	}
	_, err := p.out.Write(line.Bytes())
	return err
}
