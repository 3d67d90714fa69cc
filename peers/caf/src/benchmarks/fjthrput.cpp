// Fork Join (throughput): the driver sends to many actors in turn, from outside the actor system.
#include "../benchmark.hpp"

#include <cmath>

namespace scoville::fjthrput {

struct Work {
  double theta;
};

} // namespace scoville::fjthrput

CAF_BEGIN_TYPE_ID_BLOCK(scoville_fjthrput, caf::first_custom_type_id + 40)
  SCOVILLE_MESSAGE(scoville_fjthrput, scoville::fjthrput::Work)
CAF_END_TYPE_ID_BLOCK(scoville_fjthrput)

namespace scoville {

namespace fjthrput {

struct Report {
  Total<std::int64_t> result;
  Total<double> sum;
};

template <class Run>
class Worker final : public caf::event_based_actor {
 public:
  Worker(caf::actor_config& config, Run& run, Report& report, std::int64_t id, std::int64_t messages)
      : caf::event_based_actor{config}, run_{run}, report_{report}, id_{id}, messages_{messages} {}

  caf::behavior make_behavior() override {
    return run_.handlers(this, [this](Work work) {
      const auto s = std::sin(work.theta);
      const auto r = s * s;
      require(r > 0, "the square of the sine is not positive");
      sum_ += r;
      ++count_;
      if (count_ == messages_) {
        report_.result.add((id_ + 1) * count_);
        report_.sum.add(sum_);
        quit();
      }
    });
  }

 private:
  Run& run_;
  Report& report_;
  std::int64_t id_;
  std::int64_t messages_;
  std::int64_t count_ = 0;
  double sum_ = 0.0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto messages = parameters["messages"];
  const auto actors = parameters["actors"];
  Report report;
  run.timed([&] {
    std::vector<caf::actor> workers;
    workers.reserve(static_cast<std::size_t>(actors));
    for (std::int64_t id = 0; id < actors; ++id)
      workers.push_back(run.template spawn<Worker<Run>>(report, id, messages));
    for (std::int64_t m = 0; m < messages; ++m) {
      for (const auto& worker : workers)
        run.send(worker, Work{37.2});
    }
  });
  return {report.result.get(), {{"sum", report.sum.get()}}};
}

} // namespace fjthrput

Benchmark entry::fjthrput() {
  return {"fjthrput",
          {{"messages", at_least(1)}, {"actors", at_least(1)}},
          fjthrput::run<Run<false>>,
          fjthrput::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_fjthrput>};
}

} // namespace scoville
