// Trapezoidal Approximation: a master deals equal parts of an integral.
#include "../actor.hpp"

#include <cmath>

namespace scoville::trapezoid {

struct Start {
  double l;
  double r;
  std::int64_t n;
};
struct Work {
  std::int64_t first;
  std::int64_t last;
  double l;
  double h;
};
struct Result {
  double area;
  std::int64_t pieces;
};

} // namespace scoville::trapezoid

CAF_BEGIN_TYPE_ID_BLOCK(scoville_trapezoid, caf::first_custom_type_id + 480)
  SCOVILLE_MESSAGE(scoville_trapezoid, scoville::trapezoid::Start)
  SCOVILLE_MESSAGE(scoville_trapezoid, scoville::trapezoid::Work)
  SCOVILLE_MESSAGE(scoville_trapezoid, scoville::trapezoid::Result)
CAF_END_TYPE_ID_BLOCK(scoville_trapezoid)

namespace scoville {

namespace trapezoid {

double f(double x) {
  return std::sin(x * x * x - 1) / (x + 1) * std::sqrt(1 + std::exp(std::sqrt(2 * x)));
}

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master)
      : Actor<Run>{config, run}, master_{std::move(master)} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Work& work) {
      auto area = 0.0;
      for (auto p = work.first; p < work.last; ++p) {
        const auto left = work.l + static_cast<double>(p) * work.h;
        area += 0.5 * (f(left) + f(left + work.h)) * work.h;
      }
      this->tell(master_, Result{area, work.last - work.first});
      this->quit();
    });
  }

 private:
  caf::actor master_;
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Result& report, std::int64_t workers)
      : Actor<Run>{config, run}, report_{report}, workers_{workers} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Result result) {
          report_.area += result.area;
          report_.pieces += result.pieces;
          if (++received_ == workers_)
            this->quit();
        },
        [this](const Start& start) {
          const auto h = (start.r - start.l) / static_cast<double>(start.n);
          for (std::int64_t i = 0; i < workers_; ++i)
            this->tell(this->template create<Worker<Run>>(this->self()),
                       Work{i * start.n / workers_, (i + 1) * start.n / workers_, start.l, h});
        });
  }

 private:
  Result& report_;
  std::int64_t workers_;
  std::int64_t received_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Result report{};
  run.timed([&] {
    run.send(run.template spawn<Master<Run>>(report, parameters["w"]),
             Start{parameters.number("l"), parameters.number("r"), parameters["n"]});
  });
  return {report.area, {{"pieces", report.pieces}}};
}

} // namespace trapezoid

Benchmark entry::trapezoid() {
  return {"trapezoid",
          {{"n", at_least(1)}, {"w", at_least(1)}, {"l", number_from(0)}, {"r", any_number()}},
          trapezoid::run<Run<false>>,
          trapezoid::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_trapezoid>,
          {{"r", Rule::above, 1, "l"}}};
}

} // namespace scoville
