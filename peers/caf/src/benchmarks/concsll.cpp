// Concurrent Sorted Linked-List: many workers walk through one actor's list.
#include "../actor.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <forward_list>
#include <future>

namespace scoville::concsll {

struct DoWork {};
struct Write {
  caf::actor from;
  std::int64_t value;
};
struct Size {
  caf::actor from;
};
struct Contains {
  caf::actor from;
  std::int64_t value;
};
struct Result {
  std::int64_t value;
};
struct Done {
  std::int64_t hits;
  std::int64_t sizes;
  std::int64_t contains;
};
struct End {};

} // namespace scoville::concsll

CAF_BEGIN_TYPE_ID_BLOCK(scoville_concsll, caf::first_custom_type_id + 200)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::DoWork)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::Write)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::Size)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::Contains)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::Result)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::Done)
  SCOVILLE_MESSAGE(scoville_concsll, scoville::concsll::End)
CAF_END_TYPE_ID_BLOCK(scoville_concsll)

namespace scoville {

namespace concsll {

struct Plan {
  std::int64_t workers;
  std::int64_t requests;
  std::int64_t write_pct;
  std::int64_t size_pct;
};

struct Report {
  Done total{};
  std::int64_t weighted = 0;
  std::int64_t length = 0;
};

template <class Run>
class List final : public Actor<Run> {
 public:
  List(caf::actor_config& config, Run& run, Report& report) : Actor<Run>{config, run}, report_{report} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Contains& contains) {
          // To the end: an element that is greater proves nothing here, as the specification wants it.
          const auto found = std::find(list_.begin(), list_.end(), contains.value) != list_.end();
          this->tell(contains.from, Result{found ? 1 : 0});
        },
        [this](const Write& write) {
          insert(write.value);
          this->tell(write.from, Result{write.value});
        },
        [this](const Size& size) {
          this->tell(size.from, Result{std::distance(list_.begin(), list_.end())});
        },
        [this](End) {
          for (const auto element : list_)
            report_.weighted += ++report_.length * element;
          this->quit();
        });
  }

 private:
  void insert(std::int64_t value) {
    auto before = list_.before_begin();
    for (auto at = list_.begin(); at != list_.end() && *at <= value; ++at)
      before = at;
    list_.insert_after(before, value);
  }

  Report& report_;
  std::forward_list<std::int64_t> list_;
};

// A worker meets no other's values: all of its own leave the same remainder.
template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, caf::actor list, const Plan& plan,
         std::int64_t w)
      : Actor<Run>{config, run},
        master_{std::move(master)},
        list_{std::move(list)},
        plan_{plan},
        w_{w},
        rng_{w + plan.requests + plan.write_pct + plan.size_pct} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Result result) {
          if (asked_contains_)
            total_.hits += result.value;
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
      this->tell(master_, Done{total_});
      this->quit();
    }
  }

  void request() {
    const auto p = rng_.scaled(100);
    asked_contains_ = p >= plan_.size_pct + plan_.write_pct;
    if (p < plan_.size_pct) {
      ++total_.sizes;
      this->tell(list_, Size{this->self()});
      return;
    }
    const auto value = rng_.next() / 4 * plan_.workers + w_;
    if (asked_contains_) {
      ++total_.contains;
      this->tell(list_, Contains{this->self(), value});
    } else {
      this->tell(list_, Write{this->self(), value});
    }
  }

  caf::actor master_;
  caf::actor list_;
  Plan plan_;
  std::int64_t w_;
  Rng rng_;
  std::int64_t sent_ = 0;
  bool asked_contains_ = false;
  Done total_{};
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  /// `created` is told the list that the master creates.
  Master(caf::actor_config& config, Run& run, Report& report, std::promise<caf::actor>& created,
         const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, created_{created}, plan_{plan} {}

  caf::behavior make_behavior() override {
    const auto list = this->template create_lasting<List<Run>>(report_);
    created_.set_value(list);
    for (std::int64_t w = 0; w < plan_.workers; ++w)
      this->tell(this->template create<Worker<Run>>(this->self(), list, plan_, w), DoWork{});
    return this->receive([this](Done message) {
      total_ = {total_.hits + message.hits, total_.sizes + message.sizes, total_.contains + message.contains};
      if (++done_ == plan_.workers) {
        report_.total = total_;
        this->quit();
      }
    });
  }

 private:
  Report& report_;
  std::promise<caf::actor>& created_;
  Plan plan_;
  std::int64_t done_ = 0;
  Done total_{};
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["workers"], parameters["requests"], parameters["write_pct"],
                  parameters["size_pct"]};
  Report report;
  std::promise<caf::actor> created;
  caf::actor list;
  run.timed([&] {
    static_cast<void>(run.template spawn<Master<Run>>(report, created, plan));
    list = created.get_future().get();
  });
  run.send(list, End{});
  run.finish();
  return {report.weighted,
          {{"list_len", report.length},
           {"hits", report.total.hits},
           {"sizes", report.total.sizes},
           {"contains", report.total.contains}}};
}

} // namespace concsll

Benchmark entry::concsll() {
  return {"concsll",
          {{"workers", at_least(1)},
           {"requests", at_least(0)},
           {"write_pct", between(0, 49)},
           {"size_pct", at_least(0)}},
          concsll::run<Run<false>>,
          concsll::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_concsll>,
          {{"size_pct", Rule::at_most, -2, "write_pct", 99}}};
}

} // namespace scoville
