package bench

import (
	"scoville/peer/internal/actor"
	"scoville/peer/internal/lcg"
)

var banking = Benchmark{
	Name: "banking",
	Parameters: []Parameter{
		{"accounts", between(10, 65536)}, {"transactions", atLeast(1)}, {"initial_balance", anyInteger()},
	},
	Labels: map[string]string{"stash": "local"},
	Run:    runBanking,
}

// tellerMessage is Start from the driver or Reply from an account.
type tellerMessage uint8

const (
	tellerStart tellerMessage = iota
	tellerReply
)

type account = *actor.Mailbox[accountMessage]

type accountMessage struct {
	kind   accountKind
	teller *actor.Mailbox[tellerMessage] // of accountCredit
	other  account                       // the destination of accountCredit, the source of accountDebit
	amount int64
}

type accountKind uint8

const (
	accountCredit accountKind = iota
	accountDebit
	accountStop
	accountReply
)

// accountEnd is what an account reports.
type accountEnd struct{ balance, deferred int64 }

func runBanking(it *actor.Iteration, p Values) (Outcome, error) {
	ends := make([]accountEnd, p.Int("accounts"))
	var completed int64
	it.Begin()
	it.Expect(1)
	teller := actor.Spawn(it, func(self *actor.Mailbox[tellerMessage]) {
		accounts := make([]account, len(ends))
		it.Expect(int64(len(ends)))
		for i := range accounts {
			end := &ends[i]
			accounts[i] = actor.Spawn(it, func(a account) { *end = accountActor(a, p.Int("initial_balance")) })
		}
		completed = tellerActor(self, accounts, p.Int("transactions"))
	})
	teller.Send(tellerStart)
	if err := it.Wait(); err != nil {
		return Outcome{}, err
	}
	var result, total, deferred int64
	for i, e := range ends {
		result += int64(i+1) * e.balance
		total += e.balance
		deferred += e.deferred
	}
	return Outcome{
		Result:  result,
		Checks:  map[string]any{"total": total, "completed": completed},
		Metrics: map[string]any{"deferred": deferred},
	}, nil
}

func tellerActor(self *actor.Mailbox[tellerMessage], accounts []account, transactions int64) (completed int64) {
	rng := lcg.New(123456)
	for completed < transactions {
		switch self.Receive() {
		case tellerStart:
			n := int64(len(accounts))
			for i := int64(0); i < transactions; i++ {
				source := rng.Below(n / 10 * 8)
				offset := max(1, rng.Below(n-source))
				amount := rng.Below(1000) + 1
				credit := accountMessage{kind: accountCredit, teller: self, other: accounts[source+offset], amount: amount}
				accounts[source].Send(credit)
			}
		case tellerReply:
			completed++
		}
	}
	for _, a := range accounts {
		a.Send(accountMessage{kind: accountStop})
	}
	return completed
}

// accountActor defers everything while it waits for the reply to its Debit.
func accountActor(self account, balance int64) (end accountEnd) {
	end.balance = balance
	var teller *actor.Mailbox[tellerMessage] // not nil while waiting
	var deferred fifo[accountMessage]
	// handle does a request and tells whether it was the last one.
	handle := func(m accountMessage) (stop bool) {
		switch m.kind {
		case accountCredit:
			end.balance -= m.amount
			m.other.Send(accountMessage{kind: accountDebit, other: self, amount: m.amount})
			teller = m.teller
		case accountDebit:
			end.balance += m.amount
			m.other.Send(accountMessage{kind: accountReply})
		case accountStop:
			return true
		}
		return false
	}
	for {
		m := self.Receive()
		switch {
		case m.kind == accountReply:
			if teller == nil {
				actor.Fail("an account received a reply that it did not wait for")
			}
			teller.Send(tellerReply)
			teller = nil
			for teller == nil && deferred.len() > 0 {
				if handle(deferred.pop()) {
					return end
				}
			}
		case teller != nil:
			end.deferred++
			deferred.push(m)
		case handle(m):
			return end
		}
	}
}
