package bench

import "scoville/peer/internal/actor"

var filterbank = Benchmark{
	Name:       "filterbank",
	Parameters: []Parameter{{"sim", anyInteger()}, {"col", between(2, 16384)}, {"chan", between(2, 34)}},
	Relations:  []Relation{{"sim", AtLeast, 2, "col", -1}},
	Run:        runFilterbank,
}

// filterExit is Exit: what the Sample stages counted.
type filterExit struct{ computed, hash int64 }

// filterValue is Value, or Exit if it carries one.
type filterValue struct {
	v    float64
	exit *filterExit
}

type filterStage = *actor.Mailbox[filterValue]

// filterTagged is Tagged, or Exit if it carries one.
type filterTagged struct {
	channel int
	v       float64
	exit    *filterExit
}

// filterRow is Row, or Exit if it carries one.
type filterRow struct {
	row  []float64
	exit *filterExit
}

// filterNext is Next: the source to produce for.
type filterNext struct{ source *actor.Mailbox[filterBoot] }

// filterBoot is Boot, or Exit if it carries one.
type filterBoot struct{ exit *filterExit }

// filterEnd is what the sink reports.
type filterEnd struct {
	count         int64
	sum, weighted float64
	exit          filterExit
}

func runFilterbank(it *actor.Iteration, p Values) (Outcome, error) {
	b := newFilterBank(it, int(p.Int("col")), int(p.Int("chan")))
	var end filterEnd
	it.Begin()
	it.Expect(6 + 7*int64(b.channels))
	sink := actor.Spawn(it, func(self filterStage) { end = filterSink(self) })
	combiner := actor.Spawn(it, func(self *actor.Mailbox[filterRow]) { filterCombiner(self, sink) })
	integrator := actor.Spawn(it, func(self *actor.Mailbox[filterTagged]) { filterIntegrator(self, combiner, b.channels) })
	banks := make([]filterStage, b.channels)
	for channel := range banks {
		banks[channel] = b.spawnBank(channel, integrator)
	}
	branches := actor.Spawn(it, func(self filterStage) { filterBranches(self, banks) })
	producer := actor.Spawn(it, func(self *actor.Mailbox[filterNext]) { filterProducer(self, p.Int("sim")) })
	source := actor.Spawn(it, func(self *actor.Mailbox[filterBoot]) { filterSource(self, producer, branches) })
	producer.Send(filterNext{source: source})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Result: end.exit.hash,
		Checks: map[string]any{
			"count": end.count, "sum": Float(end.sum), "wsum": Float(end.weighted), "fir": end.exit.computed,
		},
	}, nil
}

func filterProducer(self *actor.Mailbox[filterNext], sims int64) {
	for boots := int64(0); ; boots++ {
		source := self.Receive().source
		if boots == sims {
			source.Send(filterBoot{exit: new(filterExit)})
			return
		}
		source.Send(filterBoot{})
	}
}

func filterSource(self *actor.Mailbox[filterBoot], producer *actor.Mailbox[filterNext], next filterStage) {
	for current := 0; ; current = (current + 1) % 1000 {
		if m := self.Receive(); m.exit != nil {
			next.Send(filterValue{exit: m.exit})
			return
		}
		next.Send(filterValue{v: float64(current)})
		producer.Send(filterNext{source: self})
	}
}

func filterBranches(self filterStage, banks []filterStage) {
	for {
		m := self.Receive()
		for _, b := range banks {
			b.Send(m)
		}
		if m.exit != nil {
			return
		}
	}
}

// filterBank makes the seven actors of each channel.
type filterBank struct {
	it                *actor.Iteration
	columns, channels int
	first, second     [][]float64 // coefficients of the two filters, by channel
}

func newFilterBank(it *actor.Iteration, columns, channels int) filterBank {
	b := filterBank{it: it, columns: columns, channels: channels}
	for j := 0; j < channels; j++ {
		h, f := make([]float64, columns), make([]float64, columns)
		for i := range h {
			h[i] = float64(i*columns + j*channels + j + i + j + 1)
			f[i] = float64(i*j + j*j + j + i)
		}
		b.first, b.second = append(b.first, h), append(b.second, f)
	}
	return b
}

