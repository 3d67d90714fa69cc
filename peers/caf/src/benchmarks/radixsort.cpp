// Radixsort: a pipeline with a stage for each bit, which holds back the numbers that have it.
#include "../actor.hpp"
#include "../arrivals.hpp"
#include "../rng.hpp"

namespace scoville::radixsort {

struct Next {
  caf::actor first;
};
struct Value {
  std::int64_t v;
};

} // namespace scoville::radixsort

CAF_BEGIN_TYPE_ID_BLOCK(scoville_radixsort, caf::first_custom_type_id + 440)
  SCOVILLE_MESSAGE(scoville_radixsort, scoville::radixsort::Next)
  SCOVILLE_MESSAGE(scoville_radixsort, scoville::radixsort::Value)
CAF_END_TYPE_ID_BLOCK(scoville_radixsort)

namespace scoville {

namespace radixsort {

template <class Run>
class Validator final : public Actor<Run> {
 public:
  Validator(caf::actor_config& config, Run& run, Arrivals& report, std::int64_t expected)
      : Actor<Run>{config, run}, report_{report}, expected_{expected} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Value value) {
      arrived_.add(value.v);
      if (arrived_.count() == expected_) {
        report_ = arrived_;
        this->quit();
      }
    });
  }

 private:
  Arrivals& report_;
  std::int64_t expected_;
  Arrivals arrived_;
};

template <class Run>
class Sorter final : public Actor<Run> {
 public:
  Sorter(caf::actor_config& config, Run& run, caf::actor next, std::int64_t radix, std::int64_t expected)
      : Actor<Run>{config, run},
        next_{std::move(next)},
        radix_{static_cast<std::uint64_t>(radix)},
        left_{expected} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Value value) {
      if ((static_cast<std::uint64_t>(value.v) & radix_) == 0)
        this->tell(next_, Value{value});
      else
        held_back_.push_back(value.v);
      if (--left_ == 0) {
        for (const auto v : held_back_)
          this->tell(next_, Value{v});
        this->quit();
      }
    });
  }

 private:
  caf::actor next_;
  std::uint64_t radix_;
  std::int64_t left_;
  std::vector<std::int64_t> held_back_;
};

template <class Run>
class Source final : public Actor<Run> {
 public:
  Source(caf::actor_config& config, Run& run, std::int64_t values, std::int64_t modulus, std::int64_t seed)
      : Actor<Run>{config, run}, values_{values}, modulus_{modulus}, rng_{seed} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Next& next) {
      for (std::int64_t i = 0; i < values_; ++i)
        this->tell(next.first, Value{rng_.below(modulus_)});
      this->quit();
    });
  }

 private:
  std::int64_t values_;
  std::int64_t modulus_;
  Rng rng_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto values = parameters["n"];
  const auto modulus = parameters["m"];
  Arrivals report;
  run.timed([&] {
    auto next = run.template spawn<Validator<Run>>(report, values);
    const auto source = run.template spawn<Source<Run>>(values, modulus, parameters["s"]);
    for (auto radix = modulus / 2; radix > 0; radix /= 2)
      next = run.template spawn<Sorter<Run>>(next, radix, values);
    run.send(source, Next{next});
  });
  return report.outcome();
}

} // namespace radixsort

Benchmark entry::radixsort() {
  return {"radixsort",
          {{"n", at_least(1)}, {"m", power_of_two_between(2, std::int64_t{1} << 60U)}, {"s", any_integer()}},
          radixsort::run<Run<false>>,
          radixsort::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_radixsort>};
}

} // namespace scoville
