// Big with neighbourhoods: every actor pings random members of its own neighbourhood, one ping at a time.
#include "../actor.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <memory>

namespace scoville::bigneighbours {

/// One array for many actors. Everybody lets go of it at the end, or the actors would hold themselves.
using ActorList = std::shared_ptr<const std::vector<caf::actor>>;

struct Workers {
  ActorList all;
};
struct Neighbours {
  ActorList hood;
};
struct Pong {
  std::int64_t from;
};
struct Ping {
  std::int64_t from;
  caf::actor sender;
};
struct Exit {};
struct Stop {};
struct Stopped {
  std::int64_t pings;
  std::int64_t pongs;
  std::int64_t weighted;
  std::int64_t errors;
};

} // namespace scoville::bigneighbours

CAF_BEGIN_TYPE_ID_BLOCK(scoville_bigneighbours, caf::first_custom_type_id + 640)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Workers)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Neighbours)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Pong)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Ping)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Exit)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Stop)
  SCOVILLE_MESSAGE(scoville_bigneighbours, scoville::bigneighbours::Stopped)
CAF_END_TYPE_ID_BLOCK(scoville_bigneighbours)

namespace scoville {

namespace bigneighbours {

template <class Run>
class Sink final : public Actor<Run> {
 public:
  Sink(caf::actor_config& config, Run& run, Stopped& report) : Actor<Run>{config, run}, report_{report} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Workers& workers) { workers_ = workers.all; },
                         [this](Exit) {
                           if (++exits_ < workers_->size())
                             return;
                           for (const auto& worker : *workers_)
                             this->tell(worker, Stop{});
                         },
                         [this](const Stopped& worker) { add(worker); });
  }

 private:
  void add(const Stopped& worker) {
    total_ = {total_.pings + worker.pings, total_.pongs + worker.pongs, total_.weighted + worker.weighted,
              total_.errors + worker.errors};
    if (++stopped_ < workers_->size())
      return;
    report_ = total_;
    workers_.reset();
    this->quit();
  }

  Stopped& report_;
  ActorList workers_;
  std::size_t exits_ = 0;
  std::size_t stopped_ = 0;
  Stopped total_{};
};

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor sink, std::int64_t global, std::int64_t local,
         std::int64_t pings)
      : Actor<Run>{config, run},
        sink_{std::move(sink)},
        global_{global},
        local_{local},
        left_{pings},
        rng_{global} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Ping& ping) {
          ++total_.pings;
          this->tell(ping.sender, Pong{local_});
        },
        [this](Pong pong) {
          total_.errors += pong.from == expected_ ? 0 : 1;
          total_.pongs += pong.from >= 0 ? 1 : 0;
          ping_next();
        },
        [this](const Neighbours& neighbours) { hood_ = neighbours.hood; },
        [this](Stop) {
          total_.weighted = total_.pings * (global_ % 97 + 1);
          this->tell(sink_, Stopped{total_});
          hood_.reset();
          this->quit();
        });
  }

 private:
  void ping_next() {
    if (left_ == 0) {
      this->tell(sink_, Exit{});
      return;
    }
    --left_;
    expected_ = rng_.below(length(*hood_));
    this->tell((*hood_)[static_cast<std::size_t>(expected_)], Ping{local_, this->self()});
  }

  caf::actor sink_;
  std::int64_t global_;
  std::int64_t local_;
  std::int64_t left_;
  Rng rng_;
  ActorList hood_;
  std::int64_t expected_ = -1;
  Stopped total_{};
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto workers = parameters["workers"];
  const auto hood = parameters["hood"];
  const auto hoods = std::max<std::int64_t>(1, workers / hood);
  const auto hood_of = [&](std::int64_t worker) { return std::min(worker / hood, hoods - 1); };
  Stopped report{};
  run.timed([&] {
    const auto sink = run.template spawn<Sink<Run>>(report);
    std::vector<caf::actor> all;
    std::vector<std::vector<caf::actor>> members(static_cast<std::size_t>(hoods));
    for (std::int64_t g = 0; g < workers; ++g) {
      all.push_back(run.template spawn<Worker<Run>>(sink, g, g - hood_of(g) * hood, parameters["pings"]));
      members[static_cast<std::size_t>(hood_of(g))].push_back(all.back());
    }
    const auto everybody = std::make_shared<const std::vector<caf::actor>>(std::move(all));
    run.send(sink, Workers{everybody});
    for (auto& member_list : members) {
      const auto list = std::make_shared<const std::vector<caf::actor>>(std::move(member_list));
      for (const auto& member : *list)
        run.send(member, Neighbours{list});
    }
    for (const auto& worker : *everybody)
      run.send(worker, Pong{-1});
  });
  return {report.weighted, {{"pings", report.pings}, {"pongs", report.pongs}, {"errors", report.errors}}};
}

} // namespace bigneighbours

Benchmark entry::bigneighbours() {
  return {"bigneighbours",
          {{"workers", at_least(1)}, {"hood", at_least(1)}, {"pings", at_least(1)}},
          bigneighbours::run<Run<false>>,
          bigneighbours::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_bigneighbours>};
}

} // namespace scoville
