// Concurrent Dictionary: many workers read and write one actor's hash map.
#include "../actor.hpp"
#include "../rng.hpp"

#include <unordered_map>

namespace scoville::concdict {

struct DoWork {};
struct Write {
  caf::actor from;
  std::int64_t key;
  std::int64_t value;
};
struct Read {
  caf::actor from;
  std::int64_t key;
};
struct Result {
  std::int64_t value;
};
struct Done {
  std::int64_t sum;
  std::int64_t writes;
  std::int64_t reads;
};
struct End {};

} // namespace scoville::concdict

CAF_BEGIN_TYPE_ID_BLOCK(scoville_concdict, caf::first_custom_type_id + 180)
  SCOVILLE_MESSAGE(scoville_concdict, scoville::concdict::DoWork)
  SCOVILLE_MESSAGE(scoville_concdict, scoville::concdict::Write)
  SCOVILLE_MESSAGE(scoville_concdict, scoville::concdict::Read)
  SCOVILLE_MESSAGE(scoville_concdict, scoville::concdict::Result)
  SCOVILLE_MESSAGE(scoville_concdict, scoville::concdict::Done)
  SCOVILLE_MESSAGE(scoville_concdict, scoville::concdict::End)
CAF_END_TYPE_ID_BLOCK(scoville_concdict)

namespace scoville {

namespace concdict {

using Map = std::unordered_map<std::int64_t, std::int64_t>;

struct Plan {
  std::int64_t workers;
  std::int64_t requests;
  std::int64_t write_pct;
  std::int64_t entries;
};

struct Report {
  Done total{};
  std::int64_t map_size = 0;
  std::int64_t map_sum = 0;
};

template <class Run>
class Dictionary final : public Actor<Run> {
 public:
  Dictionary(caf::actor_config& config, Run& run, Report& report, Map map)
      : Actor<Run>{config, run}, report_{report}, map_{std::move(map)} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Read& read) {
          const auto found = map_.find(read.key);
          require(found != map_.end(), "a worker read a key that the dictionary lacks");
          this->tell(read.from, Result{found->second});
        },
        [this](const Write& write) {
          map_[write.key] = write.value;
          this->tell(write.from, Result{write.value});
        },
        [this](End) {
          report_.map_size = length(map_);
          for (const auto& [key, value] : map_)
            report_.map_sum += value;
          this->quit();
        });
  }

 private:
  Report& report_;
  Map map_;
};

// A worker meets no other's writes: it uses only every so-manieth key.
template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, caf::actor dictionary, const Plan& plan,
         std::int64_t w)
      : Actor<Run>{config, run},
        master_{std::move(master)},
        dictionary_{std::move(dictionary)},
        plan_{plan},
        w_{w},
        rng_{w + plan.requests + plan.write_pct} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Result result) {
          sum_ += result.value;
          proceed();
        },
        [this](DoWork) { proceed(); });
  }

 private:
  void proceed() {
    if (sent_ < plan_.requests) {
      ++sent_;
      request();
    } else {
      this->tell(master_, Done{sum_, writes_, plan_.requests - writes_});
      this->quit();
    }
  }

  void request() {
    const auto writes = rng_.scaled(100) < plan_.write_pct;
    const auto key = rng_.below(plan_.entries / plan_.workers) * plan_.workers + w_;
    if (writes) {
      ++writes_;
      this->tell(dictionary_, Write{this->self(), key, rng_.next()});
    } else {
      this->tell(dictionary_, Read{this->self(), key});
    }
  }

  caf::actor master_;
  caf::actor dictionary_;
  Plan plan_;
  std::int64_t w_;
  Rng rng_;
  std::int64_t sent_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t writes_ = 0;
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Report& report, caf::actor dictionary, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, dictionary_{std::move(dictionary)}, plan_{plan} {}

  caf::behavior make_behavior() override {
    for (std::int64_t w = 0; w < plan_.workers; ++w)
      this->tell(this->template create<Worker<Run>>(this->self(), dictionary_, plan_, w), DoWork{});
    return this->receive([this](Done message) {
      total_ = {total_.sum + message.sum, total_.writes + message.writes, total_.reads + message.reads};
      if (++done_ == plan_.workers) {
        report_.total = total_;
        this->quit();
      }
    });
  }

 private:
  Report& report_;
  caf::actor dictionary_;
  Plan plan_;
  std::int64_t done_ = 0;
  Done total_{};
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["workers"], parameters["requests"], parameters["write_pct"],
                  parameters["entries"]};
  Map map(static_cast<std::size_t>(plan.entries));
  for (std::int64_t key = 0; key < plan.entries; ++key)
    map.emplace(key, key);
  Report report;
  const auto dictionary = run.template spawn_lasting<Dictionary<Run>>(report, std::move(map));
  run.timed([&] { static_cast<void>(run.template spawn<Master<Run>>(report, dictionary, plan)); });
  run.send(dictionary, End{});
  run.finish();
  return {report.total.sum,
          {{"writes", report.total.writes},
           {"reads", report.total.reads},
           {"map_size", report.map_size},
           {"map_sum", report.map_sum}}};
}

} // namespace concdict

Benchmark entry::concdict() {
  return {"concdict",
          {{"workers", at_least(1)},
           {"requests", at_least(0)},
           {"write_pct", between(0, 100)},
           {"entries", any_integer()}},
          concdict::run<Run<false>>,
          concdict::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_concdict>,
          {{"entries", Rule::at_least, 1, "workers"}}};
}

} // namespace scoville
