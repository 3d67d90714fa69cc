// Thread Ring: a token hops around a ring of actors, then an exit message collects the sum.
#include "../benchmark.hpp"

namespace scoville::threadring {

struct Data {
  caf::actor next;
};
struct Token {
  std::int64_t k;
};
struct Exit {
  std::int64_t k;
  std::int64_t acc;
};

} // namespace scoville::threadring

CAF_BEGIN_TYPE_ID_BLOCK(scoville_threadring, caf::first_custom_type_id + 20)
  SCOVILLE_MESSAGE(scoville_threadring, scoville::threadring::Data)
  SCOVILLE_MESSAGE(scoville_threadring, scoville::threadring::Token)
  SCOVILLE_MESSAGE(scoville_threadring, scoville::threadring::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_threadring)

namespace scoville {

namespace threadring {

struct Report {
  std::int64_t result = 0;
  std::int64_t last = 0;
};

// A send is in the receiver's mailbox before it returns, so Data is always there before Token and Exit.
template <class Run>
class Ring final : public caf::event_based_actor {
 public:
  Ring(caf::actor_config& config, Run& run, Report& report, std::int64_t id, std::int64_t size)
      : caf::event_based_actor{config}, run_{run}, report_{report}, id_{id}, size_{size} {}

  caf::behavior make_behavior() override {
    return run_.handlers(
        this,
        [this](Token token) {
          ++seen_;
          if (token.k > 0)
            run_.send(this, next_, Token{token.k - 1});
          else
            run_.send(this, next_, Exit{size_ - 1, 0});
        },
        [this](const Data& data) { next_ = data.next; },
        [this](Exit exit) { leave(exit.k, exit.acc + (id_ + 1) * seen_); });
  }

 private:
  void leave(std::int64_t k, std::int64_t acc) {
    if (k > 0)
      run_.send(this, next_, Exit{k - 1, acc});
    else
      report_ = {acc, id_};
    next_ = nullptr; // or the ring would hold itself
    quit();
  }

  Run& run_;
  Report& report_;
  std::int64_t id_;
  std::int64_t size_;
  caf::actor next_;
  std::int64_t seen_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto size = parameters["actors"];
  Report report;
  run.timed([&] {
    std::vector<caf::actor> ring;
    ring.reserve(static_cast<std::size_t>(size));
    for (std::int64_t id = 0; id < size; ++id)
      ring.push_back(run.template spawn<Ring<Run>>(report, id, size));
    for (std::size_t i = 0; i < ring.size(); ++i)
      run.send(ring[i], Data{ring[(i + 1) % ring.size()]});
    run.send(ring[0], Token{parameters["hops"]});
  });
  return {report.result, {{"last", report.last}}};
}

} // namespace threadring

Benchmark entry::threadring() {
  return {"threadring",
          {{"actors", at_least(1)}, {"hops", at_least(0)}},
          threadring::run<Run<false>>,
          threadring::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_threadring>};
}

} // namespace scoville
