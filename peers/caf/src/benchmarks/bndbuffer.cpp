// Producer-Consumer with Bounded Buffer: a manager matches producers, items and consumers.
#include "../actor.hpp"
#include "../fifo.hpp"
#include "../rng.hpp"

#include <cmath>

namespace scoville::bndbuffer {

struct Produce {};
struct Data {
  double item;
  std::int64_t seq;
  caf::actor from;
};
struct Available {
  caf::actor from;
};
struct ProducerExit {};
struct ConsumerExit {};

} // namespace scoville::bndbuffer

CAF_BEGIN_TYPE_ID_BLOCK(scoville_bndbuffer, caf::first_custom_type_id + 220)
  SCOVILLE_MESSAGE(scoville_bndbuffer, scoville::bndbuffer::Produce)
  SCOVILLE_MESSAGE(scoville_bndbuffer, scoville::bndbuffer::Data)
  SCOVILLE_MESSAGE(scoville_bndbuffer, scoville::bndbuffer::Available)
  SCOVILLE_MESSAGE(scoville_bndbuffer, scoville::bndbuffer::ProducerExit)
  SCOVILLE_MESSAGE(scoville_bndbuffer, scoville::bndbuffer::ConsumerExit)
CAF_END_TYPE_ID_BLOCK(scoville_bndbuffer)

namespace scoville {

namespace bndbuffer {

struct Plan {
  std::int64_t buffer;
  std::int64_t producers;
  std::int64_t consumers;
  std::int64_t items;
  std::int64_t prod_cost;
  std::int64_t cons_cost;
};

struct Report {
  std::int64_t max_pending = 0;
  Total<std::int64_t> seq_sum;
  Total<double> data_sum;
  std::vector<std::int64_t> items; // each consumer writes its own
};

/// The work on an item: a sum of logarithms, computed anew each time.
double process(double x, std::int64_t cost) {
  Rng rng{cost};
  const auto steps = cost > 0 ? 100 * cost : 1;
  for (std::int64_t i = 0; i < steps; ++i)
    x += std::log(rng.unit() + 0.01);
  return x;
}

template <class Run>
class Producer final : public Actor<Run> {
 public:
  Producer(caf::actor_config& config, Run& run, caf::actor manager, const Plan& plan)
      : Actor<Run>{config, run}, manager_{std::move(manager)}, items_{plan.items}, cost_{plan.prod_cost} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Produce) {
      if (made_ == items_) {
        this->tell(manager_, ProducerExit{});
        this->quit();
        return;
      }
      item_ = process(item_, cost_);
      this->tell(manager_, Data{item_, ++made_, this->self()});
    });
  }

 private:
  caf::actor manager_;
  std::int64_t items_;
  std::int64_t cost_;
  std::int64_t made_ = 0;
  double item_ = 0.0;
};

template <class Run>
class Consumer final : public Actor<Run> {
 public:
  Consumer(caf::actor_config& config, Run& run, Report& report, caf::actor manager, std::size_t id,
           std::int64_t cost)
      : Actor<Run>{config, run}, report_{report}, manager_{std::move(manager)}, id_{id}, cost_{cost} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Data& data) {
          item_ = process(item_ + data.item, cost_);
          seq_sum_ += data.seq;
          ++items_;
          this->tell(manager_, Available{this->self()});
        },
        [this](ConsumerExit) {
          report_.seq_sum.add(seq_sum_);
          report_.data_sum.add(item_);
          report_.items[id_] = items_;
          this->quit();
        });
  }

 private:
  Report& report_;
  caf::actor manager_;
  std::size_t id_;
  std::int64_t cost_;
  double item_ = 0.0;
  std::int64_t seq_sum_ = 0;
  std::int64_t items_ = 0;
};

template <class Run>
class Manager final : public Actor<Run> {
 public:
  Manager(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan} {}

  caf::behavior make_behavior() override {
    create_all();
    return this->receive([this](const Data& data) { deliver(data); },
                         [this](const Available& available) { serve(available.from); },
                         [this](ProducerExit) {
                           ++finished_;
                           try_exit();
                         });
  }

 private:
  void create_all() {
    std::vector<caf::actor> producers;
    for (std::int64_t p = 0; p < plan_.producers; ++p)
      producers.push_back(this->template create<Producer<Run>>(this->self(), plan_));
    for (std::size_t c = 0; c < report_.items.size(); ++c) {
      consumers_.push_back(this->template create<Consumer<Run>>(report_, this->self(), c, plan_.cons_cost));
      idle_consumers_.push(consumers_.back());
    }
    for (const auto& producer : producers)
      this->tell(producer, Produce{});
  }

  void deliver(const Data& data) {
    if (idle_consumers_.empty())
      pending_.push(data);
    else
      this->tell(idle_consumers_.pop(), Data{data});
    const auto waiting = static_cast<std::int64_t>(pending_.size());
    report_.max_pending = std::max(report_.max_pending, waiting);
    require(waiting < plan_.buffer, "the buffer holds more items than fit");
    if (waiting >= plan_.buffer - plan_.producers)
      parked_producers_.push(data.from);
    else
      this->tell(data.from, Produce{});
  }

  void serve(const caf::actor& consumer) {
    if (pending_.empty()) {
      idle_consumers_.push(consumer);
      try_exit();
      return;
    }
    this->tell(consumer, pending_.pop());
    if (!parked_producers_.empty())
      this->tell(parked_producers_.pop(), Produce{});
  }

  void try_exit() {
    if (finished_ < plan_.producers || idle_consumers_.size() < consumers_.size())
      return;
    for (const auto& consumer : consumers_)
      this->tell(consumer, ConsumerExit{});
    consumers_.clear();
    idle_consumers_ = {};
    this->quit();
  }

  Report& report_;
  Plan plan_;
  std::vector<caf::actor> consumers_;
  Fifo<caf::actor> idle_consumers_;
  Fifo<caf::actor> parked_producers_;
  Fifo<Data> pending_;
  std::int64_t finished_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["buffer"], parameters["producers"], parameters["consumers"],
                  parameters["items"],  parameters["prod_cost"], parameters["cons_cost"]};
  Report report;
  report.items.resize(static_cast<std::size_t>(plan.consumers));
  run.timed([&] { static_cast<void>(run.template spawn<Manager<Run>>(report, plan)); });
  std::int64_t items = 0;
  for (const auto n : report.items)
    items += n;
  return {report.seq_sum.get(),
          {{"items", items}, {"data_sum", report.data_sum.get()}},
          {{"max_pending", report.max_pending}},
          {{"items", std::move(report.items)}}};
}

} // namespace bndbuffer

Benchmark entry::bndbuffer() {
  return {"bndbuffer",
          {{"buffer", any_integer()},
           {"producers", at_least(1)},
           {"consumers", at_least(1)},
           {"items", at_least(0)},
           {"prod_cost", at_least(0)},
           {"cons_cost", at_least(0)}},
          bndbuffer::run<Run<false>>,
          bndbuffer::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_bndbuffer>,
          {{"buffer", Rule::at_least, 1, "producers", 1}}};
}

} // namespace scoville
