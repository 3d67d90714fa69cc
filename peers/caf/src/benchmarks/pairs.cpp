// Concurrent process throughput: pairs of client and server that exchange payloads.
#include "../actor.hpp"
#include "../checksum.hpp"
#include "../payload.hpp"

#include <algorithm>
#include <limits>
#include <thread>

namespace scoville::pairs {

struct Start {};
struct Data {
  Payload payload;
};
struct Reply {
  Payload payload;
};
struct Exchanges {
  std::int64_t k;
};
struct Halt {};
struct Stop {};
struct Finished {
  std::size_t server;
  std::int64_t n;
  std::int64_t hash;
};

} // namespace scoville::pairs

CAF_BEGIN_TYPE_ID_BLOCK(scoville_pairs, caf::first_custom_type_id + 740)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Start)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Data)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Reply)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Exchanges)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Halt)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Stop)
  SCOVILLE_MESSAGE(scoville_pairs, scoville::pairs::Finished)
CAF_END_TYPE_ID_BLOCK(scoville_pairs)

namespace scoville {

namespace pairs {

struct Plan {
  std::int64_t rounds; // without limit in mode timed
  std::int64_t report_every;
  std::int64_t size;
  bool share;
};

struct Report {
  std::int64_t total = 0;
  std::int64_t hash_sum = 0;
  std::vector<std::int64_t> exchanges; // by pair
};

template <class Run>
class Aggregator final : public Actor<Run> {
 public:
  Aggregator(caf::actor_config& config, Run& run, Report& report)
      : Actor<Run>{config, run}, report_{report} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Exchanges exchanges) { report_.total += exchanges.k; },
                         [this](const Finished& server) {
                           require(server.n >= 1, "a pair made no exchange");
                           report_.hash_sum += server.hash;
                           report_.exchanges[server.server] = server.n;
                           sum_ += server.n;
                           if (++finished_ < report_.exchanges.size())
                             return;
                           require(sum_ == report_.total,
                                   "the reports do not add up to the exchanges of all pairs");
                           this->quit();
                         });
  }

 private:
  Report& report_;
  std::int64_t sum_ = 0;
  std::size_t finished_ = 0;
};

template <class Run>
class Client final : public Actor<Run> {
 public:
  Client(caf::actor_config& config, Run& run, caf::actor server, const Plan& plan)
      : Actor<Run>{config, run}, server_{std::move(server)}, size_{plan.size}, share_{plan.share} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Data& data) {
          this->tell(server_, Reply{pass_on(std::move(data.payload), n_++ % size_, share_)});
        },
        [this](Stop) {
          server_ = nullptr; // or client and server would hold each other
          this->quit();
        });
  }

 private:
  caf::actor server_;
  std::int64_t size_;
  bool share_;
  std::int64_t n_ = 0;
};

template <class Run>
class Server final : public Actor<Run> {
 public:
  Server(caf::actor_config& config, Run& run, caf::actor aggregator, const Plan& plan, std::size_t number)
      : Actor<Run>{config, run}, aggregator_{std::move(aggregator)}, plan_{plan}, number_{number} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Reply& reply) { take(std::move(reply.payload)); },
                         [this](Start) {
                           client_ = this->template create<Client<Run>>(this->self(), plan_);
                           this->tell(client_, Data{fresh_payload(plan_.size)});
                         },
                         [this](Halt) { halted_ = true; });
  }

 private:
  void take(Payload received) {
    auto payload = pass_on(std::move(received), n_ % plan_.size, plan_.share);
    ++n_;
    ++unreported_;
    const auto last = halted_ || n_ == plan_.rounds;
    if (last || unreported_ == plan_.report_every)
      this->tell(aggregator_, Exchanges{std::exchange(unreported_, 0)});
    if (!last) {
      this->tell(client_, Data{std::move(payload)});
      return;
    }
    this->tell(client_, Stop{});
    this->tell(aggregator_, Finished{number_, n_, checksum(*payload)});
    this->quit();
  }

  caf::actor aggregator_;
  Plan plan_;
  std::size_t number_;
  caf::actor client_;
  std::int64_t n_ = 0;
  std::int64_t unreported_ = 0;
  bool halted_ = false;
};

/// Waits for some seconds; for a hundred years if they are more.
void sleep(std::int64_t seconds) {
  std::this_thread::sleep_for(std::chrono::seconds{std::min<std::int64_t>(seconds, 100LL * 366 * 86400)});
}

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto timed = parameters.word("mode") == "timed";
  const Plan plan{timed ? std::numeric_limits<std::int64_t>::max() : parameters["rounds"],
                  parameters["report"], parameters["size"], parameters.word("payload") == "share"};
  Report report;
  report.exchanges.resize(static_cast<std::size_t>(parameters["pairs"]));
  const auto aggregator = run.template spawn<Aggregator<Run>>(report);
  std::vector<caf::actor> servers;
  for (std::size_t p = 0; p < report.exchanges.size(); ++p)
    servers.push_back(run.template spawn<Server<Run>>(aggregator, plan, p));
  run.timed([&] {
    for (const auto& server : servers)
      run.send(server, Start{});
    if (timed) {
      sleep(parameters["seconds"]);
      for (const auto& server : servers)
        run.send(server, Halt{});
    }
  });
  Outcome outcome{report.total};
  if (!timed)
    outcome.checks.emplace("hashsum", report.hash_sum);
  const std::chrono::duration<double, std::ratio<60>> minutes{run.elapsed()};
  outcome.metrics.emplace("throughput", static_cast<double>(report.total) / minutes.count());
  outcome.per_actor.emplace("n", std::move(report.exchanges));
  return outcome;
}

} // namespace pairs

Benchmark entry::pairs() {
  return {"pairs",
          {{"pairs", at_least(1)},
           {"mode", one_of({"fixed", "timed"})},
           {"rounds", at_least(1)},
           {"seconds", at_least(1)},
           {"report", at_least(1)},
           {"size", at_least(1)},
           {"payload", one_of({"copy", "share"})}},
          pairs::run<Run<false>>,
          pairs::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_pairs>};
}

} // namespace scoville
