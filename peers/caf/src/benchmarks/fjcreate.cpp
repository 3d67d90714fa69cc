// Fork Join (actor creation): actors that live for one message, made one after the other.
#include "../benchmark.hpp"

#include <cmath>

namespace scoville::fjcreate {

struct Work {
  double theta;
};

} // namespace scoville::fjcreate

CAF_BEGIN_TYPE_ID_BLOCK(scoville_fjcreate, caf::first_custom_type_id + 50)
  SCOVILLE_MESSAGE(scoville_fjcreate, scoville::fjcreate::Work)
CAF_END_TYPE_ID_BLOCK(scoville_fjcreate)

namespace scoville {

namespace fjcreate {

template <class Run>
class Worker final : public caf::event_based_actor {
 public:
  Worker(caf::actor_config& config, Run& run, std::atomic<std::int64_t>& sum, std::int64_t id)
      : caf::event_based_actor{config}, run_{run}, sum_{sum}, id_{id} {}

  caf::behavior make_behavior() override {
    return run_.handlers(this, [this](Work work) {
      const auto s = std::sin(work.theta);
      const auto r = s * s;
      require(r > 0, "the square of the sine is not positive");
      sum_.fetch_add(id_, std::memory_order_relaxed); // read after the join
      quit();
    });
  }

 private:
  Run& run_;
  std::atomic<std::int64_t>& sum_;
  std::int64_t id_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto actors = parameters["actors"];
  std::atomic<std::int64_t> sum = 0;
  run.timed([&] {
    for (std::int64_t id = 1; id <= actors; ++id)
      run.send(run.template spawn<Worker<Run>>(sum, id), Work{37.2});
  });
  return {sum.load()};
}

} // namespace fjcreate

Benchmark entry::fjcreate() {
  return {"fjcreate",
          {{"actors", at_least(1)}},
          fjcreate::run<Run<false>>,
          fjcreate::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_fjcreate>};
}

} // namespace scoville
