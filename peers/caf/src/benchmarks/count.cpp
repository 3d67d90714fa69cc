// Counting Actor: a flood from one actor into the mailbox of another.
#include "../benchmark.hpp"

namespace scoville::count {

struct Start {};
struct Increment {};
struct Retrieve {
  caf::actor from;
};
struct Result {
  std::int64_t value;
};

} // namespace scoville::count

CAF_BEGIN_TYPE_ID_BLOCK(scoville_count, caf::first_custom_type_id + 30)
  SCOVILLE_MESSAGE(scoville_count, scoville::count::Start)
  SCOVILLE_MESSAGE(scoville_count, scoville::count::Increment)
  SCOVILLE_MESSAGE(scoville_count, scoville::count::Retrieve)
  SCOVILLE_MESSAGE(scoville_count, scoville::count::Result)
CAF_END_TYPE_ID_BLOCK(scoville_count)

namespace scoville {

namespace count {

template <class Run>
class Counter final : public caf::event_based_actor {
 public:
  Counter(caf::actor_config& config, Run& run) : caf::event_based_actor{config}, run_{run} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this, [this](Increment) { ++count_; },
        [this](const Retrieve& retrieve) {
          run_.send(this, retrieve.from, Result{count_});
          quit();
        });
  }

 private:
  Run& run_;
  std::int64_t count_ = 0;
};

template <class Run>
class Producer final : public caf::event_based_actor {
 public:
  Producer(caf::actor_config& config, Run& run, std::int64_t& report, caf::actor counter,
           std::int64_t messages)
      : caf::event_based_actor{config},
        run_{run},
        report_{report},
        counter_{std::move(counter)},
        messages_{messages} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this, [this](Start) { flood(); },
        [this](Result result) {
          report_ = result.value;
          quit();
        });
  }

 private:
  void flood() {
    for (std::int64_t i = 0; i < messages_; ++i)
      run_.send(this, counter_, Increment{});
    run_.send(this, counter_, Retrieve{this});
  }

  Run& run_;
  std::int64_t& report_;
  caf::actor counter_;
  std::int64_t messages_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  std::int64_t report = -1;
  run.timed([&] {
    auto counter = run.template spawn<Counter<Run>>();
    auto producer = run.template spawn<Producer<Run>>(report, counter, parameters["messages"]);
    run.send(producer, Start{});
  });
  return {report};
}

} // namespace count

Benchmark entry::count() {
  return {"count",
          {{"messages", at_least(0)}},
          count::run<Run<false>>,
          count::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_count>};
}

} // namespace scoville
