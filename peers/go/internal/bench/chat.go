package bench

import (
	"math"
	"slices"
	"sync"
	"time"

	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var chat = Benchmark{
	Name: "chat",
	Parameters: []Parameter{
		{"clients", atLeast(1)}, {"turns", atLeast(1)}, {"dirs", atLeast(1)},
		{"compute", between(0, 100)}, {"post", between(0, 100)}, {"leave", between(0, 100)}, {"invite", between(0, 100)},
		{"befriend", between(0, 100)}, {"fib", atLeast(0)}, {"seed", anyInteger()},
	},
	Run: runChat,
}

type (
	chatAccumulator = *actor.Mailbox[accumulatorMessage]
	chatClient      = *actor.Mailbox[clientMessage]
	chatDirectory   = *actor.Mailbox[directoryMessage]
	chatPoker       = *actor.Mailbox[pokerMessage]
	chatRoom        = *actor.Mailbox[chatMessage]
)

type pokerMessage struct {
	kind     pokerKind
	turn     int           // of pokerConfirm; which one it is does not matter
	duration time.Duration // of pokerConfirm: of the turn
	counts   *chatCounts   // of pokerFinished
}

type pokerKind uint8

const (
	pokerStart pokerKind = iota
	pokerConfirm
	pokerFinished
)

type directoryMessage struct {
	kind   directoryKind
	id     int64           // of directoryLogin; clients know each other by their mailboxes
	turn   chatAccumulator // of directoryPoke
	counts *chatCounts     // of directoryClientLeft
}

type directoryKind uint8

const (
	directoryLogin directoryKind = iota
	directoryPoke
	directoryDisconnect
	directoryClientLeft
)

type clientMessage struct {
	kind   clientKind
	logout bool            // of clientLeft
	friend chatClient      // of clientBefriend
	room   chatRoom        // of clientInvite, clientForward and clientLeft
	turn   chatAccumulator // of clientAct, clientInvite, clientForward, and of clientLeft without logout
}

type clientKind uint8

const (
	clientBefriend clientKind = iota
	clientAct
	clientInvite
	clientForward
	clientLeft
	clientLogout
)

type chatMessage struct {
	kind   chatKind
	logout bool            // of chatLeave
	client chatClient      // of chatJoin and chatLeave
	turn   chatAccumulator // of all but chatStop and a chatLeave with logout
}

type chatKind uint8

const (
	chatPost chatKind = iota
	chatJoin
	chatLeave
	chatStop
)

type accumulatorMessage struct {
	kind          accumulatorKind
	closes, opens int   // levels; opens only of accumulatorBump
	n             int64 // of accumulatorBump
}

type accumulatorKind uint8

const (
	accumulatorClose accumulatorKind = iota
	accumulatorBump
	accumulatorStop
)

// The levels on which an accumulator counts what is under way.
const (
	levelActs = iota
	levelJoins
	levelForwards
	levels
)

// chatCounts is what clients and directories count.
type chatCounts struct {
	sum, edges, compute, post, leave, invite, none, invitations int64
	forwards, leaves, bumps, closes                             int64
}

func (c *chatCounts) add(o *chatCounts) {
	c.sum += o.sum
	c.edges += o.edges
	c.compute += o.compute
	c.post += o.post
	c.leave += o.leave
	c.invite += o.invite
	c.none += o.none
	c.invitations += o.invitations
	c.forwards += o.forwards
	c.leaves += o.leaves
	c.bumps += o.bumps
	c.closes += o.closes
}

func runChat(it *actor.Iteration, p Values) (Outcome, error) {
	c := chatRun{
		it: it, clients: p.Int("clients"), compute: p.Int("compute"), post: p.Int("post"), leave: p.Int("leave"),
		invite: p.Int("invite"), befriend: p.Int("befriend"), fib: p.Int("fib"),
		accumulators: make([]chatAccumulator, p.Int("turns")), accumulated: make([]chatCounts, p.Int("turns")),
	}
	it.Begin()
	it.Expect(1)
	poker := actor.Spawn(it, func(self chatPoker) { c.poker(self, p.Int("dirs"), p.Int("seed")) })
	poker.Send(pokerMessage{kind: pokerStart})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	for _, r := range c.rooms {
		actor.Dismiss(it, r, chatMessage{kind: chatStop})
	}
	for _, a := range c.accumulators {
		actor.Dismiss(it, a, accumulatorMessage{kind: accumulatorStop})
	}
	if err := it.Finish(); err != nil {
		return Outcome{}, err
	}
	for i := range c.accumulated {
		c.counts.add(&c.accumulated[i])
	}
	mean, median, deviation := describeTurns(c.turns)
	n := c.counts
	return Outcome{
		Result: n.sum,
		Checks: map[string]any{
			"edges": n.edges, "compute": n.compute, "post": n.post, "leave": n.leave, "invite": n.invite, "none": n.none,
			"invitations": n.invitations,
		},
		Metrics: map[string]any{
			"forwards": n.forwards, "bumps": n.bumps, "closes": n.closes, "leaves": n.leaves,
			"turn_mean_ns": Float(mean), "turn_median_ns": Float(median), "turn_stdev_ns": Float(deviation),
		},
	}, nil
}

// describeTurns returns mean, median and population standard deviation in nanoseconds.
func describeTurns(turns []time.Duration) (mean, median, deviation float64) {
	slices.Sort(turns)
	n := len(turns)
	median = float64(turns[(n-1)/2]+turns[n/2]) / 2
	for _, t := range turns {
		mean += float64(t) / float64(n)
	}
	for _, t := range turns {
		deviation += (float64(t) - mean) * (float64(t) - mean) / float64(n)
	}
	return mean, median, math.Sqrt(deviation)
}

// chatRun is what all actors know from the beginning, and what is reported.
type chatRun struct {
	it                                     *actor.Iteration
	clients, fib                           int64
	compute, post, leave, invite, befriend int64 // per cent

	turns        []time.Duration
	counts       chatCounts
	accumulators []chatAccumulator // by turn
	accumulated  []chatCounts      // by turn

	mu    sync.Mutex
	rooms []chatRoom // guarded by mu: the driver stops them
}

func (c *chatRun) poker(self chatPoker, dirs, seed int64) {
	var directories []chatDirectory
	for finished := int64(0); finished < dirs; {
		switch m := self.Receive(); m.kind {
		case pokerStart:
			directories = c.createDirectories(self, dirs, seed)
			c.pokeAll(self, directories)
		case pokerConfirm:
			c.turns = append(c.turns, m.duration)
			if len(c.turns) == len(c.accumulators) {
				for _, d := range directories {
					d.Send(directoryMessage{kind: directoryDisconnect})
				}
			}
		case pokerFinished:
			finished++
			c.counts.add(m.counts)
		}
	}
}

func (c *chatRun) createDirectories(self chatPoker, dirs, seed int64) []chatDirectory {
	rng := lcg.New(seed)
	directories := make([]chatDirectory, dirs)
	c.it.Expect(dirs)
	for k := range directories {
		d := directoryState{chatRun: c, poker: self, rng: lcg.New(rng.Next())}
		directories[k] = actor.Spawn(c.it, d.run)
	}
	for id := int64(0); id < c.clients; id++ {
		directories[id%dirs].Send(directoryMessage{kind: directoryLogin, id: id})
	}
	return directories
}

// pokeAll issues all turns without waiting for any of them.
func (c *chatRun) pokeAll(self chatPoker, directories []chatDirectory) {
	c.it.ExpectLasting(int64(len(c.accumulators)))
	for turn := range c.accumulators {
		a := accumulatorState{turn: turn, poker: self, began: time.Now(), counts: &c.accumulated[turn]}
		a.opened[levelActs] = c.clients
		c.accumulators[turn] = actor.SpawnLasting(c.it, a.run)
		for _, d := range directories {
			d.Send(directoryMessage{kind: directoryPoke, turn: c.accumulators[turn]})
		}
	}
}

type accumulatorState struct {
	turn           int
	poker          chatPoker
	began          time.Time
	opened, closed [levels]int64
	counts         *chatCounts
}

func (a accumulatorState) run(self chatAccumulator) {
	for confirmed := false; ; {
		m := self.Receive()
		if m.kind == accumulatorStop {
			return
		}
		if confirmed {
			actor.Fail("Accumulator received message kind %d after its turn had ended", m.kind)
		}
		a.closed[m.closes]++
		if m.kind == accumulatorBump {
			a.opened[m.opens] += m.n
			a.counts.bumps++
		} else {
			a.counts.closes++
		}
		if a.closed == a.opened {
			confirmed = true
			a.poker.Send(pokerMessage{kind: pokerConfirm, turn: a.turn, duration: time.Since(a.began)})
		}
	}
}

func closeLevel(turn chatAccumulator, level int) {
	turn.Send(accumulatorMessage{kind: accumulatorClose, closes: level})
}

func bump(turn chatAccumulator, closes, opens int, n int64) {
	turn.Send(accumulatorMessage{kind: accumulatorBump, closes: closes, opens: opens, n: n})
}

type directoryState struct {
	*chatRun
	poker   chatPoker
	rng     lcg.Rng
	members []chatClient // in order of login
	counted chatCounts
}

func (d directoryState) run(self chatDirectory) {
	for left, leaving := 0, false; !leaving || left < len(d.members); {
		switch m := self.Receive(); m.kind {
		case directoryLogin:
			d.login(self)
		case directoryPoke:
			for _, to := range d.members {
				to.Send(clientMessage{kind: clientAct, turn: m.turn})
			}
		case directoryDisconnect:
			leaving = true
			for _, to := range d.members {
				to.Send(clientMessage{kind: clientLogout})
			}
		case directoryClientLeft:
			left++
			d.counted.add(m.counts)
		}
	}
	d.poker.Send(pokerMessage{kind: pokerFinished, counts: &d.counted})
}

func (d *directoryState) login(self chatDirectory) {
	seed := d.rng.Next()
	w := clientState{chatRun: d.chatRun, directory: self, dice: lcg.New(seed), rand: lcg.New(seed)}
	d.it.Expect(1)
	newcomer := actor.Spawn(d.it, w.run)
	for _, earlier := range d.members {
		if d.rng.Below(100) < d.befriend {
			earlier.Send(clientMessage{kind: clientBefriend, friend: newcomer})
			newcomer.Send(clientMessage{kind: clientBefriend, friend: earlier})
			d.counted.edges++
		}
	}
	d.members = append(d.members, newcomer)
}

type clientState struct {
	*chatRun
	directory  chatDirectory
	dice, rand lcg.Rng // of the same seed
	home       chatRoom
	friends    []chatClient // in order of arrival
	joined     []chatRoom   // in order of invitation
	counted    chatCounts
}

func (w clientState) run(self chatClient) {
	w.home = w.openRoom(self)
	for leaving := false; !leaving || len(w.joined) > 0; {
		switch m := self.Receive(); m.kind {
		case clientBefriend:
			w.friends = append(w.friends, m.friend)
		case clientAct:
			w.act(self, m.turn)
		case clientInvite:
			if !slices.Contains(w.joined, m.room) {
				w.joined = append(w.joined, m.room)
			}
			m.room.Send(chatMessage{kind: chatJoin, client: self, turn: m.turn})
		case clientForward:
			w.counted.forwards++
			closeLevel(m.turn, levelForwards)
		case clientLeft:
			if i := slices.Index(w.joined, m.room); i >= 0 {
				w.joined = slices.Delete(w.joined, i, i+1)
			}
			if !m.logout {
				closeLevel(m.turn, levelActs)
			}
		case clientLogout:
			leaving = true
			for _, room := range w.joined {
				w.leaveRoom(room, chatMessage{client: self, logout: true})
			}
		}
	}
	w.directory.Send(directoryMessage{kind: directoryClientLeft, counts: &w.counted})
}

// act does the first thing that the dice allow.
func (w *clientState) act(self chatClient, turn chatAccumulator) {
	room := w.home
	if r := w.rand.Next(); len(w.joined) > 0 {
		room = w.joined[r%int64(len(w.joined))]
	}
	switch {
	case w.dice.Below(100) < w.compute:
		w.counted.compute++
		w.counted.sum += fibonacci(w.fib)
		closeLevel(turn, levelActs)
	case w.dice.Below(100) < w.post:
		w.counted.post++
		room.Send(chatMessage{kind: chatPost, turn: turn})
	case w.dice.Below(100) < w.leave:
		w.counted.leave++
		if len(w.joined) == 0 {
			closeLevel(turn, levelActs)
		} else {
			w.leaveRoom(room, chatMessage{client: self, turn: turn})
		}
	case w.dice.Below(100) < w.invite:
		w.counted.invite++
		w.inviteFriends(self, turn)
	default:
		w.counted.none++
		closeLevel(turn, levelActs)
	}
}

func (w *clientState) leaveRoom(room chatRoom, m chatMessage) {
	m.kind = chatLeave
	room.Send(m)
	w.counted.leaves++
}

// inviteFriends opens a room and invites itself and some friends.
func (w *clientState) inviteFriends(self chatClient, turn chatAccumulator) {
	room := w.openRoom(self)
	rng := lcg.New(w.rand.Next())
	n := int64(len(w.friends))
	guests := append(make([]chatClient, 0, n+1), self)
	guests = append(guests, w.friends...)
	shuffled := guests[1:]
	for i := n - 1; i > 0; i-- {
		j := rng.Below(i + 1)
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	}
	m := int64(0)
	if n > 0 {
		m = rng.Next() % n
	}
	if m == 0 {
		closeLevel(turn, levelActs)
		return
	}
	w.counted.invitations += m
	bump(turn, levelActs, levelJoins, m)
	for _, to := range guests[:m] {
		to.Send(clientMessage{kind: clientInvite, room: room, turn: turn})
	}
}

// fibonacci is a naive double recursion.
func fibonacci(n int64) int64 {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

// openRoom creates a chat whose only member is its creator.
func (c *chatRun) openRoom(creator chatClient) chatRoom {
	c.it.ExpectLasting(1)
	room := actor.SpawnLasting(c.it, func(self chatRoom) { roomOf(self, creator) })
	c.mu.Lock()
	c.rooms = append(c.rooms, room)
	c.mu.Unlock()
	return room
}

func roomOf(self chatRoom, creator chatClient) {
	members := map[chatClient]struct{}{creator: {}}
	for buffered := int64(0); ; {
		switch m := self.Receive(); m.kind {
		case chatPost:
			buffered++
			if len(members) == 0 {
				closeLevel(m.turn, levelActs)
				continue
			}
			bump(m.turn, levelActs, levelForwards, int64(len(members)))
			for to := range members {
				to.Send(clientMessage{kind: clientForward, room: self, turn: m.turn})
			}
		case chatJoin:
			members[m.client] = struct{}{}
			if buffered == 0 {
				closeLevel(m.turn, levelJoins)
				continue
			}
			bump(m.turn, levelJoins, levelForwards, buffered)
			for i := int64(0); i < buffered; i++ {
				m.client.Send(clientMessage{kind: clientForward, room: self, turn: m.turn})
			}
		case chatLeave:
			delete(members, m.client)
			m.client.Send(clientMessage{kind: clientLeft, room: self, logout: m.logout, turn: m.turn})
		case chatStop:
			return
		}
	}
}
