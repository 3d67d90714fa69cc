// Process creation: many dormant actors, which are woken once afterwards.
#include "../actor.hpp"
#include "../memory.hpp"

#include <future>
#include <thread>

namespace scoville::spawn {

struct Wake {};
struct Awake {
  std::int64_t i;
};

} // namespace scoville::spawn

CAF_BEGIN_TYPE_ID_BLOCK(scoville_spawn, caf::first_custom_type_id + 720)
  SCOVILLE_MESSAGE(scoville_spawn, scoville::spawn::Wake)
  SCOVILLE_MESSAGE(scoville_spawn, scoville::spawn::Awake)
CAF_END_TYPE_ID_BLOCK(scoville_spawn)

namespace scoville {

namespace spawn {

struct Report {
  std::int64_t id_sum = 0;
  std::int64_t awake = 0;
  std::promise<void> finished{};
};

template <class Run>
class Tally final : public Actor<Run> {
 public:
  Tally(caf::actor_config& config, Run& run, Report& report, std::int64_t expected)
      : Actor<Run>{config, run}, report_{report}, expected_{expected} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Awake awake) {
      report_.id_sum += awake.i;
      if (++report_.awake == expected_) {
        report_.finished.set_value();
        this->quit();
      }
    });
  }

 private:
  Report& report_;
  std::int64_t expected_;
};

template <class Run>
class Dormant final : public Actor<Run> {
 public:
  Dormant(caf::actor_config& config, Run& run, caf::actor tally, std::int64_t i)
      : Actor<Run>{config, run}, tally_{std::move(tally)}, i_{i} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Wake) { this->tell(tally_, Awake{i_}); });
  }

 private:
  caf::actor tally_;
  std::int64_t i_;
};

std::int64_t nanoseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto n = parameters["n"];
  Report report;
  const auto tally = run.template spawn_lasting<Tally<Run>>(report, n);
  Run::stop(run.template spawn_aside<Dormant<Run>>(tally, 0));
  run.settle();
  std::vector<caf::actor> actors;
  actors.reserve(static_cast<std::size_t>(n));
  const auto before = resident_bytes();

  run.timed([&] {
    for (std::int64_t i = 0; i < n; ++i)
      actors.push_back(run.template spawn_lasting<Dormant<Run>>(tally, i));
  });

  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  const auto dormant = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  for (const auto& actor : actors)
    run.send(actor, Wake{});
  report.finished.get_future().wait();
  const auto wake = std::chrono::steady_clock::now() - start;
  const auto awake = resident_bytes();
  for (const auto& actor : actors)
    Run::stop(actor);
  actors.clear();
  run.finish();
  const auto per_actor = [&](std::int64_t bytes) {
    return static_cast<double>(bytes - before) / static_cast<double>(n);
  };
  return {report.id_sum,
          {{"awake", report.awake}},
          {{"t_spawn", nanoseconds(run.elapsed())},
           {"t_wake", nanoseconds(wake)},
           {"bytes_dormant", per_actor(dormant)},
           {"bytes_awake", per_actor(awake)}}};
}

} // namespace spawn

Benchmark entry::spawn() {
  return {"spawn",
          {{"n", at_least(1)}},
          spawn::run<Run<false>>,
          spawn::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_spawn>};
}

} // namespace scoville
