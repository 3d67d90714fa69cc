// Command direct is the smallest Go program for six of the benchmarks: goroutines, buffered channels and a WaitGroup, without
// anything that the peer has in between. Beside it the peer shows what its mailboxes and latches cost.
//
//	direct BENCHMARK ITERATIONS SIZE...
//
// prints the nanoseconds of each iteration and fails if a result is wrong. GOMAXPROCS is the number of workers.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// program runs once, with its sizes, and returns what it computed and what that should be.
type program struct {
	sizes int
	run   func(size []int) (got, want int)
}

// In the bare programs a message fewer is sent where Go needs none: ping does not send to itself before each round, and a
// call of fib gets its number when it is made.
var programs = map[string]program{
	"pingpong":      {1, pingpong},
	"pingpong-bare": {1, pingpongBare},
	"count":         {1, count},
	"fjcreate":      {1, fjcreate},
	"fib":           {1, fibonacci},
	"fib-bare":      {1, fibonacciBare},
	"chameneos":     {2, chameneos},
	"big":           {2, big},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "direct:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var numbers []int
	var chosen program
	if len(args) > 0 {
		chosen = programs[args[0]]
	}
	for i := 1; i < len(args); i++ {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	if chosen.run == nil || len(numbers) != chosen.sizes+1 {
		return fmt.Errorf("usage: direct BENCHMARK ITERATIONS SIZE..., not %q", args)
	}
	for i := 0; i < numbers[0]; i++ {
		began := time.Now()
		got, want := chosen.run(numbers[1:])
		wall := time.Since(began)
		if got != want {
			return fmt.Errorf("%s computed %d instead of %d", args[0], got, want)
		}
		fmt.Println(wall.Nanoseconds())
	}
	return nil
}

// depth of a channel that many may flood; a full one makes the sender wait.
const depth = 1024

type ballKind int

const (
	start ballKind = iota
	ball
	back
	next
	stop
)

type ballMessage struct {
	kind ballKind
	from chan ballMessage
	n    int
}

func pingpong(size []int) (got, want int) {
	left, sum := size[0], 0
	ping, pong := make(chan ballMessage, depth), make(chan ballMessage, depth)
	var all sync.WaitGroup
	all.Add(2)
	go func() {
		defer all.Done()
		for m := range ping {
			switch m.kind {
			case start, next:
				pong <- ballMessage{ball, ping, left}
				left--
			case back:
				sum += m.n
				if left == 0 {
					pong <- ballMessage{kind: stop}
					return
				}
				ping <- ballMessage{kind: next}
			}
		}
	}()
	go func() {
		defer all.Done()
		for m := range pong {
			if m.kind == stop {
				return
			}
			m.from <- ballMessage{back, pong, m.n}
		}
	}()
	ping <- ballMessage{kind: start}
	all.Wait()
	return sum, size[0] * (size[0] + 1) / 2
}

func pingpongBare(size []int) (got, want int) {
	sum := 0
	ping, pong := make(chan int, depth), make(chan int, depth)
	var all sync.WaitGroup
	all.Add(2)
	go func() {
		defer all.Done()
		defer close(pong)
		for left := size[0]; left > 0; left-- {
			pong <- left
			sum += <-ping
		}
	}()
	go func() {
		defer all.Done()
		for n := range pong {
			ping <- n
		}
	}()
	all.Wait()
	return sum, size[0] * (size[0] + 1) / 2
}

// countMessage is an increment, or the question for the count.
type countMessage struct{ answer chan int }

func count(size []int) (got, want int) {
	counter := make(chan countMessage, depth)
	var all sync.WaitGroup
	all.Add(2)
	go func() {
		defer all.Done()
		n := 0
		for m := range counter {
			if m.answer != nil {
				m.answer <- n
				return
			}
			n++
		}
	}()
	go func() {
		defer all.Done()
		for i := 0; i < size[0]; i++ {
			counter <- countMessage{}
		}
		answer := make(chan int, 1)
		counter <- countMessage{answer}
		got = <-answer
	}()
	all.Wait()
	return got, size[0]
}

func fjcreate(size []int) (got, want int) {
	var all sync.WaitGroup
	var sum atomic.Int64
	for id := 1; id <= size[0]; id++ {
		all.Add(1)
		id, box := id, make(chan float64, 1)
		go func() {
			defer all.Done()
			if s := math.Sin(<-box); s*s > 0 {
				sum.Add(int64(id))
			}
		}()
		box <- 37.2
	}
	all.Wait()
	return int(sum.Load()), size[0] * (size[0] + 1) / 2
}

// fibMessage is a request, or a response if it comes from a call.
type fibMessage struct {
	response         bool
	n, value, actors int
}

func fibonacci(size []int) (got, want int) {
	root := make(chan fibMessage, 1)
	spawnFib(root) <- fibMessage{n: size[0]}
	response := <-root
	return response.value + response.actors, expectedFib(size[0])
}

func spawnFib(parent chan<- fibMessage) chan<- fibMessage {
	box := make(chan fibMessage, 2)
	go func() {
		request := <-box
		if request.n <= 2 {
			parent <- fibMessage{response: true, value: 1, actors: 1}
			return
		}
		spawnFib(box) <- fibMessage{n: request.n - 1}
		spawnFib(box) <- fibMessage{n: request.n - 2}
		a, b := <-box, <-box
		parent <- fibMessage{response: true, value: a.value + b.value, actors: a.actors + b.actors + 1}
	}()
	return box
}

func fibonacciBare(size []int) (got, want int) {
	root := make(chan fibMessage, 1)
	go fib(size[0], root)
	response := <-root
	return response.value + response.actors, expectedFib(size[0])
}

func fib(n int, parent chan<- fibMessage) {
	if n <= 2 {
		parent <- fibMessage{value: 1, actors: 1}
		return
	}
	box := make(chan fibMessage, 2)
	go fib(n-1, box)
	go fib(n-2, box)
	a, b := <-box, <-box
	parent <- fibMessage{value: a.value + b.value, actors: a.actors + b.actors + 1}
}

// expectedFib is the number itself and the size of the tree that computes it, which is twice the number less one.
func expectedFib(n int) int {
	a, b := 0, 1
	for ; n > 0; n-- {
		a, b = b, a+b
	}
	return a + 2*a - 1
}

type creature chan creatureMessage

type creatureMessage struct {
	kind   creatureKind
	colour int
	who    creature
}

type creatureKind int

const (
	meet creatureKind = iota
	change
	exit
)

// mallMessage asks for a partner, or tells at the end how many there were.
type mallMessage struct {
	who         creature
	colour, met int
}

func chameneos(size []int) (got, want int) {
	creatures, left := size[0], size[1]
	mall := make(chan mallMessage, depth)
	for id := 0; id < creatures; id++ {
		go roam(make(creature, 4), mall, id%3)
	}
	var waiting creature
	for gone := 0; gone < creatures; {
		switch m := <-mall; {
		case m.who == nil:
			got += m.met
			gone++
		case left == 0:
			m.who <- creatureMessage{kind: exit}
		case waiting == nil:
			waiting = m.who
		default:
			left--
			waiting <- creatureMessage{meet, m.colour, m.who}
			waiting = nil
		}
	}
	return got, 2 * size[1]
}

func roam(self creature, mall chan<- mallMessage, colour int) {
	met := 0
	mall <- mallMessage{who: self, colour: colour}
	for m := range self {
		switch m.kind {
		case meet:
			colour = complement(colour, m.colour)
			m.who <- creatureMessage{kind: change, colour: colour}
		case change:
			colour = m.colour
		case exit:
			mall <- mallMessage{colour: colour, met: met}
			return
		}
		met++
		mall <- mallMessage{who: self, colour: colour}
	}
}

func complement(a, b int) int {
	if a == b {
		return a
	}
	return 3 - a - b
}

type bigMessage struct {
	kind bigKind
	id   int
}

type bigKind int

const (
	ping bigKind = iota
	pong
	done
)

// Each worker has one ping under way, so a channel for all of them, the first pong and the end never fills.
func big(size []int) (got, want int) {
	pings, actors := size[0], size[1]
	boxes := make([]chan bigMessage, actors)
	for id := range boxes {
		boxes[id] = make(chan bigMessage, actors+2)
	}
	sink := make(chan bool, actors)
	received := make([]int, actors)
	var all sync.WaitGroup
	all.Add(actors)
	for id := range boxes {
		go func(id int) {
			defer all.Done()
			received[id] = play(boxes, id, pings, sink)
		}(id)
	}
	for _, box := range boxes {
		box <- bigMessage{kind: pong, id: -1}
	}
	for range boxes {
		<-sink
	}
	for _, box := range boxes {
		box <- bigMessage{kind: done}
	}
	all.Wait()
	for _, n := range received {
		got += n
	}
	return got, pings * actors
}

// play returns how many pings it received.
func play(boxes []chan bigMessage, id, left int, sink chan<- bool) (received int) {
	random, expect := id, -1
	for m := range boxes[id] {
		switch m.kind {
		case ping:
			received++
			boxes[m.id] <- bigMessage{pong, id}
		case pong:
			if m.id != expect {
				panic(fmt.Sprintf("a pong from %d instead of %d", m.id, expect))
			}
			if left == 0 {
				sink <- true
				continue
			}
			left--
			random = (random*1309 + 13849) & 65535
			expect = random % len(boxes)
			boxes[expect] <- bigMessage{ping, id}
		case done:
			return received
		}
	}
	return received
}
