// Filterbank: a streaming pipeline that splits into channels and joins them again.
#include "../actor.hpp"

#include <deque>
#include <memory>
#include <numeric>

namespace scoville::filterbank {

struct Next {
  caf::actor source;
};
struct Boot {};
struct Value {
  double v;
};
struct Tagged {
  std::size_t channel;
  double v;
};
struct Row {
  std::vector<double> values;
};
struct Exit {
  std::int64_t computed;
  std::int64_t hash;
};

} // namespace scoville::filterbank

CAF_BEGIN_TYPE_ID_BLOCK(scoville_filterbank, caf::first_custom_type_id + 520)
  SCOVILLE_MESSAGE(scoville_filterbank, scoville::filterbank::Next)
  SCOVILLE_MESSAGE(scoville_filterbank, scoville::filterbank::Boot)
  SCOVILLE_MESSAGE(scoville_filterbank, scoville::filterbank::Value)
  SCOVILLE_MESSAGE(scoville_filterbank, scoville::filterbank::Tagged)
  SCOVILLE_MESSAGE(scoville_filterbank, scoville::filterbank::Row)
  SCOVILLE_MESSAGE(scoville_filterbank, scoville::filterbank::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_filterbank)

namespace scoville {

namespace filterbank {

struct Report {
  std::int64_t count = 0;
  double sum = 0.0;
  double wsum = 0.0;
  Exit exit{};
};

// What the stages of a channel do with a value: the value that goes on, or none yet.

struct Bank {
  static std::optional<double> take(double v) { return v; }
  static Exit leave(Exit exit) { return exit; }
};

class Delay {
 public:
  explicit Delay(std::size_t length) : ring_(length) {}

  std::optional<double> take(double v) {
    const auto result = std::exchange(ring_[position_], v);
    position_ = position_ + 1 == ring_.size() ? 0 : position_ + 1;
    return result;
  }

  static Exit leave(Exit exit) { return exit; }

 private:
  std::vector<double> ring_;
  std::size_t position_ = 0;
};

/// The sum of each value times the coefficient that is as far from the end, in this order.
// Out of line: as a part of the handler GCC keeps the sum in memory, and every step waits for it there.
[[gnu::noinline]] double dot_reversed(const std::vector<double>& values,
                                      const std::vector<double>& coefficients) {
  return std::inner_product(values.begin(), values.end(), coefficients.rbegin(), 0.0);
}

/// A dot product for every value once the ring is full. The coefficients meet slots, not ages.
class Fir {
 public:
  explicit Fir(const std::vector<double>& coefficients)
      : coefficients_{&coefficients}, data_(coefficients.size()) {}

  std::optional<double> take(double v) {
    data_[index_] = v;
    if (++index_ == data_.size()) {
      full_ = true;
      index_ = 0;
    }
    return full_ ? std::optional{dot_reversed(data_, *coefficients_)} : std::nullopt;
  }

  static Exit leave(Exit exit) { return exit; }

 private:
  const std::vector<double>* coefficients_; // never null
  std::vector<double> data_;
  std::size_t index_ = 0;
  bool full_ = false;
};

/// Lets one value of every so many pass, puts zeros in the place of the others, and checks what the first
/// filter computed.
class Sample {
 public:
  explicit Sample(std::size_t every) : every_{every} {}

  std::optional<double> take(double v) {
    ++seen_.computed;
    seen_.hash += static_cast<std::int64_t>(v) % 1000003;
    const auto passes = k_ == 0;
    k_ = k_ + 1 == every_ ? 0 : k_ + 1;
    return passes ? v : 0.0;
  }

  [[nodiscard]] Exit leave(Exit /*exit*/) const { return seen_; }

