// Precise Pi Computation: big numbers in messages. GMP computes them: it is what C++ programs use for numbers
// of this size, and the standard library has none.
#include "../actor.hpp"
#include "../checksum.hpp"

#include <algorithm>
#include <gmpxx.h>
#include <memory>

namespace scoville::piprecision {

struct Start {};
struct Work {
  std::int64_t term;
};
struct Result {
  mpz_class value;
  std::int64_t worker;
};
struct Stop {};
struct Stopped {};

} // namespace scoville::piprecision

CAF_BEGIN_TYPE_ID_BLOCK(scoville_piprecision, caf::first_custom_type_id + 500)
  SCOVILLE_MESSAGE(scoville_piprecision, scoville::piprecision::Start)
  SCOVILLE_MESSAGE(scoville_piprecision, scoville::piprecision::Work)
  SCOVILLE_MESSAGE(scoville_piprecision, scoville::piprecision::Result)
  SCOVILLE_MESSAGE(scoville_piprecision, scoville::piprecision::Stop)
  SCOVILLE_MESSAGE(scoville_piprecision, scoville::piprecision::Stopped)
CAF_END_TYPE_ID_BLOCK(scoville_piprecision)

namespace scoville {

namespace piprecision {

struct Report {
  mpz_class total;
  std::int64_t terms = 0;
  std::int64_t large = 0; // terms above 1
};

/// a / b, rounded to the nearest integer, ties to even; neither may be negative.
mpz_class divide(const mpz_class& a, const mpz_class& b) {
  mpz_class quotient;
  mpz_class rest;
  mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  rest *= 2;
  const auto order = cmp(rest, b);
  if (order > 0 || (order == 0 && mpz_odd_p(quotient.get_mpz_t()) != 0))
    ++quotient;
  return quotient;
}

/// The same for a small divisor.
mpz_class divide(const mpz_class& a, unsigned long b) {
  mpz_class quotient;
  const auto rest = mpz_fdiv_q_ui(quotient.get_mpz_t(), a.get_mpz_t(), b);
  if (rest > b - rest || (rest == b - rest && mpz_odd_p(quotient.get_mpz_t()) != 0))
    ++quotient;
  return quotient;
}

/// Ten to the power of the scale, and its small multiples.
class Series {
 public:
  explicit Series(std::int64_t scale) {
    mpz_ui_pow_ui(one_.get_mpz_t(), 10, static_cast<unsigned long>(scale));
    two_ = 2 * one_;
    four_ = 4 * one_;
  }

  [[nodiscard]] mpz_class term(std::int64_t k) const {
    const auto e = 8 * static_cast<unsigned long>(k);
    const mpz_class sum =
        divide(four_, e + 1) - divide(two_, e + 4) - divide(one_, e + 5) - divide(one_, e + 6);
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 16, static_cast<unsigned long>(k));
    return divide(sum, power);
  }

 private:
  mpz_class one_;
  mpz_class two_;
  mpz_class four_;
};

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, std::shared_ptr<const Series> series,
         std::int64_t index)
      : Actor<Run>{config, run}, master_{std::move(master)}, series_{std::move(series)}, index_{index} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Work work) {
          this->tell(master_, Result{series_->term(work.term), index_});
        },
        [this](Stop) {
          this->tell(master_, Stopped{});
          this->quit();
        });
  }

 private:
  caf::actor master_;
  std::shared_ptr<const Series> series_;
  std::int64_t index_;
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Report& report, std::int64_t workers, std::int64_t scale)
      : Actor<Run>{config, run}, report_{report}, number_{workers}, scale_{scale} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Result& result) { add(result); }, [this](Start) { start(); },
                         [this](Stopped) {
                           if (++stopped_ == number_) {
                             workers_.clear(); // or master and workers would hold each other
                             this->quit();
                           }
                         });
  }

 private:
  void start() {
    const auto series = std::make_shared<const Series>(scale_);
    for (std::int64_t i = 0; i < number_; ++i)
      workers_.push_back(this->template create<Worker<Run>>(this->self(), series, i));
    while (report_.terms < scale_ && report_.terms / 10 < number_)
      request(report_.terms % number_);
  }

  void request(std::int64_t worker) {
    this->tell(workers_[static_cast<std::size_t>(worker)], Work{report_.terms});
    ++report_.terms;
  }

  void add(const Result& result) {
    ++received_;
    report_.total += result.value;
    if (result.value <= 1)
      enough_ = true;
    else
      ++report_.large;
    if (!enough_)
      request(result.worker);
    if (received_ == report_.terms) {
      for (const auto& worker : workers_)
        this->tell(worker, Stop{});
    }
  }

  Report& report_;
  std::int64_t number_;
  std::int64_t scale_;
  std::vector<caf::actor> workers_;
  std::int64_t received_ = 0;
  std::int64_t stopped_ = 0;
  bool enough_ = false;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto scale = parameters["p"];
  const auto workers = parameters["w"];
  Report report;
  run.timed([&] { run.send(run.template spawn<Master<Run>>(report, workers, scale), Start{}); });
  // Terms fall, so that those above 1 are the first ones.
  const auto ahead = workers > scale / 10 ? scale : std::min(scale, 10 * workers);
  require(report.large < report.terms && report.terms <= report.large + ahead,
          "the number of terms that were requested cannot be");
  Checksum digits;
  for (const auto digit : report.total.get_str())
    digits.add(digit - '0');
  return {static_cast<std::int64_t>(mpz_fdiv_ui(report.total.get_mpz_t(), 2147483647)),
          {{"digits", digits.get()}},
          {{"terms", report.terms}}};
}

} // namespace piprecision

Benchmark entry::piprecision() {
  return {"piprecision",
          {{"w", at_least(1)}, {"p", between(10, 100000)}},
          piprecision::run<Run<false>>,
          piprecision::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_piprecision>,
          {},
          {{"bignum", "GMP"}}};
}

} // namespace scoville
