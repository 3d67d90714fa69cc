package bench

import "scoville/peer/internal/actor"

var nqueenk = Benchmark{
	Name: "nqueenk",
	Parameters: []Parameter{
		{"w", atLeast(1)}, {"n", between(1, maxQueens)}, {"t", between(1, 20)}, {"k", atLeast(1)}, {"p", between(1, 29)},
	},
	Run: runNqueenk,
}

const maxQueens = 20

// queensWork is Work or NewWork: the columns of the queens in the first rows. The board is shared and never changed.
type queensWork struct {
	priority, depth int
	board           []int
}

// queensMessage is Work, or Stop if it is last.
type queensMessage struct {
	work queensWork
	last bool
}

type queensMasterMessage struct {
	kind queensMasterKind
	work queensWork // of queensNewWork
}

type queensMasterKind uint8

const (
	queensNewWork queensMasterKind = iota
	queensResult
	queensDone
	queensStopped
)

func runNqueenk(it *actor.Iteration, p Values) (Outcome, error) {
	m := queensMaster{workers: make([]*actor.Mailbox[queensMessage], p.Int("w")), wanted: p.Int("k")}
	it.Begin()
	it.Expect(1)
	actor.Spawn(it, func(self *actor.Mailbox[queensMasterMessage]) {
		it.Expect(int64(len(m.workers)))
		w := queensWorker{master: self, n: int(p.Int("n")), alone: int(p.Int("t"))}
		for i := range m.workers {
			m.workers[i] = actor.Spawn(it, w.run)
		}
		m.run(self, int(p.Int("p")-1))
	})
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	if m.results >= m.wanted { // it ended early, so that the number of items depends on scheduling
		return Outcome{Result: m.wanted, Metrics: map[string]any{"results": m.results, "items": m.sent}}, nil
	}
	return Outcome{Result: m.results, Checks: map[string]any{"items": m.sent}}, nil
}

type queensMaster struct {
	workers                  []*actor.Mailbox[queensMessage]
	wanted                   int64
	sent, completed, results int64
	stopping                 bool
}

func (m *queensMaster) run(self *actor.Mailbox[queensMasterMessage], priority int) {
	m.dispatch(queensWork{priority: priority})
	for stopped := 0; stopped < len(m.workers); {
		switch msg := self.Receive(); msg.kind {
		case queensNewWork:
			if !m.stopping {
				m.dispatch(msg.work)
			}
		case queensResult:
			m.results++
			if m.results == m.wanted {
				m.stop()
			}
		case queensDone:
			m.completed++
			if m.completed == m.sent {
				m.stop()
			}
		case queensStopped:
			stopped++
		}
	}
}

func (m *queensMaster) dispatch(work queensWork) {
	m.workers[m.sent%int64(len(m.workers))].Send(queensMessage{work: work})
	m.sent++
}

func (m *queensMaster) stop() {
	if m.stopping {
		return
	}
	m.stopping = true
	for _, w := range m.workers {
		w.Send(queensMessage{last: true})
	}
}

type queensWorker struct {
	master   *actor.Mailbox[queensMasterMessage]
	n, alone int
	levels   [maxQueens][maxQueens]int // the boards of a search, by depth
}

func (w queensWorker) run(self *actor.Mailbox[queensMessage]) {
	for {
		m := self.Receive()
		if m.last {
			w.master.Send(queensMasterMessage{kind: queensStopped})
			return
		}
		switch work := m.work; {
		case work.depth == w.n:
			w.master.Send(queensMasterMessage{kind: queensResult})
		case work.depth >= w.alone:
			w.search(work.board, work.depth)
		default:
			w.extend(work)
		}
		w.master.Send(queensMasterMessage{kind: queensDone})
	}
}

// extend hands every valid board with one more queen back.
func (w *queensWorker) extend(work queensWork) {
	for i := 0; i < w.n; i++ {
		board := make([]int, work.depth+1)
		copy(board, work.board)
		board[work.depth] = i
		if validBoard(board) {
			next := queensWork{priority: max(0, work.priority-1), depth: work.depth + 1, board: board}
			w.master.Send(queensMasterMessage{kind: queensNewWork, work: next})
		}
	}
}

// search finds all solutions that begin with a board of depth queens.
func (w *queensWorker) search(board []int, depth int) {
	if depth == w.n {
		w.master.Send(queensMasterMessage{kind: queensResult})
		return
	}
	longer := w.levels[depth][:depth+1]
	for i := 0; i < w.n; i++ {
		copy(longer, board)
		longer[depth] = i
		if validBoard(longer) {
			w.search(longer, depth+1)
		}
	}
}

// validBoard tests all pairs of queens, not only those with the newest.
func validBoard(board []int) bool {
	for i, p := range board {
		for j, q := range board[i+1:] {
			if distance := j + 1; q == p || q == p-distance || q == p+distance {
				return false
			}
		}
	}
	return true
}
