// Chameneos: creatures meet in pairs at one mall and change their colours.
#include "../benchmark.hpp"

namespace scoville::chameneos {

struct Meet {
  std::int64_t colour;
  caf::actor who;
};
struct Change {
  std::int64_t colour;
};
struct Exit {};
struct Count {
  std::int64_t id;
  std::int64_t met;
  std::int64_t colour;
};

} // namespace scoville::chameneos

CAF_BEGIN_TYPE_ID_BLOCK(scoville_chameneos, caf::first_custom_type_id + 70)
  SCOVILLE_MESSAGE(scoville_chameneos, scoville::chameneos::Meet)
  SCOVILLE_MESSAGE(scoville_chameneos, scoville::chameneos::Change)
  SCOVILLE_MESSAGE(scoville_chameneos, scoville::chameneos::Exit)
  SCOVILLE_MESSAGE(scoville_chameneos, scoville::chameneos::Count)
CAF_END_TYPE_ID_BLOCK(scoville_chameneos)

namespace scoville {

namespace chameneos {

/// The third colour, or the same if both are the same.
constexpr std::int64_t complement(std::int64_t a, std::int64_t b) noexcept {
  return a == b ? a : 3 - a - b;
}

struct Report {
  std::int64_t sum = 0;
  std::int64_t colours = 0;
  std::vector<std::int64_t> meetings;
};

template <class Run>
class Creature final : public caf::event_based_actor {
 public:
  Creature(caf::actor_config& config, Run& run, caf::actor mall, std::int64_t id)
      : caf::event_based_actor{config}, run_{run}, mall_{std::move(mall)}, id_{id}, colour_{id % 3} {}

  caf::behavior make_behavior() override {
    run_.send(this, mall_, Meet{colour_, this});
    return run_.handlers(
        this,
        [this](const Meet& meet) {
          colour_ = complement(colour_, meet.colour);
          ++met_;
          run_.send(this, meet.who, Change{colour_});
          run_.send(this, mall_, Meet{colour_, this});
        },
        [this](Change change) {
          colour_ = change.colour;
          ++met_;
          run_.send(this, mall_, Meet{colour_, this});
        },
        [this](Exit) {
          run_.send(this, mall_, Count{id_, met_, colour_});
          quit();
        });
  }

 private:
  Run& run_;
  caf::actor mall_;
  std::int64_t id_;
  std::int64_t colour_;
  std::int64_t met_ = 0;
};

template <class Run>
class Mall final : public caf::event_based_actor {
 public:
  Mall(caf::actor_config& config, Run& run, Report& report, std::int64_t creatures, std::int64_t meetings)
      : caf::event_based_actor{config},
        run_{run},
        report_{report},
        creatures_{creatures},
        left_{meetings},
        met_(static_cast<std::size_t>(creatures)) {}

  caf::behavior make_behavior() override {
    for (std::int64_t id = 0; id < creatures_; ++id)
      static_cast<void>(run_.template spawn_from<Creature<Run>>(this, caf::actor{this}, id));
    return run_.handlers(
        this, [this](const Meet& meet) { pair(meet); }, [this](Count count) { book(count); });
  }

 private:
  void pair(const Meet& meet) {
    if (left_ == 0) {
      run_.send(this, meet.who, Exit{});
    } else if (!waiting_) {
      waiting_ = meet.who;
    } else {
      --left_;
      run_.send(this, waiting_, Meet{meet});
      waiting_ = nullptr;
    }
  }

  void book(Count count) {
    ++gone_;
    sum_ += count.met;
    colours_ += count.colour;
    met_[static_cast<std::size_t>(count.id)] = count.met;
    if (gone_ == creatures_) {
      report_ = {sum_, colours_, std::move(met_)};
      quit();
    }
  }

  Run& run_;
  Report& report_;
  std::int64_t creatures_;
  std::int64_t left_;
  caf::actor waiting_;
  std::int64_t gone_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t colours_ = 0;
  std::vector<std::int64_t> met_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Report report;
  run.timed([&] {
    static_cast<void>(run.template spawn<Mall<Run>>(report, parameters["creatures"], parameters["meetings"]));
  });
  return {report.sum, {{"colour", report.colours % 3}}, {}, {{"meetings", std::move(report.meetings)}}};
}

} // namespace chameneos

Benchmark entry::chameneos() {
  return {"chameneos",
          {{"creatures", at_least(2)}, {"meetings", at_least(0)}},
          chameneos::run<Run<false>>,
          chameneos::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_chameneos>};
}

} // namespace scoville
