package actor

import (
	"strings"
	"sync"
	"testing"
)

func begin(t *testing.T, audited bool) *Iteration {
	t.Helper()
	announced := 0
	it := NewIteration(func() { announced++ }, func() {}, audited)
	it.Begin()
	if announced != 1 {
		t.Fatalf("Begin announced %d times", announced)
	}
	return it
}

func TestMessagesOfEachSenderArriveInOrder(t *testing.T) {
	const senders, each = 8, 20000
	type message struct{ sender, n int }
	it := begin(t, true)
	it.Expect(1)
	next := [senders]int{}
	box := Spawn(it, func(self *Mailbox[message]) {
		for i := 0; i < senders*each; i++ {
			m := self.Receive()
			if m.n != next[m.sender] {
				Fail("sender %d: message %d came, %d was due", m.sender, m.n, next[m.sender])
			}
			next[m.sender]++
		}
	})
	var group sync.WaitGroup
	for s := 0; s < senders; s++ {
		group.Add(1)
		go func(s int) {
			defer group.Done()
			for n := 0; n < each; n++ {
				box.Send(message{s, n})
			}
		}(s)
	}
	group.Wait()
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if w, err := it.Work(); err != nil || *w != (Work{Actors: 1, Messages: senders * each}) {
		t.Errorf("work is %v, %v", w, err)
	}
}

// A message that was caused by another one is received after it.
func TestOrderIsCausal(t *testing.T) {
	const rounds = 20000
	it := begin(t, false)
	it.Expect(2)
	last := Spawn(it, func(self *Mailbox[int]) {
		for i := 0; i < 2*rounds; i++ {
			if m := self.Receive(); m < 0 {
				Fail("the effect %d came before its cause", m)
			} else if m > 0 { // the cause; its effect has to follow before the next cause is sent
				if effect := self.Receive(); effect != -m {
					Fail("%d came after the cause %d", effect, m)
				}
				i++
			}
		}
	})
	acknowledged := make(chan bool, 1)
	relay := Spawn(it, func(self *Mailbox[int]) {
		for i := 0; i < rounds; i++ {
			last.Send(-self.Receive())
			acknowledged <- true
		}
	})
	for i := 1; i <= rounds; i++ {
		last.Send(i)
		relay.Send(i)
		<-acknowledged
	}
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
}

// Bursts that the channel cannot hold alternate with single messages, so that each round may cross between channel and
// list, on either side.
func TestOrderIsCausalAcrossChannelAndList(t *testing.T) {
	const rounds = 20000
	it := begin(t, true)
	it.Expect(2)
	sent := 0
	last := Spawn(it, func(self *Mailbox[int]) {
		for want := 1; want <= rounds; want++ {
			for left := want % (2 * channelCapacity); left > 0; left-- {
				if m := self.Receive(); m != want {
					Fail("%d came; a cause %d was due", m, want)
				}
			}
			if m := self.Receive(); m != -want {
				Fail("%d came; the effect %d was due", m, -want)
			}
		}
	})
	acknowledged := make(chan bool, 1)
	relay := Spawn(it, func(self *Mailbox[int]) {
		for i := 0; i < rounds; i++ {
			last.Send(-self.Receive())
			acknowledged <- true
		}
	})
	for i := 1; i <= rounds; i++ {
		for left := i % (2 * channelCapacity); left > 0; left-- {
			last.Send(i)
			sent++
		}
		relay.Send(i)
		<-acknowledged
	}
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if w, err := it.Work(); err != nil || *w != (Work{Actors: 2, Messages: int64(sent + 2*rounds)}) {
		t.Errorf("work is %v, %v", w, err)
	}
}

func TestAMailboxHoldsWhateverIsSent(t *testing.T) {
	const n = 300000
	it := begin(t, true)
	it.Expect(1)
	sum, open := 0, make(chan bool)
	box := Spawn(it, func(self *Mailbox[int]) {
		<-open
		for i := 0; i < n; i++ {
			sum += self.Receive()
		}
	})
	for i := 0; i < n; i++ {
		box.Send(i) // nobody receives yet: a bounded mailbox would block here for good
	}
	close(open)
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := n * (n - 1) / 2; sum != want {
		t.Errorf("sum is %d, want %d", sum, want)
	}
}

func TestACrashedActorFailsTheIteration(t *testing.T) {
	it := begin(t, false)
	it.Expect(2)
	Spawn(it, func(self *Mailbox[int]) { self.Receive() }) // waits for ever
	Spawn(it, func(*Mailbox[int]) { panic("boom") })
	if err := it.Wait(); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("Wait returned %v", err)
	}
}

func TestACrashOfTheLastActorIsNotMissed(t *testing.T) {
	for i := 0; i < 200; i++ {
		it := begin(t, false)
		it.Expect(1)
		Spawn(it, func(*Mailbox[int]) { Fail("value %d", 7) })
		if err := it.Wait(); err == nil || !strings.Contains(err.Error(), "value 7") {
			t.Fatalf("Wait returned %v", err)
		}
	}
}

func TestADeadLetterIsAnError(t *testing.T) {
	it := begin(t, true)
	it.Expect(1)
	box := Spawn(it, func(self *Mailbox[int]) { self.Receive() })
	box.Send(1)
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	box.Send(2)
	if w, err := it.Work(); err == nil || !strings.Contains(err.Error(), "never received") {
		t.Errorf("Work returned %v, %v", w, err)
	}
}