 private:
  std::size_t every_;
  std::size_t k_ = 0;
  Exit seen_{};
};

template <class Run, class Filter>
class Stage final : public Actor<Run> {
 public:
  Stage(caf::actor_config& config, Run& run, caf::actor next, Filter filter)
      : Actor<Run>{config, run}, next_{std::move(next)}, filter_{std::move(filter)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          if (const auto result = filter_.take(value.v))
            this->tell(next_, Value{*result});
        },
        [this](Exit exit) {
          this->tell(next_, filter_.leave(exit));
          this->quit();
        });
  }

 private:
  caf::actor next_;
  Filter filter_;
};

template <class Run>
class Tagger final : public Actor<Run> {
 public:
  Tagger(caf::actor_config& config, Run& run, caf::actor integrator, std::size_t channel)
      : Actor<Run>{config, run}, integrator_{std::move(integrator)}, channel_{channel} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          this->tell(integrator_, Tagged{channel_, value.v});
        },
        [this](Exit exit) {
          this->tell(integrator_, Exit{exit});
          this->quit();
        });
  }

 private:
  caf::actor integrator_;
  std::size_t channel_;
};

/// Puts the channels together row by row. A value belongs into the first row that lacks its channel.
template <class Run>
class Integrator final : public Actor<Run> {
 public:
  Integrator(caf::actor_config& config, Run& run, caf::actor combiner, std::size_t channels)
      : Actor<Run>{config, run}, combiner_{std::move(combiner)}, filled_(channels) {}

  caf::behavior make_behavior() override {
    return this->receive([this](Tagged tagged) { take(tagged); }, [this](Exit exit) { leave(exit); });
  }

 private:
  struct Partial {
    std::vector<double> values;
    std::size_t missing;
  };

  void take(Tagged tagged) {
    // A channel fills the rows in order.
    auto& at = filled_[tagged.channel];
    if (at == rows_.size())
      rows_.push_back({std::vector<double>(filled_.size()), filled_.size()});
    auto& row = rows_[at++];
    row.values[tagged.channel] = tagged.v;
    --row.missing;
    if (rows_.front().missing > 0)
      return;
    this->tell(combiner_, Row{std::move(rows_.front().values)});
    rows_.pop_front();
    for (auto& filled : filled_)
      --filled;
  }

  void leave(Exit exit) {
    total_ = {total_.computed + exit.computed, total_.hash + exit.hash};
    if (++exits_ < filled_.size())
      return;
    require(rows_.empty(), "the integrator was left with an incomplete row");
    this->tell(combiner_, Exit{total_});
    this->quit();
  }

  caf::actor combiner_;
  std::vector<std::size_t> filled_; // by channel, how many rows have it
  std::deque<Partial> rows_;        // the first is complete only while it is sent
  std::size_t exits_ = 0;
  Exit total_{};
};

template <class Run>
class Combiner final : public Actor<Run> {
 public:
  Combiner(caf::actor_config& config, Run& run, caf::actor sink)
      : Actor<Run>{config, run}, sink_{std::move(sink)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Row& row) {
          auto sum = 0.0;
          for (const auto v : row.values)
            sum += v;
          this->tell(sink_, Value{sum});
        },
        [this](Exit exit) {
          this->tell(sink_, Exit{exit});
          this->quit();
        });
  }

 private:
  caf::actor sink_;
};

template <class Run>
class Sink final : public Actor<Run> {
 public:
  Sink(caf::actor_config& config, Run& run, Report& report) : Actor<Run>{config, run}, report_{report} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          total_.sum += value.v;
          total_.wsum += value.v * static_cast<double>(total_.count % 7 + 1);
          ++total_.count;
        },
        [this](Exit exit) {
          total_.exit = exit;
          report_ = total_;
          this->quit();
        });
  }

 private:
  Report& report_;
  Report total_;
};

template <class Run>
class Branches final : public Actor<Run> {
 public:
  Branches(caf::actor_config& config, Run& run, std::vector<caf::actor> banks)
      : Actor<Run>{config, run}, banks_{std::move(banks)} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Value value) { tell_all(value); },
                         [this](Exit exit) {
                           tell_all(exit);
                           this->quit();
                         });
  }

 private:
  template <class Message>
  void tell_all(const Message& message) {
    for (const auto& bank : banks_)
      this->tell(bank, Message{message});
  }

  std::vector<caf::actor> banks_;
};

