// Big: every actor pings random others, one ping at a time.
#include "../benchmark.hpp"
#include "../rng.hpp"

#include <memory>

namespace scoville::big {

/// One array for all actors. Everybody lets go of it at the end, or the actors would hold themselves.
using PeerList = std::shared_ptr<const std::vector<caf::actor>>;

struct Peers {
  PeerList peers;
};
struct Ping {
  std::int64_t id;
};
struct Pong {
  std::int64_t id;
};
struct Done {};
struct Exit {};

} // namespace scoville::big

CAF_BEGIN_TYPE_ID_BLOCK(scoville_big, caf::first_custom_type_id + 80)
  SCOVILLE_MESSAGE(scoville_big, scoville::big::Peers)
  SCOVILLE_MESSAGE(scoville_big, scoville::big::Ping)
  SCOVILLE_MESSAGE(scoville_big, scoville::big::Pong)
  SCOVILLE_MESSAGE(scoville_big, scoville::big::Done)
  SCOVILLE_MESSAGE(scoville_big, scoville::big::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_big)

namespace scoville {

namespace big {

struct Report {
  Total<std::int64_t> result;
  Total<std::int64_t> pings;
};

template <class Run>
class Sink final : public caf::event_based_actor {
 public:
  Sink(caf::actor_config& config, Run& run) : caf::event_based_actor{config}, run_{run} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this,
        [this](Done) {
          if (++done_ == peers_->size())
            dismiss();
        },
        [this](const Peers& peers) { peers_ = peers.peers; });
  }

 private:
  void dismiss() {
    for (const auto& worker : *peers_)
      run_.send(this, worker, Exit{});
    peers_.reset();
    quit();
  }

  Run& run_;
  PeerList peers_;
  std::size_t done_ = 0;
};

// A send is in the receiver's mailbox before it returns, so Peers is always there before Ping and Pong.
template <class Run>
class Worker final : public caf::event_based_actor {
 public:
  Worker(caf::actor_config& config, Run& run, Report& report, caf::actor sink, std::int64_t id,
         std::int64_t pings)
      : caf::event_based_actor{config},
        run_{run},
        report_{report},
        sink_{std::move(sink)},
        id_{id},
        pings_{pings},
        rng_{id} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this,
        [this](Ping ping) {
          ++received_;
          run_.send(this, peer(ping.id), Pong{id_});
        },
        [this](Pong pong) {
          require(pong.id == expect_, "a worker got a pong from another than it pinged");
          ping_next();
        },
        [this](const Peers& peers) { peers_ = peers.peers; },
        [this](Exit) {
          report_.result.add((id_ + 1) * received_);
          report_.pings.add(received_);
          peers_.reset();
          quit();
        });
  }

 private:
  [[nodiscard]] const caf::actor& peer(std::int64_t id) const {
    return (*peers_)[static_cast<std::size_t>(id)];
  }

  void ping_next() {
    if (sent_ == pings_) {
      run_.send(this, sink_, Done{});
      return;
    }
    expect_ = rng_.below(static_cast<std::int64_t>(peers_->size()));
    ++sent_;
    run_.send(this, peer(expect_), Ping{id_});
  }

  Run& run_;
  Report& report_;
  caf::actor sink_;
  std::int64_t id_;
  std::int64_t pings_;
  Rng rng_;
  PeerList peers_;
  std::int64_t sent_ = 0;
  std::int64_t expect_ = -1;
  std::int64_t received_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto actors = parameters["actors"];
  Report report;
  run.timed([&] {
    auto sink = run.template spawn<Sink<Run>>();
    std::vector<caf::actor> workers;
    workers.reserve(static_cast<std::size_t>(actors));
    for (std::int64_t id = 0; id < actors; ++id)
      workers.push_back(run.template spawn<Worker<Run>>(report, sink, id, parameters["pings"]));
    const auto peers = std::make_shared<const std::vector<caf::actor>>(std::move(workers));
    run.send(sink, Peers{peers});
    for (const auto& worker : *peers)
      run.send(worker, Peers{peers});
    for (const auto& worker : *peers)
      run.send(worker, Pong{-1});
  });
  return {report.result.get(), {{"pings", report.pings.get()}}};
}

} // namespace big

Benchmark entry::big() {
  return {"big",
          {{"pings", at_least(0)}, {"actors", between(1, 65536)}},
          big::run<Run<false>>,
          big::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_big>};
}

} // namespace scoville