func TestALastingActorOutlivesTheTimedRegion(t *testing.T) {
	it := begin(t, true)
	it.ExpectLasting(1)
	got := 0
	lasting := SpawnLasting(it, func(self *Mailbox[int]) {
		for m := self.Receive(); m != 0; m = self.Receive() {
			got += m
		}
	})
	it.Expect(1)
	Spawn(it, func(self *Mailbox[int]) { lasting.Send(7) })
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	wall := it.Wall()
	lasting.Send(8)
	Dismiss(it, lasting, 0)
	if err := it.Finish(); err != nil {
		t.Fatal(err)
	}
	if got != 15 || it.Wall() != wall {
		t.Errorf("the actor received %d, want 15; the clock stopped at %v, and again at %v", got, wall, it.Wall())
	}
	if w, err := it.Work(); err != nil || *w != (Work{Actors: 2, Messages: 2}) { // Dismiss is none
		t.Errorf("work is %v, %v", w, err)
	}
}

func TestACrashAfterTheTimedRegionFailsTheIteration(t *testing.T) {
	it := begin(t, false)
	it.ExpectLasting(2)
	SpawnLasting(it, func(self *Mailbox[int]) { self.Receive() }) // waits for ever
	doomed := SpawnLasting(it, func(self *Mailbox[int]) { Fail("value %d", self.Receive()) })
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	doomed.Send(7)
	if err := it.Finish(); err == nil || !strings.Contains(err.Error(), "value 7") {
		t.Errorf("Finish returned %v", err)
	}
}

func TestTheEndOfTheTimedRegionIsTold(t *testing.T) {
	var told []string
	it := NewIteration(func() { told = append(told, "begin") }, func() { told = append(told, "stopped") }, false)
	it.ExpectLasting(1)
	lasting := SpawnLasting(it, func(self *Mailbox[int]) { self.Receive() })
	it.Begin()
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	told = append(told, "check")
	lasting.Send(1)
	if err := it.Finish(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, " "); got != "begin stopped check" {
		t.Errorf("told: %s", got)
	}
}

func TestAnIterationThatIsNotAuditedCountsNothing(t *testing.T) {
	it := begin(t, false)
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if w, err := it.Work(); w != nil || err != nil {
		t.Errorf("Work returned %v, %v", w, err)
	}
	if it.Wall() <= 0 {
		t.Errorf("wall time is %v", it.Wall())
	}
}

func TestABoundedMailboxCountsItsMessages(t *testing.T) {
	const n = 1000
	it := begin(t, true)
	it.Expect(2)
	collector := NewCollector[int](1)
	pong := NewBounded[int](it, 1)
	ping := NewBounded[int](it, 1)
	go func() {
		defer it.Leave()
		for m := pong.Receive(); m < n; m = pong.Receive() {
			ping.Send(m)
		}
	}()
	go func() {
		defer it.Leave()
		sum := 0
		for i := 0; i < n; i++ {
			pong.Send(i)
			sum += ping.Receive()
		}
		pong.Send(n)
		collector.Send(sum)
	}()
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := collector.Receive(), n*(n-1)/2; got != want {
		t.Errorf("sum is %d, want %d", got, want)
	}
	if w, err := it.Work(); err != nil || *w != (Work{Actors: 2, Messages: 2*n + 1}) { // the collector's is none
		t.Errorf("work is %v, %v", w, err)
	}
}

// A send that would block ends its actor, whose crash fails the iteration.
func TestABoundedMailboxIsNeverOverfull(t *testing.T) {
	it := begin(t, false)
	it.Expect(1)
	box := NewBounded[int](it, 2)
	go func() {
		defer it.Leave()
		for i := 0; i < 3; i++ {
			box.Send(i)
		}
	}()
	if err := it.Wait(); err == nil || !strings.Contains(err.Error(), "room for 2 messages is full") {
		t.Errorf("Wait returned %v", err)
	}
}

func TestADeadLetterInABoundedMailboxIsAnError(t *testing.T) {
	it := begin(t, true)
	it.ExpectLasting(1)
	box := NewBounded[int](it, 1)
	go func() {
		defer it.LeaveLasting()
		box.Receive()
	}()
	if err := it.Wait(); err != nil {
		t.Fatal(err)
	}
	box.Send(1)
	if err := it.Finish(); err != nil {
		t.Fatal(err)
	}
	box.Send(2)
	if w, err := it.Work(); err == nil || !strings.Contains(err.Error(), "never received") {
		t.Errorf("Work returned %v, %v", w, err)
	}
}

// The cost of the two extremes: a flood, and one message at a time.
func BenchmarkFlood(b *testing.B) {
	it := NewIteration(func() {}, func() {}, false)
	it.Expect(1)
	box := Spawn(it, func(self *Mailbox[int]) {
		for i := 0; i < b.N; i++ {
			self.Receive()
		}
	})
	for i := 0; i < b.N; i++ {
		box.Send(i)
	}
	if err := it.Wait(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	it := NewIteration(func() {}, func() {}, false)
	it.Expect(2)
	var ping *Mailbox[int]
	pong := Spawn(it, func(self *Mailbox[int]) {
		for i := 0; i < b.N; i++ {
			ping.Send(self.Receive())
		}
	})
	ping = Spawn(it, func(self *Mailbox[int]) {
		for i := 0; i < b.N; i++ {
			pong.Send(i)
			self.Receive()
		}
	})
	if err := it.Wait(); err != nil {
		b.Fatal(err)
	}
}