template <class Run>
class Source final : public Actor<Run> {
 public:
  Source(caf::actor_config& config, Run& run, caf::actor producer, caf::actor branches)
      : Actor<Run>{config, run}, producer_{std::move(producer)}, branches_{std::move(branches)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Boot) {
          this->tell(branches_, Value{static_cast<double>(current_)});
          current_ = (current_ + 1) % 1000;
          this->tell(producer_, Next{this->self()});
        },
        [this](Exit exit) {
          this->tell(branches_, Exit{exit});
          this->quit();
        });
  }

 private:
  caf::actor producer_;
  caf::actor branches_;
  int current_ = 0;
};

template <class Run>
class Producer final : public Actor<Run> {
 public:
  Producer(caf::actor_config& config, Run& run, std::int64_t sims) : Actor<Run>{config, run}, left_{sims} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Next& next) {
      if (left_-- > 0) {
        this->tell(next.source, Boot{});
      } else {
        this->tell(next.source, Exit{0, 0});
        this->quit();
      }
    });
  }

 private:
  std::int64_t left_;
};

using Coefficients = std::vector<std::vector<double>>; // by channel

template <class Formula>
Coefficients coefficients(std::int64_t channels, std::int64_t columns, Formula formula) {
  Coefficients result(static_cast<std::size_t>(channels));
  for (std::int64_t j = 0; j < channels; ++j) {
    for (std::int64_t i = 0; i < columns; ++i)
      result[static_cast<std::size_t>(j)].push_back(static_cast<double>(formula(i, j)));
  }
  return result;
}

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto columns = parameters["col"];
  const auto channels = parameters["chan"];
  const auto first = coefficients(channels, columns, [&](std::int64_t i, std::int64_t j) {
    return i * columns + j * channels + j + i + j + 1;
  });
  const auto second =
      coefficients(channels, columns, [](std::int64_t i, std::int64_t j) { return i * j + j * j + j + i; });
  const auto ring = static_cast<std::size_t>(columns - 1);
  Report report;
  run.timed([&] {
    const auto stage = [&](const caf::actor& next, auto filter) {
      return run.template spawn<Stage<Run, decltype(filter)>>(next, std::move(filter));
    };
    const auto sink = run.template spawn<Sink<Run>>(report);
    const auto combiner = run.template spawn<Combiner<Run>>(sink);
    const auto integrator = run.template spawn<Integrator<Run>>(combiner, first.size());
    std::vector<caf::actor> banks;
    for (std::size_t channel = 0; channel < first.size(); ++channel) {
      auto next = run.template spawn<Tagger<Run>>(integrator, channel);
      next = stage(stage(next, Fir{second[channel]}), Delay{ring});
      next = stage(next, Sample{static_cast<std::size_t>(columns)});
      next = stage(stage(next, Fir{first[channel]}), Delay{ring});
      banks.push_back(stage(next, Bank{}));
    }
    const auto branches = run.template spawn<Branches<Run>>(std::move(banks));
    const auto producer = run.template spawn<Producer<Run>>(parameters["sim"]);
    const auto source = run.template spawn<Source<Run>>(producer, branches);
    run.send(producer, Next{source});
  });
  return {
      report.exit.hash,
      {{"count", report.count}, {"sum", report.sum}, {"wsum", report.wsum}, {"fir", report.exit.computed}}};
}

} // namespace filterbank

Benchmark entry::filterbank() {
  return {"filterbank",
          {{"sim", any_integer()}, {"col", between(2, 16384)}, {"chan", between(2, 34)}},
          filterbank::run<Run<false>>,
          filterbank::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_filterbank>,
          {{"sim", Rule::at_least, 2, "col", -1}}};
}

} // namespace scoville
