// Bank Transaction: accounts that defer everything else until the money has arrived.
#include "../actor.hpp"
#include "../fifo.hpp"
#include "../rng.hpp"

namespace scoville::banking {

struct Start {};
struct Credit {
  caf::actor from;
  std::int64_t amount;
  caf::actor dest;
};
struct Debit {
  caf::actor from;
  std::int64_t amount;
};
struct Reply {};
struct Stop {};

} // namespace scoville::banking

CAF_BEGIN_TYPE_ID_BLOCK(scoville_banking, caf::first_custom_type_id + 320)
  SCOVILLE_MESSAGE(scoville_banking, scoville::banking::Start)
  SCOVILLE_MESSAGE(scoville_banking, scoville::banking::Credit)
  SCOVILLE_MESSAGE(scoville_banking, scoville::banking::Debit)
  SCOVILLE_MESSAGE(scoville_banking, scoville::banking::Reply)
  SCOVILLE_MESSAGE(scoville_banking, scoville::banking::Stop)
CAF_END_TYPE_ID_BLOCK(scoville_banking)

namespace scoville {

namespace banking {

struct Plan {
  std::int64_t accounts;
  std::int64_t transactions;
  std::int64_t initial_balance;
};

struct Report {
  Total<std::int64_t> weighted;
  Total<std::int64_t> total;
  Total<std::int64_t> deferred;
  std::int64_t completed = 0;
};

// Requests wait in a queue of the account's own. CAF can skip messages and leave them in the mailbox, but it
// would walk over all of them again for each reply.
template <class Run>
class Account final : public Actor<Run> {
 public:
  Account(caf::actor_config& config, Run& run, Report& report, std::int64_t i, std::int64_t balance)
      : Actor<Run>{config, run}, report_{report}, i_{i}, balance_{balance} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Credit& credit) { accept(credit); },
                         [this](const Debit& debit) { accept(debit); }, [this](Reply) { complete(); },
                         [this](Stop stop) { accept(stop); });
  }

 private:
  using Request = std::variant<Stop, Credit, Debit>;

  template <class Message>
  void accept(const Message& message) {
    if (teller_) {
      ++deferrals_;
      deferred_.push(message);
    } else {
      handle(message);
    }
  }

  void complete() {
    require(static_cast<bool>(teller_), "an account received a reply that it did not wait for");
    this->tell(teller_, Reply{});
    teller_ = nullptr;
    while (!teller_ && !deferred_.empty())
      std::visit([this](const auto& request) { this->handle(request); }, deferred_.pop());
  }

  void handle(const Credit& credit) {
    balance_ -= credit.amount;
    this->tell(credit.dest, Debit{this->self(), credit.amount});
    teller_ = credit.from;
  }

  void handle(const Debit& debit) {
    balance_ += debit.amount;
    this->tell(debit.from, Reply{});
  }

  void handle(Stop /*stop*/) {
    report_.weighted.add((i_ + 1) * balance_);
    report_.total.add(balance_);
    report_.deferred.add(deferrals_);
    this->quit();
  }

  Report& report_;
  std::int64_t i_;
  std::int64_t balance_;
  caf::actor teller_; // whom to answer; waiting if there is one
  Fifo<Request> deferred_;
  std::int64_t deferrals_ = 0;
};

template <class Run>
class Teller final : public Actor<Run> {
 public:
  Teller(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan} {}

  caf::behavior make_behavior() override {
    for (std::int64_t i = 0; i < plan_.accounts; ++i)
      accounts_.push_back(this->template create<Account<Run>>(report_, i, plan_.initial_balance));
    return this->receive(
        [this](Reply) {
          if (++report_.completed == plan_.transactions)
            close();
        },
        [this](Start) {
          for (std::int64_t t = 0; t < plan_.transactions; ++t)
            transfer();
        });
  }

 private:
  void transfer() {
    const auto source = rng_.below(plan_.accounts / 10 * 8);
    const auto offset = std::max<std::int64_t>(rng_.below(plan_.accounts - source), 1);
    const auto amount = rng_.below(1000) + 1;
    this->tell(account(source), Credit{this->self(), amount, account(source + offset)});
  }

  [[nodiscard]] const caf::actor& account(std::int64_t i) const {
    return accounts_[static_cast<std::size_t>(i)];
  }

  void close() {
    for (const auto& account : accounts_)
      this->tell(account, Stop{});
    this->quit();
  }

  Report& report_;
  Plan plan_;
  Rng rng_{123456};
  std::vector<caf::actor> accounts_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["accounts"], parameters["transactions"], parameters["initial_balance"]};
  Report report;
  run.timed([&] { run.send(run.template spawn<Teller<Run>>(report, plan), Start{}); });
  return {report.weighted.get(),
          {{"total", report.total.get()}, {"completed", report.completed}},
          {{"deferred", report.deferred.get()}}};
}

} // namespace banking

Benchmark entry::banking() {
  return {
      "banking",
      {{"accounts", between(10, 65536)}, {"transactions", at_least(1)}, {"initial_balance", any_integer()}},
      banking::run<Run<false>>,
      banking::run<Run<true>>,
      compat::register_types<caf::id_block::scoville_banking>,
      {},
      {{"stash", "local"}}};
}

} // namespace scoville
