// Chameneos with fairness: who gets how many of the meetings at one place.
#include "../actor.hpp"

namespace scoville::chameneosfair {

struct Start {};
struct Meet {
  caf::actor who;
  std::int64_t id;
  std::int64_t colour;
};
struct Met {
  std::int64_t partner;
  std::int64_t colour;
};
struct Stop {};
struct Sum {
  std::int64_t id;
  std::int64_t meetings;
  std::int64_t colour;
  std::int64_t self;
};

} // namespace scoville::chameneosfair

CAF_BEGIN_TYPE_ID_BLOCK(scoville_chameneosfair, caf::first_custom_type_id + 660)
  SCOVILLE_MESSAGE(scoville_chameneosfair, scoville::chameneosfair::Start)
  SCOVILLE_MESSAGE(scoville_chameneosfair, scoville::chameneosfair::Meet)
  SCOVILLE_MESSAGE(scoville_chameneosfair, scoville::chameneosfair::Met)
  SCOVILLE_MESSAGE(scoville_chameneosfair, scoville::chameneosfair::Stop)
  SCOVILLE_MESSAGE(scoville_chameneosfair, scoville::chameneosfair::Sum)
CAF_END_TYPE_ID_BLOCK(scoville_chameneosfair)

namespace scoville {

namespace chameneosfair {

/// The third colour, or the same if both are the same.
constexpr std::int64_t complement(std::int64_t a, std::int64_t b) noexcept {
  return a == b ? a : 3 - a - b;
}

struct Report {
  std::int64_t total = 0;
  std::int64_t colours = 0;
  std::int64_t self = 0;
  std::vector<std::int64_t> meetings;
};

template <class Run>
class Creature final : public Actor<Run> {
 public:
  Creature(caf::actor_config& config, Run& run, caf::actor place, std::int64_t id)
      : Actor<Run>{config, run}, place_{std::move(place)}, state_{id, 0, id % 3, 0} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Met met) {
          ++state_.meetings;
          state_.colour = met.colour;
          state_.self += met.partner == state_.id ? 1 : 0;
          come();
        },
        [this](Start) { come(); },
        [this](Stop) {
          this->tell(place_, Sum{state_});
          this->quit();
        });
  }

 private:
  void come() { this->tell(place_, Meet{this->self(), state_.id, state_.colour}); }

  caf::actor place_;
  Sum state_;
};

template <class Run>
class Place final : public Actor<Run> {
 public:
  Place(caf::actor_config& config, Run& run, Report& report, std::int64_t creatures, std::int64_t meetings)
      : Actor<Run>{config, run}, report_{report}, creatures_{creatures}, left_{meetings} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Meet& meet) {
          if (open_)
            handle(std::move(meet));
          else
            gather(std::move(meet));
        },
        [this](const Sum& sum) { add(sum); });
  }

 private:
  /// Waits until everybody is there.
  void gather(Meet&& meet) {
    early_.push_back(std::move(meet));
    if (length(early_) < creatures_)
      return;
    open_ = true;
    for (auto& first_meet : early_)
      handle(std::move(first_meet));
    early_ = {};
  }

  void handle(Meet&& meet) {
    if (left_ == 0) {
      this->tell(meet.who, Stop{});
    } else if (!first_.who) {
      first_ = std::move(meet);
    } else {
      const auto colour = complement(first_.colour, meet.colour);
      --left_;
      this->tell(meet.who, Met{first_.id, colour});
      this->tell(first_.who, Met{meet.id, colour});
      first_.who = nullptr;
    }
  }

  void add(const Sum& sum) {
    report_.total += sum.meetings;
    report_.colours += sum.colour;
    report_.self += sum.self;
    report_.meetings[static_cast<std::size_t>(sum.id)] = sum.meetings;
    if (++done_ == creatures_)
      this->quit();
  }

  Report& report_;
  std::int64_t creatures_;
  std::int64_t left_;
  bool open_ = false;
  std::vector<Meet> early_;
  Meet first_{}; // nobody if it has no reference
  std::int64_t done_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto creatures = parameters["creatures"];
  Report report;
  report.meetings.resize(static_cast<std::size_t>(creatures));
  run.timed([&] {
    const auto place = run.template spawn<Place<Run>>(report, creatures, parameters["meetings"]);
    std::vector<caf::actor> all;
    for (std::int64_t id = 0; id < creatures; ++id)
      all.push_back(run.template spawn<Creature<Run>>(place, id));
    for (const auto& creature : all)
      run.send(creature, Start{});
  });
  return {report.total,
          {{"colours", report.colours % 3}, {"self", report.self}},
          {},
          {{"meetings", std::move(report.meetings)}}};
}

} // namespace chameneosfair

Benchmark entry::chameneosfair() {
  return {"chameneosfair",
          {{"creatures", at_least(2)}, {"meetings", at_least(1)}},
          chameneosfair::run<Run<false>>,
          chameneosfair::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_chameneosfair>};
}

} // namespace scoville