// spawnBank creates the actors of a channel from the last to the first and returns the first.
func (b *filterBank) spawnBank(channel int, integrator *actor.Mailbox[filterTagged]) filterStage {
	stage := func(body func(self, next filterStage), next filterStage) filterStage {
		return actor.Spawn(b.it, func(self filterStage) { body(self, next) })
	}
	delay := func(self, next filterStage) { filterDelay(self, next, b.columns-1) }
	fir := func(coefficients []float64) func(self, next filterStage) {
		return func(self, next filterStage) { filterFir(self, next, coefficients) }
	}
	tagger := actor.Spawn(b.it, func(self filterStage) { filterTagger(self, integrator, channel) })
	secondFir := stage(fir(b.second[channel]), tagger)
	secondDelay := stage(delay, secondFir)
	sample := stage(func(self, next filterStage) { filterSample(self, next, b.columns) }, secondDelay)
	firstFir := stage(fir(b.first[channel]), sample)
	firstDelay := stage(delay, firstFir)
	return stage(filterForward, firstDelay)
}

// filterForward is the Bank: it passes everything on.
func filterForward(self, next filterStage) {
	for {
		m := self.Receive()
		next.Send(m)
		if m.exit != nil {
			return
		}
	}
}

func filterDelay(self, next filterStage, length int) {
	ring := make([]float64, length)
	for position := 0; ; position = (position + 1) % length {
		m := self.Receive()
		if m.exit != nil {
			next.Send(m)
			return
		}
		next.Send(filterValue{v: ring[position]})
		ring[position] = m.v
	}
}

// filterFir sends a dot product for every value once its ring is full. The coefficients meet slots, not ages.
func filterFir(self, next filterStage, coefficients []float64) {
	data := make([]float64, len(coefficients))
	full := false
	for index := 0; ; {
		m := self.Receive()
		if m.exit != nil {
			next.Send(m)
			return
		}
		data[index] = m.v
		index++
		if index == len(data) {
			full, index = true, 0
		}
		if full {
			next.Send(filterValue{v: dotReversed(data, coefficients)})
		}
	}
}

// dotReversed is the sum of data[i] times the coefficient that is as far from the end.
func dotReversed(data, coefficients []float64) (sum float64) {
	last := len(coefficients) - 1
	for i, x := range data {
		sum += float64(x * coefficients[last-i]) // the conversion rounds: nothing may be fused
	}
	return sum
}

// filterSample lets one value of every so many pass and puts zeros in the place of the others.
func filterSample(self, next filterStage, every int) {
	var exit filterExit
	for k := 0; ; k = (k + 1) % every {
		m := self.Receive()
		if m.exit != nil {
			next.Send(filterValue{exit: &exit})
			return
		}
		exit.computed++
		exit.hash += int64(m.v) % 1000003
		if k != 0 {
			m.v = 0
		}
		next.Send(m)
	}
}

func filterTagger(self filterStage, next *actor.Mailbox[filterTagged], channel int) {
	for {
		m := self.Receive()
		next.Send(filterTagged{channel: channel, v: m.v, exit: m.exit})
		if m.exit != nil {
			return
		}
	}
}

// filterIntegrator puts the channels together row by row. A value belongs into the first row that lacks its channel.
func filterIntegrator(self *actor.Mailbox[filterTagged], next *actor.Mailbox[filterRow], channels int) {
	type partial struct {
		row    []float64
		filled int
	}
	var rows []partial // in order; the first may be complete only while it is sent
	ahead := make([]int, channels)
	var total filterExit
	for exits := 0; exits < channels; {
		m := self.Receive()
		if m.exit != nil {
			exits++
			total.computed += m.exit.computed
			total.hash += m.exit.hash
			continue
		}
		// A channel fills the rows in order: ahead tells how many of those in the queue have it.
		if ahead[m.channel] == len(rows) {
			rows = append(rows, partial{row: make([]float64, channels)})
		}
		r := &rows[ahead[m.channel]]
		ahead[m.channel]++
		r.row[m.channel] = m.v
		r.filled++
		if rows[0].filled == channels {
			next.Send(filterRow{row: rows[0].row})
			rows = rows[1:]
			for i := range ahead {
				ahead[i]--
			}
		}
	}
	if len(rows) > 0 {
		actor.Fail("Integrator was left with %d incomplete rows", len(rows))
	}
	next.Send(filterRow{exit: &total})
}

func filterCombiner(self *actor.Mailbox[filterRow], next filterStage) {
	for {
		m := self.Receive()
		sum := 0.0
		for _, v := range m.row {
			sum += v
		}
		next.Send(filterValue{v: sum, exit: m.exit})
		if m.exit != nil {
			return
		}
	}
}

func filterSink(self filterStage) (end filterEnd) {
	for {
		m := self.Receive()
		if m.exit != nil {
			end.exit = *m.exit
			return end
		}
		end.sum += m.v
		end.weighted += float64(m.v * float64(end.count%7+1))
		end.count++
	}
}
