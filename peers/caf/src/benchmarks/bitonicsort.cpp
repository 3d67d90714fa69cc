// Bitonic Sort: a sorting network of very many small actors.
#include "../actor.hpp"
#include "../arrivals.hpp"
#include "../fifo.hpp"
#include "../rng.hpp"

namespace scoville::bitonicsort {

struct Start {};
struct Value {
  std::int64_t v;
};
struct Data {
  std::size_t input;
  std::int64_t v;
};
struct Exit {};

} // namespace scoville::bitonicsort

CAF_BEGIN_TYPE_ID_BLOCK(scoville_bitonicsort, caf::first_custom_type_id + 540)
  SCOVILLE_MESSAGE(scoville_bitonicsort, scoville::bitonicsort::Start)
  SCOVILLE_MESSAGE(scoville_bitonicsort, scoville::bitonicsort::Value)
  SCOVILLE_MESSAGE(scoville_bitonicsort, scoville::bitonicsort::Data)
  SCOVILLE_MESSAGE(scoville_bitonicsort, scoville::bitonicsort::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_bitonicsort)

namespace scoville {

namespace bitonicsort {

/// Stage, Step, Partition, Untag and Kernel: passes everything on.
template <class Run>
class Forward final : public Actor<Run> {
 public:
  Forward(caf::actor_config& config, Run& run, caf::actor next)
      : Actor<Run>{config, run}, next_{std::move(next)} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Value value) { this->tell(next_, Value{value}); },
                         [this](Exit) {
                           this->tell(next_, Exit{});
                           this->quit();
                         });
  }

 private:
  caf::actor next_;
};

/// Deals some values to each receiver in turn.
template <class Run>
class Splitter final : public Actor<Run> {
 public:
  Splitter(caf::actor_config& config, Run& run, std::int64_t each, std::vector<caf::actor> receivers)
      : Actor<Run>{config, run}, each_{each}, receivers_{std::move(receivers)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          this->tell(receivers_[current_], Value{value});
          if (++dealt_ == each_) {
            dealt_ = 0;
            current_ = current_ + 1 == receivers_.size() ? 0 : current_ + 1;
          }
        },
        [this](Exit) {
          for (const auto& receiver : receivers_)
            this->tell(receiver, Exit{});
          this->quit();
        });
  }

 private:
  std::int64_t each_;
  std::vector<caf::actor> receivers_;
  std::size_t current_ = 0;
  std::int64_t dealt_ = 0;
};

/// Takes some values from each input in turn.
template <class Run>
class Joiner final : public Actor<Run> {
 public:
  Joiner(caf::actor_config& config, Run& run, std::int64_t each, std::size_t inputs, caf::actor next)
      : Actor<Run>{config, run}, each_{each}, next_{std::move(next)}, queues_(inputs) {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Data data) {
          queues_[data.input].push(data.v);
          pass_on();
        },
        [this](Exit) {
          if (++exits_ == queues_.size()) {
            this->tell(next_, Exit{});
            this->quit();
          }
        });
  }

 private:
  void pass_on() {
    while (!queues_[current_].empty()) {
      this->tell(next_, Value{queues_[current_].pop()});
      if (++taken_ == each_) {
        taken_ = 0;
        current_ = current_ + 1 == queues_.size() ? 0 : current_ + 1;
      }
    }
  }

  std::int64_t each_;
  caf::actor next_;
  std::vector<Fifo<std::int64_t>> queues_;
  std::size_t current_ = 0;
  std::int64_t taken_ = 0;
  std::size_t exits_ = 0;
};

/// Orders pairs of values.
template <class Run>
class Compare final : public Actor<Run> {
 public:
  Compare(caf::actor_config& config, Run& run, std::size_t output, bool up, caf::actor next)
      : Actor<Run>{config, run}, output_{output}, up_{up}, next_{std::move(next)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          if (!first_) {
            first_ = value.v;
            return;
          }
          const auto [low, high] = std::minmax(*first_, value.v);
          this->tell(next_, Data{output_, up_ ? low : high});
          this->tell(next_, Data{output_, up_ ? high : low});
          first_.reset();
        },
        [this](Exit) {
          require(!first_, "a value was left without a partner");
          this->tell(next_, Exit{});
          this->quit();
        });
  }

 private:
  std::size_t output_;
  bool up_;
  caf::actor next_;
  std::optional<std::int64_t> first_;
};

