// Cigarette Smokers: an arbiter hands out the next cigarette as soon as the last is lit.
#include "../actor.hpp"
#include "../busy.hpp"
#include "../rng.hpp"

namespace scoville::cigsmok {

struct Start {};
struct Smoke {
  std::int64_t work;
};
struct Started {};
struct Exit {};

} // namespace scoville::cigsmok

CAF_BEGIN_TYPE_ID_BLOCK(scoville_cigsmok, caf::first_custom_type_id + 280)
  SCOVILLE_MESSAGE(scoville_cigsmok, scoville::cigsmok::Start)
  SCOVILLE_MESSAGE(scoville_cigsmok, scoville::cigsmok::Smoke)
  SCOVILLE_MESSAGE(scoville_cigsmok, scoville::cigsmok::Started)
  SCOVILLE_MESSAGE(scoville_cigsmok, scoville::cigsmok::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_cigsmok)

namespace scoville {

namespace cigsmok {

struct Report {
  Total<std::int64_t> result;
  Total<std::int64_t> busy_sum;
  std::vector<std::int64_t> smoked; // each smoker writes its own
};

template <class Run>
class Smoker final : public Actor<Run> {
 public:
  Smoker(caf::actor_config& config, Run& run, Report& report, caf::actor arbiter, std::size_t id)
      : Actor<Run>{config, run}, report_{report}, arbiter_{std::move(arbiter)}, id_{id} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Smoke smoke) {
          this->tell(arbiter_, Started{}); // before the work: this overlap is all the parallelism
          ++smoked_;
          busy_sum_ += busy(smoke.work);
        },
        [this](Exit) {
          report_.result.add(static_cast<std::int64_t>(id_ + 1) * smoked_);
          report_.busy_sum.add(busy_sum_);
          report_.smoked[id_] = smoked_;
          this->quit();
        });
  }

 private:
  Report& report_;
  caf::actor arbiter_;
  std::size_t id_;
  std::int64_t smoked_ = 0;
  std::int64_t busy_sum_ = 0;
};

template <class Run>
class Arbiter final : public Actor<Run> {
 public:
  Arbiter(caf::actor_config& config, Run& run, Report& report, std::int64_t rounds, std::int64_t smokers)
      : Actor<Run>{config, run}, report_{report}, left_{rounds}, rng_{rounds * smokers} {}

  caf::behavior make_behavior() override {
    for (std::size_t id = 0; id < report_.smoked.size(); ++id)
      smokers_.push_back(this->template create<Smoker<Run>>(report_, this->self(), id));
    return this->receive(
        [this](Started) {
          if (--left_ > 0)
            choose();
          else
            dismiss();
        },
        [this](Start) { choose(); });
  }

 private:
  void choose() {
    const auto& smoker = smokers_[static_cast<std::size_t>(rng_.scaled(length(smokers_)))];
    this->tell(smoker, Smoke{rng_.below(1000) + 10});
  }

  void dismiss() {
    for (const auto& smoker : smokers_)
      this->tell(smoker, Exit{});
    smokers_.clear();
    this->quit();
  }

  Report& report_;
  std::int64_t left_;
  Rng rng_;
  std::vector<caf::actor> smokers_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto smokers = parameters["smokers"];
  Report report;
  report.smoked.resize(static_cast<std::size_t>(smokers));
  run.timed(
      [&] { run.send(run.template spawn<Arbiter<Run>>(report, parameters["rounds"], smokers), Start{}); });
  return {
      report.result.get(), {{"busy_sum", report.busy_sum.get()}}, {}, {{"smoked", std::move(report.smoked)}}};
}

} // namespace cigsmok

Benchmark entry::cigsmok() {
  return {"cigsmok",
          {{"rounds", at_least(1)}, {"smokers", at_least(1)}},
          cigsmok::run<Run<false>>,
          cigsmok::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_cigsmok>};
}

} // namespace scoville
