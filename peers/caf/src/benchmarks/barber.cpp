// Sleeping Barber: customers who find no chair come back at once.
#include "../actor.hpp"
#include "../busy.hpp"
#include "../fifo.hpp"
#include "../rng.hpp"

namespace scoville::barber {

struct Start {};
struct Enter {
  caf::actor customer;
};
struct Full {};
struct Returned {
  caf::actor from;
};
struct Wait {};
struct Next {};
struct Serve {
  caf::actor customer;
  caf::actor room;
};
struct Sit {};
struct Leave {};
struct Sleep {};
struct Done {
  std::int64_t id;
};
struct Close {};

} // namespace scoville::barber

CAF_BEGIN_TYPE_ID_BLOCK(scoville_barber, caf::first_custom_type_id + 260)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Start)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Enter)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Full)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Returned)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Wait)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Next)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Serve)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Sit)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Leave)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Sleep)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Done)
  SCOVILLE_MESSAGE(scoville_barber, scoville::barber::Close)
CAF_END_TYPE_ID_BLOCK(scoville_barber)

namespace scoville {

namespace barber {

struct Report {
  std::int64_t id_sum = 0;
  std::int64_t factory_busy = 0;
  std::int64_t barber_busy = 0;
  std::int64_t attempts = 0;
  std::int64_t sleeps = 0;
  std::vector<std::int64_t> refused; // each customer writes its own
};

/// Draws an amount of work and does it.
std::int64_t work(Rng& rng, std::int64_t bound) {
  return busy(rng.below(bound) + 10);
}

template <class Run>
class Barber final : public Actor<Run> {
 public:
  Barber(caf::actor_config& config, Run& run, Report& report, std::int64_t customers, std::int64_t bound)
      : Actor<Run>{config, run}, report_{report}, customers_{customers}, bound_{bound} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Serve& serve) { cut(serve); }, [](Sleep) {},
                         [this](Close) {
                           require(cuts_ == customers_, "the barber closed before all hair was cut");
                           report_.barber_busy = busy_sum_;
                           this->quit();
                         });
  }

 private:
  void cut(const Serve& serve) {
    this->tell(serve.customer, Sit{});
    ++cuts_;
    busy_sum_ += work(rng_, bound_);
    this->tell(serve.customer, Leave{});
    this->tell(serve.room, Next{});
  }

  Report& report_;
  std::int64_t customers_;
  std::int64_t bound_;
  Rng rng_;
  std::int64_t cuts_ = 0;
  std::int64_t busy_sum_ = 0;
};

template <class Run>
class Room final : public Actor<Run> {
 public:
  Room(caf::actor_config& config, Run& run, Report& report, caf::actor barber, std::int64_t chairs)
      : Actor<Run>{config, run}, report_{report}, barber_{std::move(barber)}, chairs_{chairs} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Enter& enter) { admit(enter.customer); }, [this](Next) { next(); },
                         [this](Close) {
                           closing_ = true;
                           if (asleep_)
                             close();
                         });
  }

 private:
  void admit(const caf::actor& customer) {
    if (static_cast<std::int64_t>(waiting_.size()) == chairs_) {
      this->tell(customer, Full{});
      return;
    }
    waiting_.push(customer);
    if (asleep_) {
      asleep_ = false;
      this->tell_self(Next{});
    } else {
      this->tell(customer, Wait{});
    }
  }

  void next() {
    if (!waiting_.empty()) {
      this->tell(barber_, Serve{waiting_.pop(), this->self()});
    } else if (closing_) {
      close();
    } else {
      this->tell(barber_, Sleep{});
      ++report_.sleeps;
      asleep_ = true;
    }
  }

  void close() {
    this->tell(barber_, Close{});
    this->quit();
  }

  Report& report_;
  caf::actor barber_;
  std::int64_t chairs_;
  Fifo<caf::actor> waiting_;
  bool asleep_ = true;
  bool closing_ = false;
};

template <class Run>
class Customer final : public Actor<Run> {
 public:
  Customer(caf::actor_config& config, Run& run, std::int64_t& report, caf::actor factory, std::int64_t id)
      : Actor<Run>{config, run}, report_{report}, factory_{std::move(factory)}, id_{id} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Full) {
          ++refused_;
          this->tell(factory_, Returned{this->self()});
        },
        [](Wait) {}, [](Sit) {},
        [this](Leave) {
          this->tell(factory_, Done{id_});
          report_ = refused_;
          this->quit();
        });
  }

 private:
  std::int64_t& report_;
  caf::actor factory_;
  std::int64_t id_;
  std::int64_t refused_ = 0;
};

template <class Run>
class Factory final : public Actor<Run> {
 public:
  Factory(caf::actor_config& config, Run& run, Report& report, caf::actor room, std::int64_t bound)
      : Actor<Run>{config, run}, report_{report}, room_{std::move(room)}, bound_{bound} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Returned& returned) { send_in(returned.from); },
                         [this](Done message) {
                           report_.id_sum += message.id;
                           if (++served_ == report_.refused.size()) {
                             this->tell(room_, Close{});
                             this->quit();
                           }
                         },
                         [this](Start) { create_all(); });
  }

 private:
  void create_all() {
    for (std::size_t i = 0; i < report_.refused.size(); ++i) {
      send_in(this->template create<Customer<Run>>(report_.refused[i], this->self(),
                                                   static_cast<std::int64_t>(i + 1)));
      report_.factory_busy += work(rng_, bound_);
    }
  }

  void send_in(const caf::actor& customer) {
    ++report_.attempts;
    this->tell(room_, Enter{customer});
  }

  Report& report_;
  caf::actor room_;
  std::int64_t bound_;
  Rng rng_;
  std::size_t served_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto customers = parameters["haircuts"];
  Report report;
  report.refused.resize(static_cast<std::size_t>(customers));
  run.timed([&] {
    const auto barber = run.template spawn<Barber<Run>>(report, customers, parameters["haircut_work"]);
    const auto room = run.template spawn<Room<Run>>(report, barber, parameters["chairs"]);
    run.send(run.template spawn<Factory<Run>>(report, room, parameters["arrival_work"]), Start{});
  });
  return {report.id_sum,
          {{"factory_busy", report.factory_busy}, {"barber_busy", report.barber_busy}},
          {{"attempts", report.attempts}, {"sleeps", report.sleeps}},
          {{"refused", std::move(report.refused)}}};
}

} // namespace barber

Benchmark entry::barber() {
  return {"barber",
          {{"haircuts", at_least(1)},
           {"chairs", at_least(1)},
           {"arrival_work", between(1, 65536)},
           {"haircut_work", between(1, 65536)}},
          barber::run<Run<false>>,
          barber::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_barber>};
}

} // namespace scoville
