// Fibonacci: one actor for each call of the naive recursion.
#include "../benchmark.hpp"

namespace scoville::fib {

struct Request {
  std::int64_t n;
};
struct Response {
  std::int64_t value;
  std::int64_t actors;
};

} // namespace scoville::fib

CAF_BEGIN_TYPE_ID_BLOCK(scoville_fib, caf::first_custom_type_id + 60)
  SCOVILLE_MESSAGE(scoville_fib, scoville::fib::Request)
  SCOVILLE_MESSAGE(scoville_fib, scoville::fib::Response)
CAF_END_TYPE_ID_BLOCK(scoville_fib)

namespace scoville {

namespace fib {

template <class Run>
class Fib final : public caf::event_based_actor {
 public:
  /// The root has no parent and reports instead.
  Fib(caf::actor_config& config, Run& run, Response& report, caf::actor parent)
      : caf::event_based_actor{config}, run_{run}, report_{report}, parent_{std::move(parent)} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this, [this](Request request) { compute(request.n); },
        [this](Response response) {
          value_ += response.value;
          actors_ += response.actors;
          if (++got_ == 2)
            finish();
        });
  }

 private:
  void compute(std::int64_t n) {
    if (n <= 2) {
      value_ = 1;
      finish();
      return;
    }
    request(n - 1);
    request(n - 2);
  }

  void request(std::int64_t n) {
    auto child = run_.template spawn_from<Fib>(this, report_, caf::actor{this});
    run_.send(this, child, Request{n});
  }

  void finish() {
    if (parent_)
      run_.send(this, parent_, Response{value_, actors_});
    else
      report_ = {value_, actors_};
    quit();
  }

  Run& run_;
  Response& report_;
  caf::actor parent_;
  std::int64_t got_ = 0;
  std::int64_t value_ = 0;
  std::int64_t actors_ = 1;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Response report{};
  run.timed([&] {
    auto root = run.template spawn<Fib<Run>>(report, caf::actor{});
    run.send(root, Request{parameters["index"]});
  });
  return {report.value, {{"actors", report.actors}}};
}

} // namespace fib

Benchmark entry::fib() {
  return {"fib",
          {{"index", between(1, 45)}},
          fib::run<Run<false>>,
          fib::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_fib>};
}

} // namespace scoville
