// Ping Ping: two actors send payloads to each other at the same time.
#include "../actor.hpp"
#include "../checksum.hpp"
#include "../payload.hpp"

namespace scoville::pingping {

struct Start {
  caf::actor peer;
};
struct Ping {
  std::int64_t left;
  Payload payload;
};
struct Done {
  std::int64_t acc;
  std::int64_t hash;
};

} // namespace scoville::pingping

CAF_BEGIN_TYPE_ID_BLOCK(scoville_pingping, caf::first_custom_type_id + 700)
  SCOVILLE_MESSAGE(scoville_pingping, scoville::pingping::Start)
  SCOVILLE_MESSAGE(scoville_pingping, scoville::pingping::Ping)
  SCOVILLE_MESSAGE(scoville_pingping, scoville::pingping::Done)
CAF_END_TYPE_ID_BLOCK(scoville_pingping)

namespace scoville {

namespace pingping {

struct Plan {
  std::int64_t repetitions;
  std::int64_t size;
  bool share;
};

template <class Run>
class Tally final : public Actor<Run> {
 public:
  Tally(caf::actor_config& config, Run& run, Done& report) : Actor<Run>{config, run}, report_{report} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Done message) {
      require(!first_ || first_->hash == message.hash, "the last payloads of the partners differ");
      if (first_) {
        report_ = {first_->acc + message.acc, message.hash};
        this->quit();
      }
      first_ = message;
    });
  }

 private:
  Done& report_;
  std::optional<Done> first_;
};

template <class Run>
class Partner final : public Actor<Run> {
 public:
  Partner(caf::actor_config& config, Run& run, caf::actor tally, const Plan& plan)
      : Actor<Run>{config, run}, tally_{std::move(tally)}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Ping& ping) { take(std::move(ping)); },
                         [this](const Start& start) {
                           peer_ = start.peer;
                           started_ = true;
                           this->tell(peer_, Ping{plan_.repetitions - 1, fresh_payload(plan_.size)});
                           leave_after_last();
                         });
  }

 private:
  void take(Ping&& ping) {
    if (!peer_) // the other's ball may come before Start
      peer_ = caf::actor_cast<caf::actor>(this->current_sender());
    ++received_;
    const auto i = ping.left % plan_.size;
    done_.acc += (*ping.payload)[static_cast<std::size_t>(i)];
    auto next = pass_on(std::move(ping.payload), i, plan_.share);
    if (ping.left > 0)
      this->tell(peer_, Ping{ping.left - 1, std::move(next)});
    else
      done_.hash = checksum(*next);
    leave_after_last();
  }

  void leave_after_last() {
    if (!started_ || received_ < plan_.repetitions)
      return;
    this->tell(tally_, Done{done_});
    peer_ = nullptr; // or the partners would hold each other
    this->quit();
  }

  caf::actor tally_;
  Plan plan_;
  caf::actor peer_;
  bool started_ = false;
  std::int64_t received_ = 0;
  Done done_{};
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["r"], parameters["size"], parameters.word("mode") == "share"};
  Done report{};
  run.timed([&] {
    const auto tally = run.template spawn<Tally<Run>>(report);
    const auto a = run.template spawn<Partner<Run>>(tally, plan);
    const auto b = run.template spawn<Partner<Run>>(tally, plan);
    run.send(a, Start{b});
    run.send(b, Start{a});
  });
  return {report.acc, {{"hash", report.hash}}};
}

} // namespace pingping

Benchmark entry::pingping() {
  return {"pingping",
          {{"r", at_least(1)}, {"size", at_least(1)}, {"mode", one_of({"copy", "share"})}},
          pingping::run<Run<false>>,
          pingping::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_pingping>};
}

} // namespace scoville
