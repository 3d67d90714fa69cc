// Dining Philosophers: an arbitrator hands out forks, and whoever is denied asks again at once.
#include "../actor.hpp"

namespace scoville::philosopher {

struct Start {};
struct Hungry {
  caf::actor from;
  std::int64_t id;
};
struct Eat {};
struct Denied {};
struct Done {
  std::int64_t id;
};
struct Exit {
  std::int64_t denied;
};

} // namespace scoville::philosopher

CAF_BEGIN_TYPE_ID_BLOCK(scoville_philosopher, caf::first_custom_type_id + 240)
  SCOVILLE_MESSAGE(scoville_philosopher, scoville::philosopher::Start)
  SCOVILLE_MESSAGE(scoville_philosopher, scoville::philosopher::Hungry)
  SCOVILLE_MESSAGE(scoville_philosopher, scoville::philosopher::Eat)
  SCOVILLE_MESSAGE(scoville_philosopher, scoville::philosopher::Denied)
  SCOVILLE_MESSAGE(scoville_philosopher, scoville::philosopher::Done)
  SCOVILLE_MESSAGE(scoville_philosopher, scoville::philosopher::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_philosopher)

namespace scoville {

namespace philosopher {

struct Report {
  std::int64_t weighted = 0;
  std::int64_t errors = 0;
  std::int64_t retries = 0;
  std::int64_t messages = 0;
  std::vector<std::int64_t> denied; // each philosopher writes its own
};

template <class Run>
class Arbitrator final : public Actor<Run> {
 public:
  Arbitrator(caf::actor_config& config, Run& run, Report& report, std::size_t philosophers)
      : Actor<Run>{config, run}, report_{report}, taken_(philosophers), meals_(philosophers) {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Hungry& hungry) {
          ++messages_;
          serve(hungry);
        },
        [this](Done message) {
          ++messages_;
          auto& left = taken_[left_of(message.id)];
          auto& right = taken_[right_of(message.id)];
          errors_ += left != 0 && right != 0 ? 0 : 1;
          left = right = 0;
        },
        [this](Exit exit) {
          ++messages_;
          retries_ += exit.denied;
          if (++exited_ == taken_.size())
            finish();
        });
  }

 private:
  [[nodiscard]] std::size_t left_of(std::int64_t id) const { return static_cast<std::size_t>(id); }
  [[nodiscard]] std::size_t right_of(std::int64_t id) const {
    return static_cast<std::size_t>(id + 1) % taken_.size();
  }

  void serve(const Hungry& hungry) {
    auto& left = taken_[left_of(hungry.id)];
    auto& right = taken_[right_of(hungry.id)];
    if (left != 0 || right != 0) {
      this->tell(hungry.from, Denied{});
      return;
    }
    left = right = 1;
    ++meals_[left_of(hungry.id)];
    this->tell(hungry.from, Eat{});
  }

  void finish() {
    for (const auto fork : taken_)
      errors_ += fork;
    std::int64_t weighted = 0;
    for (std::size_t i = 0; i < meals_.size(); ++i)
      weighted += static_cast<std::int64_t>(i + 1) * meals_[i];
    report_.weighted = weighted;
    report_.errors = errors_;
    report_.retries = retries_;
    report_.messages = messages_;
    this->quit();
  }

  Report& report_;
  std::vector<char> taken_; // by fork
  std::vector<std::int64_t> meals_;
  std::size_t exited_ = 0;
  std::int64_t retries_ = 0;
  std::int64_t errors_ = 0;
  std::int64_t messages_ = 0;
};

template <class Run>
class Philosopher final : public Actor<Run> {
 public:
  Philosopher(caf::actor_config& config, Run& run, std::int64_t& report, caf::actor arbitrator,
              std::int64_t id, std::int64_t rounds)
      : Actor<Run>{config, run},
        report_{report},
        arbitrator_{std::move(arbitrator)},
        id_{id},
        rounds_{rounds} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Denied) {
          ++denied_;
          ask();
        },
        [this](Eat) { eat(); }, [this](Start) { ask(); });
  }

 private:
  void ask() { this->tell(arbitrator_, Hungry{this->self(), id_}); }

  void eat() {
    ++eaten_;
    this->tell(arbitrator_, Done{id_});
    if (eaten_ < rounds_) {
      this->tell_self(Start{});
      return;
    }
    this->tell(arbitrator_, Exit{denied_});
    report_ = denied_;
    this->quit();
  }

  std::int64_t& report_;
  caf::actor arbitrator_;
  std::int64_t id_;
  std::int64_t rounds_;
  std::int64_t eaten_ = 0;
  std::int64_t denied_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto n = static_cast<std::size_t>(parameters["philosophers"]);
  Report report;
  report.denied.resize(n);
  run.timed([&] {
    const auto arbitrator = run.template spawn<Arbitrator<Run>>(report, n);
    std::vector<caf::actor> philosophers;
    philosophers.reserve(n);
    for (std::size_t id = 0; id < n; ++id)
      philosophers.push_back(run.template spawn<Philosopher<Run>>(
          report.denied[id], arbitrator, static_cast<std::int64_t>(id), parameters["rounds"]));
    for (const auto& philosopher : philosophers)
      run.send(philosopher, Start{});
  });
  return {report.weighted,
          {{"errors", report.errors}},
          {{"retries", report.retries}, {"arbitrator_messages", report.messages}},
          {{"denied", std::move(report.denied)}}};
}

} // namespace philosopher

Benchmark entry::philosopher() {
  return {"philosopher",
          {{"philosophers", at_least(1)}, {"rounds", at_least(1)}},
          philosopher::run<Run<false>>,
          philosopher::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_philosopher>};
}

} // namespace scoville