/// Turns the values of an inner joiner into an input of the outer one.
template <class Run>
class Tag final : public Actor<Run> {
 public:
  Tag(caf::actor_config& config, Run& run, std::size_t output, caf::actor next)
      : Actor<Run>{config, run}, output_{output}, next_{std::move(next)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          this->tell(next_, Data{output_, value.v});
        },
        [this](Exit) {
          this->tell(next_, Exit{});
          this->quit();
        });
  }

 private:
  std::size_t output_;
  caf::actor next_;
};

template <class Run>
class Validator final : public Actor<Run> {
 public:
  Validator(caf::actor_config& config, Run& run, Arrivals& report)
      : Actor<Run>{config, run}, report_{report} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Value value) { arrived_.add(value.v); },
                         [this](Exit) {
                           report_ = arrived_;
                           this->quit();
                         });
  }

 private:
  Arrivals& report_;
  Arrivals arrived_;
};

template <class Run>
class Source final : public Actor<Run> {
 public:
  Source(caf::actor_config& config, Run& run, caf::actor kernel, std::int64_t values, std::int64_t modulus,
         std::int64_t seed)
      : Actor<Run>{config, run}, kernel_{std::move(kernel)}, values_{values}, modulus_{modulus}, rng_{seed} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Start) {
      for (std::int64_t i = 0; i < values_; ++i)
        this->tell(kernel_, Value{rng_.below(modulus_)});
      this->tell(kernel_, Exit{});
      this->quit();
    });
  }

 private:
  caf::actor kernel_;
  std::int64_t values_;
  std::int64_t modulus_;
  Rng rng_;
};

/// Builds the network from its end to its beginning. Each function returns the entrance of the part that it
/// has built.
template <class Run>
class Network {
 public:
  explicit Network(Run& run) : run_{run} {}

  [[nodiscard]] caf::actor build(std::int64_t n, const caf::actor& validator) {
    auto next = forward(validator);
    for (std::int64_t l = 2; l <= n; l *= 2)
      next = step(l, n / l, 0, next);
    next = forward(next);
    for (auto block = n / 2; block >= 2; block /= 2) {
      for (std::int64_t l = 2; l <= block; l *= 2)
        next = step(l, n / l, block / l, forward(next));
      next = forward(next);
    }
    return forward(next); // the kernel
  }

 private:
  [[nodiscard]] caf::actor forward(const caf::actor& next) { return run_.template spawn<Forward<Run>>(next); }

  /// One pass over the values, by workers for `l` of them each. Every so many workers the direction turns,
  /// first it is up; 0: it never turns.
  [[nodiscard]] caf::actor step(std::int64_t l, std::int64_t workers, std::int64_t turn,
                                const caf::actor& next) {
    const auto joiner = run_.template spawn<Joiner<Run>>(l, static_cast<std::size_t>(workers), next);
    std::vector<caf::actor> parts;
    for (std::int64_t j = 0; j < workers; ++j) {
      const auto up = turn == 0 || j / turn % 2 == 0;
      parts.push_back(l > 2 ? partition(static_cast<std::size_t>(j), l, up, joiner)
                            : compare(static_cast<std::size_t>(j), up, joiner));
    }
    return forward(run_.template spawn<Splitter<Run>>(l, std::move(parts)));
  }

  /// Compares each of its first values with the one half a length later.
  [[nodiscard]] caf::actor partition(std::size_t output, std::int64_t l, bool up, const caf::actor& outer) {
    const auto half = static_cast<std::size_t>(l / 2);
    const auto tag = run_.template spawn<Tag<Run>>(output, outer);
    const auto joiner = run_.template spawn<Joiner<Run>>(1, half, tag);
    std::vector<caf::actor> compares;
    for (std::size_t o = 0; o < half; ++o)
      compares.push_back(compare(o, up, joiner));
    return forward(run_.template spawn<Splitter<Run>>(1, std::move(compares)));
  }

  [[nodiscard]] caf::actor compare(std::size_t output, bool up, const caf::actor& next) {
    return run_.template spawn<Compare<Run>>(output, up, next);
  }

  Run& run_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto n = parameters["n"];
  Arrivals report;
  run.timed([&] {
    const auto kernel = Network<Run>{run}.build(n, run.template spawn<Validator<Run>>(report));
    run.send(run.template spawn<Source<Run>>(kernel, n, parameters["m"], parameters["s"]), Start{});
  });
  return report.outcome();
}

} // namespace bitonicsort

Benchmark entry::bitonicsort() {
  return {"bitonicsort",
          {{"n", power_of_two_from(2)}, {"m", at_least(1)}, {"s", any_integer()}},
          bitonicsort::run<Run<false>>,
          bitonicsort::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_bitonicsort>};
}

} // namespace scoville
