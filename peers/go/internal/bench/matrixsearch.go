package bench

import (
	"time"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var matrixsearch = Benchmark{
	Name: "matrixsearch",
	Parameters: []Parameter{
		{"controllers", atLeast(1)}, {"seekers", atLeast(1)}, {"size", anyInteger()}, {"jobs", atLeast(1)},
		{"word", between(1, 16)}, {"alphabet", between(2, 256)},
		{"assign", oneOf("continuous", "blockwise")}, {"place", oneOf("local", "roundrobin")},
	},
	Relations: []Relation{{"size", AtLeast, 1, "word", 0}},
	Run:       runMatrixsearch,
}

type seekerMessage struct {
	kind seekerKind
	job  int64  // of seekerJob
	word []byte // of seekerJob; shared and never changed
}

type seekerKind uint8

const (
	seekerInit seekerKind = iota
	seekerJob
	seekerStop
)

// controllerMessage is Found, or Start if it comes from no seeker.
type controllerMessage struct {
	found       bool
	seeker      int
	job, occurs int64
}

// searchTotals is what a controller tells the tally when it is done.
type searchTotals struct{ matches, jobs int64 }

// seekerTimes is what a seeker reports.
type seekerTimes struct{ fill, search time.Duration }

func runMatrixsearch(it *actor.Iteration, p Values) (Outcome, error) {
	if p.Word("place") == "roundrobin" {
		return Outcome{}, Unsupported("place is roundrobin; Go has no means to choose the worker that runs a goroutine")
	}
	s := matrixSearch{
		it: it, seekers: int(p.Int("seekers")), size: int(p.Int("size")), jobs: p.Int("jobs"),
		word: int(p.Int("word")), alphabet: p.Int("alphabet"), blockwise: p.Word("assign") == "blockwise",
		times: make([]seekerTimes, p.Int("controllers")*p.Int("seekers")),
	}
	controllers := make([]*actor.Mailbox[controllerMessage], p.Int("controllers"))
	var totals searchTotals
	it.Begin()
	it.Expect(int64(len(controllers)) + 1)
	tally := actor.Spawn(it, func(self *actor.Mailbox[searchTotals]) {
		for range controllers {
			m := self.Receive()
			totals.matches += m.matches
			totals.jobs += m.jobs
		}
	})
	for q := range controllers {
		c := searchController{matrixSearch: &s, first: q * s.seekers}
		controllers[q] = actor.Spawn(it, func(self *actor.Mailbox[controllerMessage]) { tally.Send(c.run(self)) })
	}
	for _, to := range controllers {
		to.Send(controllerMessage{})
	}
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	var fill, search time.Duration
	for _, t := range s.times {
		fill += t.fill
		search += t.search
	}
	return Outcome{
		Result:  totals.matches,
		Checks:  map[string]any{"jobs": totals.jobs},
		Metrics: map[string]any{"fill_ns": fill.Nanoseconds(), "search_ns": search.Nanoseconds()},
	}, nil
}

// matrixSearch is what all actors know from the beginning.
type matrixSearch struct {
	it                  *actor.Iteration
	seekers, size, word int
	jobs, alphabet      int64
	blockwise           bool
	times               []seekerTimes // by seeker, written by the seekers
}

type searchController struct {
	*matrixSearch
	first   int // number of the first seeker
	workers []*actor.Mailbox[seekerMessage]
	next    []int64 // number of the next job, by seeker
}

func (c searchController) run(self *actor.Mailbox[controllerMessage]) (t searchTotals) {
	due := int64(c.seekers) * c.jobs
	for round := 0; t.jobs < due; {
		m := self.Receive()
		if !m.found {
			c.start(self)
			continue
		}
		t.matches += m.occurs
		t.jobs++
		if !c.blockwise {
			c.proceed(m.seeker)
			continue
		}
		if round++; round == c.seekers {
			round = 0
			for i := range c.workers {
				c.proceed(i)
			}
		}
	}
	return t
}

func (c *searchController) start(self *actor.Mailbox[controllerMessage]) {
	c.next = make([]int64, c.seekers)
	c.it.Expect(int64(c.seekers))
	for i := 0; i < c.seekers; i++ {
		number := i
		c.workers = append(c.workers, actor.Spawn(c.it, func(seeker *actor.Mailbox[seekerMessage]) {
			c.seek(seeker, self, number)
		}))
	}
	for _, w := range c.workers {
		w.Send(seekerMessage{kind: seekerInit})
	}
	for i := range c.workers {
		c.proceed(i)
	}
}

// proceed gives a seeker its next job, or stops it after the last one.
func (c *searchController) proceed(seeker int) {
	job := c.next[seeker]
	if job == c.jobs {
		c.workers[seeker].Send(seekerMessage{kind: seekerStop})
		return
	}
	c.next[seeker]++
	rng := lcg.NewL32(int64(c.first+seeker)*40503 + job*9973 + 777)
	word := make([]byte, c.word)
	for k := range word {
		word[k] = rng.Char(c.alphabet)
	}
	c.workers[seeker].Send(seekerMessage{kind: seekerJob, job: job, word: word})
}

func (c *searchController) seek(
	self *actor.Mailbox[seekerMessage], controller *actor.Mailbox[controllerMessage], number int,
) {
	var matrix []byte
	times := &c.times[c.first+number]
	for {
		m := self.Receive()
		began := time.Now()
		switch m.kind {
		case seekerInit:
			matrix = c.fill(int64(c.first + number))
			times.fill = time.Since(began)
		case seekerJob:
			occurs := occurrences(matrix, c.size, m.word)
			times.search += time.Since(began)
			controller.Send(controllerMessage{found: true, seeker: number, job: m.job, occurs: occurs})
		case seekerStop:
			return
		}
	}
}

func (s *matrixSearch) fill(seeker int64) []byte {
	matrix := make([]byte, s.size*s.size)
	rng := lcg.NewL32(seeker*2654435761 + 12345)
	for i := range matrix {
		matrix[i] = rng.Char(s.alphabet)
	}
	return matrix
}

// occurrences counts the word in the columns of a matrix that is stored row by row, column after column.
func occurrences(matrix []byte, size int, word []byte) (count int64) {
	for x := 0; x < size; x++ {
		for y := 0; y <= size-len(word); y++ {
			at, equal := y*size+x, true
			for _, c := range word {
				if equal = matrix[at] == c; !equal {
					break
				}
				at += size
			}
			if equal {
				count++
			}
		}
	}
	return count
}
