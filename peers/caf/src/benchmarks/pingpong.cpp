// Ping Pong: two actors and one ball; a message to itself before each further round.
#include "../benchmark.hpp"

namespace scoville::pingpong {

struct Start {};
struct Next {};
struct Stop {};
struct Ball {
  caf::actor from;
  std::int64_t n;
};
struct Back {
  caf::actor from;
  std::int64_t n;
};

} // namespace scoville::pingpong

CAF_BEGIN_TYPE_ID_BLOCK(scoville_pingpong, caf::first_custom_type_id + 10)
  SCOVILLE_MESSAGE(scoville_pingpong, scoville::pingpong::Start)
  SCOVILLE_MESSAGE(scoville_pingpong, scoville::pingpong::Next)
  SCOVILLE_MESSAGE(scoville_pingpong, scoville::pingpong::Stop)
  SCOVILLE_MESSAGE(scoville_pingpong, scoville::pingpong::Ball)
  SCOVILLE_MESSAGE(scoville_pingpong, scoville::pingpong::Back)
CAF_END_TYPE_ID_BLOCK(scoville_pingpong)

namespace scoville {

namespace pingpong {

struct Report {
  std::int64_t sum = 0;
  std::int64_t pongs = 0;
};

template <class Run>
class Pong final : public caf::event_based_actor {
 public:
  Pong(caf::actor_config& config, Run& run, Report& report)
      : caf::event_based_actor{config}, run_{run}, report_{report} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this,
        [this](const Ball& ball) {
          ++count_;
          run_.send(this, ball.from, Back{this, ball.n});
        },
        [this](Stop) {
          report_.pongs = count_;
          quit();
        });
  }

 private:
  Run& run_;
  Report& report_;
  std::int64_t count_ = 0;
};

template <class Run>
class Ping final : public caf::event_based_actor {
 public:
  Ping(caf::actor_config& config, Run& run, Report& report, caf::actor pong, std::int64_t pings)
      : caf::event_based_actor{config}, run_{run}, report_{report}, pong_{std::move(pong)}, left_{pings} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this,
        [this](const Back& back) {
          require(back.n == left_ + 1, "Ping got back another number than it sent");
          sum_ += back.n;
          if (left_ > 0) {
            run_.send(this, this, Next{});
          } else {
            run_.send(this, pong_, Stop{});
            report_.sum = sum_;
            quit();
          }
        },
        [this](Next) { serve(); }, [this](Start) { serve(); });
  }

 private:
  void serve() {
    run_.send(this, pong_, Ball{this, left_});
    --left_;
  }

  Run& run_;
  Report& report_;
  caf::actor pong_;
  std::int64_t left_;
  std::int64_t sum_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Report report;
  run.timed([&] {
    auto pong = run.template spawn<Pong<Run>>(report);
    auto ping = run.template spawn<Ping<Run>>(report, pong, parameters["pings"]);
    run.send(ping, Start{});
  });
  return {report.sum, {{"pongs", report.pongs}}};
}

} // namespace pingpong

Benchmark entry::pingpong() {
  return {"pingpong",
          {{"pings", at_least(1)}},
          pingpong::run<Run<false>>,
          pingpong::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_pingpong>};
}

} // namespace scoville
