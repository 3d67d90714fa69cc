// Logistic Map Series: workers that defer everything else until their computer has answered.
#include "../actor.hpp"
#include "../fifo.hpp"

namespace scoville::logmap {

struct Start {};
struct NextTerm {};
struct GetTerm {};
struct Compute {
  caf::actor from;
  double x;
};
struct Value {
  double x;
};
struct Term {
  std::int64_t i;
  double x;
  double acc;
  std::int64_t steps;
};
struct Stop {};

} // namespace scoville::logmap

CAF_BEGIN_TYPE_ID_BLOCK(scoville_logmap, caf::first_custom_type_id + 300)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::Start)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::NextTerm)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::GetTerm)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::Compute)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::Value)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::Term)
  SCOVILLE_MESSAGE(scoville_logmap, scoville::logmap::Stop)
CAF_END_TYPE_ID_BLOCK(scoville_logmap)

namespace scoville {

namespace logmap {

struct Plan {
  std::int64_t terms;
  std::int64_t series;
  double start_rate;
  double increment;
};

struct Report {
  double sum = 0.0;
  double orbit_sum = 0.0;
  std::int64_t steps = 0;
};

template <class Run>
class Computer final : public Actor<Run> {
 public:
  Computer(caf::actor_config& config, Run& run, double rate) : Actor<Run>{config, run}, rate_{rate} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Compute& compute) {
          this->tell(compute.from, Value{(rate_ * compute.x) * (1 - compute.x)});
        },
        [this](Stop) { this->quit(); });
  }

 private:
  double rate_;
};

// Requests wait in a queue of the worker's own. CAF can skip messages and leave them in the mailbox, but it
// would walk over all of them again for each answer.
template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, caf::actor computer, std::int64_t i,
         double x)
      : Actor<Run>{config, run},
        master_{std::move(master)},
        computer_{std::move(computer)},
        term_{i, x, 0.0, 0} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) { take(value.x); }, [this](NextTerm) { accept(Request::next_term); },
        [this](GetTerm) { accept(Request::get_term); }, [this](Stop) { accept(Request::stop); });
  }

 private:
  enum class Request { next_term, get_term, stop };

  void accept(Request request) {
    if (waiting_)
      deferred_.push(request);
    else
      handle(request);
  }

  void take(double x) {
    require(waiting_, "a worker received a value that it did not ask for");
    term_.x = x;
    term_.acc += x;
    ++term_.steps;
    waiting_ = false;
    while (!waiting_ && !deferred_.empty())
      handle(deferred_.pop());
  }

  void handle(Request request) {
    switch (request) {
    case Request::next_term:
      this->tell(computer_, Compute{this->self(), term_.x});
      waiting_ = true;
      break;
    case Request::get_term:
      this->tell(master_, Term{term_});
      break;
    case Request::stop:
      this->quit();
      break;
    }
  }

  caf::actor master_;
  caf::actor computer_;
  Term term_;
  bool waiting_ = false;
  Fifo<Request> deferred_;
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run},
        report_{report},
        plan_{plan},
        terms_(static_cast<std::size_t>(plan.series)) {}

  caf::behavior make_behavior() override {
    create_all();
    return this->receive(
        [this](const Term& term) {
          terms_[static_cast<std::size_t>(term.i)] = term;
          if (++answers_ == plan_.series)
            finish();
        },
        [this](Start) { ask_all(); });
  }

 private:
  void create_all() {
    for (std::int64_t i = 0; i < plan_.series; ++i)
      computers_.push_back(
          this->template create<Computer<Run>>(plan_.start_rate + static_cast<double>(i) * plan_.increment));
    for (std::int64_t i = 0; i < plan_.series; ++i)
      workers_.push_back(this->template create<Worker<Run>>(this->self(),
                                                            computers_[static_cast<std::size_t>(i)], i,
                                                            static_cast<double>(i) * plan_.increment));
  }

  void ask_all() {
    for (std::int64_t t = 0; t < plan_.terms; ++t) {
      for (const auto& worker : workers_)
        this->tell(worker, NextTerm{});
    }
    for (const auto& worker : workers_)
      this->tell(worker, GetTerm{});
  }

  void finish() {
    for (const auto& term : terms_) {
      report_.sum += term.x;
      report_.orbit_sum += term.acc;
      report_.steps += term.steps;
    }
    for (const auto& computer : computers_)
      this->tell(computer, Stop{});
    for (const auto& worker : workers_)
      this->tell(worker, Stop{});
    workers_.clear(); // or master and workers would hold each other
    this->quit();
  }

  Report& report_;
  Plan plan_;
  std::vector<Term> terms_;
  std::vector<caf::actor> computers_;
  std::vector<caf::actor> workers_;
  std::int64_t answers_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["terms"], parameters["series"], parameters.number("start_rate"),
                  parameters.number("increment")};
  Report report;
  run.timed([&] { run.send(run.template spawn<Master<Run>>(report, plan), Start{}); });
  return {report.sum, {{"orbit_sum", report.orbit_sum}, {"steps", report.steps}}};
}

} // namespace logmap

Benchmark entry::logmap() {
  return {"logmap",
          {{"terms", at_least(0)},
           {"series", between(1, 217)},
           {"start_rate", any_number()},
           {"increment", any_number()}},
          logmap::run<Run<false>>,
          logmap::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_logmap>,
          {},
          {{"stash", "local"}}};
}

} // namespace scoville
