// Mixed scenario: rings of short-lived actors pass tokens, while others factorise numbers.
#include "../actor.hpp"
#include "../opaque.hpp"

#include <numeric>

namespace scoville::mixed {

struct Start {};
struct Calc {
  std::int64_t number;
};
struct Result {
  std::vector<std::int64_t> factors;
};
struct Token {
  std::int64_t value;
};
struct Quit {};
struct MasterDone {
  std::int64_t rounds;
};

} // namespace scoville::mixed

CAF_BEGIN_TYPE_ID_BLOCK(scoville_mixed, caf::first_custom_type_id + 760)
  SCOVILLE_MESSAGE(scoville_mixed, scoville::mixed::Start)
  SCOVILLE_MESSAGE(scoville_mixed, scoville::mixed::Calc)
  SCOVILLE_MESSAGE(scoville_mixed, scoville::mixed::Result)
  SCOVILLE_MESSAGE(scoville_mixed, scoville::mixed::Token)
  SCOVILLE_MESSAGE(scoville_mixed, scoville::mixed::Quit)
  SCOVILLE_MESSAGE(scoville_mixed, scoville::mixed::MasterDone)
CAF_END_TYPE_ID_BLOCK(scoville_mixed)

namespace scoville {

namespace mixed {

struct Plan {
  std::int64_t rings;
  std::int64_t size;
  std::int64_t token;
  std::int64_t repetitions;
  std::int64_t number;
};

struct Report {
  std::int64_t factor_sum = 0;
  std::int64_t results = 0;
  std::int64_t rounds = 0;
};

/// The prime factors in ascending order. No bound at the square root: this is the workload.
std::vector<std::int64_t> factorise(std::int64_t x) {
  std::vector<std::int64_t> factors;
  std::int64_t d = 2;
  const auto zero = opaque(0); // for a remainder of 64 bits, as in `sieve`
  while (d < x) {
    if ((x ^ zero) % d == 0) {
      factors.push_back(d);
      x /= d;
    } else {
      d = d == 2 ? 3 : d + 2;
    }
  }
  factors.push_back(d);
  return factors;
}

template <class Run>
class Tally final : public Actor<Run> {
 public:
  Tally(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Result& result) {
          const auto& factors = result.factors;
          require(factors.size() == 2 && factors[0] * factors[1] == plan_.number,
                  "a number was factorised wrongly");
          report_.factor_sum += factors[0] + factors[1];
          ++report_.results;
          leave_after_last();
        },
        [this](MasterDone message) {
          report_.rounds += message.rounds;
          ++masters_;
          leave_after_last();
        });
  }

 private:
  void leave_after_last() {
    if (report_.results == plan_.rings * plan_.repetitions && masters_ == plan_.rings)
      this->quit();
  }

  Report& report_;
  Plan plan_;
  std::int64_t masters_ = 0;
};

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor tally)
      : Actor<Run>{config, run}, tally_{std::move(tally)} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Calc calc) { this->tell(tally_, Result{factorise(calc.number)}); },
                         [this](Quit) { this->quit(); });
  }

 private:
  caf::actor tally_;
};

template <class Run>
class Link final : public Actor<Run> {
 public:
  Link(caf::actor_config& config, Run& run, caf::actor next)
      : Actor<Run>{config, run}, next_{std::move(next)} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Token token) {
      this->tell(next_, Token{token});
      if (token.value == 0) {
        next_ = nullptr; // or the ring would hold itself
        this->quit();
      }
    });
  }

 private:
  caf::actor next_;
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, caf::actor tally, const Plan& plan)
      : Actor<Run>{config, run}, tally_{std::move(tally)}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Token token) {
          ++rounds_;
          if (token.value > 0)
            this->tell(first_, Token{token.value - 1});
          else if (--left_ > 0)
            repeat();
          else
            finish();
        },
        [this](Start) {
          left_ = plan_.repetitions;
          worker_ = this->template create<Worker<Run>>(tally_);
          repeat();
        });
  }

 private:
  void repeat() {
    this->tell(worker_, Calc{plan_.number});
    first_ = this->self();
    for (std::int64_t i = 1; i < plan_.size; ++i)
      first_ = this->template create<Link<Run>>(first_);
    this->tell(first_, Token{plan_.token});
  }

  void finish() {
    this->tell(worker_, Quit{});
    this->tell(tally_, MasterDone{rounds_});
    this->quit();
  }

  caf::actor tally_;
  Plan plan_;
  caf::actor worker_;
  caf::actor first_; // the link to which tokens are sent
  std::int64_t left_ = 0;
  std::int64_t rounds_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["rings"], parameters["size"], parameters["token"], parameters["reps"],
                  parameters["number"]};
  Report report;
  run.timed([&] {
    const auto tally = run.template spawn<Tally<Run>>(report, plan);
    std::vector<caf::actor> masters;
    for (std::int64_t i = 0; i < plan.rings; ++i)
      masters.push_back(run.template spawn<Master<Run>>(tally, plan));
    for (const auto& master : masters)
      run.send(master, Start{});
  });
  return {report.factor_sum, {{"results", report.results}, {"rounds", report.rounds}}};
}

} // namespace mixed

Benchmark entry::mixed() {
  return {"mixed",
          {{"rings", at_least(1)},
           {"size", at_least(2)},
           {"token", at_least(0)},
           {"reps", at_least(1)},
           {"number", any_integer()}},
          mixed::run<Run<false>>,
          mixed::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_mixed>};
}

} // namespace scoville
