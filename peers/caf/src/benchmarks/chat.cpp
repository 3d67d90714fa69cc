// Chat application: many kinds of actors, changing membership, fan-out, and the latency of each turn.
#include "../actor.hpp"
#include "../opaque.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <unordered_set>

namespace scoville::chat {

/// What clients and directories count.
struct Counts {
  std::int64_t sum = 0;
  std::int64_t edges = 0;
  std::int64_t compute = 0;
  std::int64_t post = 0;
  std::int64_t leave = 0;
  std::int64_t invite = 0;
  std::int64_t none = 0;
  std::int64_t invitations = 0;
  std::int64_t forwards = 0;
  std::int64_t leaves = 0;
};

// To the poker.
struct Start {};
struct Confirm {
  std::int64_t turn;
  std::chrono::nanoseconds duration;
};
struct Finished {
  Counts counts;
};

// To directories.
struct Login {
  std::int64_t id;
};
struct Poke {
  caf::actor turn;
};
struct Disconnect {};
struct ClientLeft {
  Counts counts;
};

// To clients.
struct Befriend {
  caf::actor client;
};
struct Act {
  caf::actor turn;
};
struct Forward {
  caf::actor room;
  caf::actor turn;
};
struct Invite {
  caf::actor room;
  caf::actor turn;
};
struct Left {
  caf::actor room;
  caf::actor turn; // nobody at a logout
};
struct Logout {};

// To chats.
struct Post {
  caf::actor turn;
};
struct Join {
  caf::actor client;
  caf::actor turn;
};
struct Leave {
  caf::actor client;
  caf::actor turn; // nobody at a logout
};

// To accumulators.
enum class Level : std::uint8_t { acts, joins, forwards };
struct Bump {
  Level closes;
  Level opens;
  std::int64_t n;
};
struct Close {
  Level level;
};

} // namespace scoville::chat

CAF_BEGIN_TYPE_ID_BLOCK(scoville_chat, caf::first_custom_type_id + 780)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Start)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Confirm)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Finished)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Login)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Poke)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Disconnect)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::ClientLeft)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Befriend)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Act)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Forward)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Invite)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Left)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Logout)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Post)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Join)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Leave)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Bump)
  SCOVILLE_MESSAGE(scoville_chat, scoville::chat::Close)
CAF_END_TYPE_ID_BLOCK(scoville_chat)

namespace scoville {

namespace chat {

struct Plan {
  std::int64_t clients;
  std::int64_t turns;
  std::int64_t directories;
  std::int64_t compute; // per cent, as the four below
  std::int64_t post;
  std::int64_t leave;
  std::int64_t invite;
  std::int64_t befriend;
  std::int64_t fib;
  std::int64_t seed;
};

/// What an accumulator received.
struct Traffic {
  std::int64_t bumps = 0;
  std::int64_t closes = 0;
};

struct Report {
  Counts counts;
  std::vector<std::chrono::nanoseconds> durations; // of the turns
  std::vector<Traffic> traffic;                    // each accumulator writes its own
  std::vector<caf::actor> accumulators;            // for the driver to stop, as the rooms
  std::mutex mutex;
  std::vector<caf::actor> rooms; // guarded by the mutex
  std::promise<void> finished;
};

void add(Counts& to, const Counts& more) {
  to.sum += more.sum;
  to.edges += more.edges;
  to.compute += more.compute;
  to.post += more.post;
  to.leave += more.leave;
  to.invite += more.invite;
  to.none += more.none;
  to.invitations += more.invitations;
  to.forwards += more.forwards;
  to.leaves += more.leaves;
}

// The calls are the work. If the compiler knew the sum, it would add up in a loop what the second recursion
// returns, and make half of them.
[[gnu::noinline]] std::int64_t fibonacci(std::int64_t n) {
  return n < 2 ? n : opaque(fibonacci(n - 1) + fibonacci(n - 2));
}

/// Knows when a turn is over. Three levels make that safe however messages of different senders interleave.
template <class Run>
class Accumulator final : public Actor<Run> {
 public:
  Accumulator(caf::actor_config& config, Run& run, Traffic& report, caf::actor poker, std::int64_t turn,
              std::int64_t acts)
      : Actor<Run>{config, run}, report_{report}, poker_{std::move(poker)}, turn_{turn}, open_{acts, 0, 0} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Close close_one) {
          ++report_.closes;
          --open(close_one.level);
          check();
        },
        [this](const Bump& bump) {
          ++report_.bumps;
          --open(bump.closes);
          open(bump.opens) += bump.n;
          check();
        });
  }

 private:
  [[nodiscard]] std::int64_t& open(Level level) { return open_[static_cast<std::size_t>(level)]; }

  void check() {
    require(!confirmed_, "an accumulator received a message after its turn had ended");
    if (open_ != std::array<std::int64_t, 3>{})
      return;
    confirmed_ = true;
    this->tell(poker_, Confirm{turn_, std::chrono::steady_clock::now() - began_});
  }

  Traffic& report_;
  caf::actor poker_;
  std::int64_t turn_;
  std::array<std::int64_t, 3>
      open_; // opened less closed, by level; below 0 while a Close is ahead of its Bump
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool confirmed_ = false;
};

template <class Run>
class Room final : public Actor<Run> {
 public:
  Room(caf::actor_config& config, Run& run, caf::actor creator)
      : Actor<Run>{config, run}, members_{std::move(creator)} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Post& post) { forward(post.turn); },
                         [this](const Join& join) { admit(join.client, join.turn); },
                         [this](const Leave& leave) {
                           members_.erase(leave.client);
                           this->tell(leave.client, Left{this->self(), leave.turn});
                         });
  }

 private:
  void forward(const caf::actor& turn) {
    ++buffered_;
    if (members_.empty()) {
      this->tell(turn, Close{Level::acts});
      return;
    }
    this->tell(turn, Bump{Level::acts, Level::forwards, length(members_)});
    for (const auto& member : members_)
      this->tell(member, Forward{this->self(), turn});
  }

  void admit(const caf::actor& client, const caf::actor& turn) {
    members_.insert(client);
    if (buffered_ == 0) {
      this->tell(turn, Close{Level::joins});
      return;
    }
    this->tell(turn, Bump{Level::joins, Level::forwards, buffered_});
    for (std::int64_t i = 0; i < buffered_; ++i)
      this->tell(client, Forward{this->self(), turn});
  }

  std::unordered_set<caf::actor> members_;
  std::int64_t buffered_ = 0; // posts
};

template <class Run>
class Client final : public Actor<Run> {
 public:
  Client(caf::actor_config& config, Run& run, Report& report, const Plan& plan, caf::actor directory,
         std::int64_t seed)
      : Actor<Run>{config, run},
        report_{report},
        plan_{plan},
        directory_{std::move(directory)},
        dice_{seed},
        rand_{seed} {}

  caf::behavior make_behavior() override {
    home_ = open_room();
    return this->receive(
        [this](const Forward& forward) {
          ++counts_.forwards;
          this->tell(forward.turn, Close{Level::forwards});
        },
        [this](const Act& act) { take_turn(act.turn); },
        [this](const Invite& invite) {
          if (std::find(joined_.begin(), joined_.end(), invite.room) == joined_.end())
            joined_.push_back(invite.room);
          this->tell(invite.room, Join{this->self(), invite.turn});
        },
        [this](const Left& left) { forget(left); },
        [this](const Befriend& befriend) { friends_.push_back(befriend.client); },
        [this](Logout) { log_out(); });
  }

 private:
  [[nodiscard]] caf::actor open_room() {
    auto room = this->template create_lasting<Room<Run>>(this->self());
    const std::lock_guard guard{report_.mutex};
    report_.rooms.push_back(room);
    return room;
  }

  [[nodiscard]] bool happens(std::int64_t per_cent) { return dice_.below(100) < per_cent; }

  /// Does the first thing that the dice allow.
  void take_turn(const caf::actor& turn) {
    const auto r = static_cast<std::size_t>(rand_.next());
    const auto& room = joined_.empty() ? home_ : joined_[r % joined_.size()];
    if (happens(plan_.compute)) {
      ++counts_.compute;
      counts_.sum += fibonacci(plan_.fib);
      this->tell(turn, Close{Level::acts});
    } else if (happens(plan_.post)) {
      ++counts_.post;
      this->tell(room, Post{turn});
    } else if (happens(plan_.leave)) {
      ++counts_.leave;
      if (joined_.empty())
        this->tell(turn, Close{Level::acts});
      else
        leave(room, turn);
    } else if (happens(plan_.invite)) {
      ++counts_.invite;
      invite_friends(turn);
    } else {
      ++counts_.none;
      this->tell(turn, Close{Level::acts});
    }
  }

  /// Leaves a room; for good if this is nobody's turn.
  void leave(const caf::actor& room, const caf::actor& turn) {
    ++counts_.leaves;
    this->tell(room, Leave{this->self(), turn});
  }

  void invite_friends(const caf::actor& turn) {
    const auto room = open_room();
    Rng rng{rand_.next()};
    auto guests = friends_;
    for (auto i = guests.size(); i > 1; --i)
      std::swap(guests[i - 1], guests[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(i)))]);
    const auto n = length(guests);
    const auto invitations = n == 0 ? 0 : rng.below(n);
    if (invitations == 0) {
      this->tell(turn, Close{Level::acts});
      return;
    }
    counts_.invitations += invitations;
    this->tell(turn, Bump{Level::acts, Level::joins, invitations});
    this->tell_self(Invite{room, turn});
    for (std::size_t i = 1; i < static_cast<std::size_t>(invitations); ++i)
      this->tell(guests[i - 1], Invite{room, turn});
  }

  void forget(const Left& left) {
    joined_.erase(std::remove(joined_.begin(), joined_.end(), left.room), joined_.end());
    if (left.turn)
      this->tell(left.turn, Close{Level::acts});
    else if (joined_.empty())
      go();
  }

  void log_out() {
    for (const auto& room : joined_)
      leave(room, nullptr);
    if (joined_.empty())
      go();
  }

  void go() {
    this->tell(directory_, ClientLeft{counts_});
    friends_.clear(); // or friends would hold each other, and client and home, too
    home_ = nullptr;
    this->quit();
  }

  Report& report_;
  const Plan& plan_;
  caf::actor directory_;
  Rng dice_;
  Rng rand_;
  caf::actor home_;
  std::vector<caf::actor> friends_; // in order of arrival
  std::vector<caf::actor> joined_;  // in order of invitation
  Counts counts_;
};

template <class Run>
class Directory final : public Actor<Run> {
 public:
  Directory(caf::actor_config& config, Run& run, Report& report, const Plan& plan, caf::actor poker,
            std::int64_t seed)
      : Actor<Run>{config, run}, report_{report}, plan_{plan}, poker_{std::move(poker)}, rng_{seed} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Login) { log_in(); },
                         [this](const Poke& poke) {
                           for (const auto& client : clients_)
                             this->tell(client, Act{poke.turn});
                         },
                         [this](Disconnect) {
                           for (const auto& client : clients_)
                             this->tell(client, Logout{});
                           if (clients_.empty())
                             finish();
                         },
                         [this](const ClientLeft& client) {
                           add(counts_, client.counts);
                           if (++left_ == clients_.size())
                             finish();
                         });
  }

 private:
  void log_in() {
    const auto seed = rng_.next();
    auto newcomer = this->template create<Client<Run>>(report_, plan_, this->self(), seed);
    for (const auto& earlier : clients_) {
      if (rng_.below(100) >= plan_.befriend)
        continue;
      this->tell(earlier, Befriend{newcomer});
      this->tell(newcomer, Befriend{earlier});
      ++counts_.edges;
    }
    clients_.push_back(std::move(newcomer));
  }

  void finish() {
    this->tell(poker_, Finished{counts_});
    clients_.clear(); // or directory and clients would hold each other
    this->quit();
  }

  Report& report_;
  const Plan& plan_;
  caf::actor poker_;
  Rng rng_;
  std::vector<caf::actor> clients_; // in order of login
  std::size_t left_ = 0;
  Counts counts_;
};

template <class Run>
class Poker final : public Actor<Run> {
 public:
  Poker(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Confirm confirm) {
          report_.durations.push_back(confirm.duration);
          if (length(report_.durations) < plan_.turns)
            return;
          for (const auto& directory : directories_)
            this->tell(directory, Disconnect{});
        },
        [this](const Finished& directory) {
          add(report_.counts, directory.counts);
          if (++finished_ < directories_.size())
            return;
          directories_.clear(); // or poker and directories would hold each other
          this->quit();
          report_.finished.set_value();
        },
        [this](Start) { start(); });
  }

 private:
  void start() {
    Rng rng{plan_.seed};
    for (std::int64_t k = 0; k < plan_.directories; ++k)
      directories_.push_back(this->template create<Directory<Run>>(report_, plan_, this->self(), rng.next()));
    for (std::int64_t id = 0; id < plan_.clients; ++id)
      this->tell(directories_[static_cast<std::size_t>(id % plan_.directories)], Login{id});
    for (auto& traffic : report_.traffic) {
      auto turn = this->template create_lasting<Accumulator<Run>>(
          traffic, this->self(), length(report_.accumulators), plan_.clients);
      for (const auto& directory : directories_)
        this->tell(directory, Poke{turn});
      report_.accumulators.push_back(std::move(turn));
    }
  }

  Report& report_;
  const Plan& plan_;
  std::vector<caf::actor> directories_;
  std::size_t finished_ = 0;
};

struct Statistics {
  double mean;
  double median;
  double deviation; // of the population
};

/// In nanoseconds; there must be a duration.
Statistics describe(std::vector<std::chrono::nanoseconds> durations) {
  std::sort(durations.begin(), durations.end());
  const auto n = durations.size();
  const auto at = [&](std::size_t i) { return static_cast<double>(durations[i].count()); };
  Statistics result{0.0, (at((n - 1) / 2) + at(n / 2)) / 2, 0.0};
  for (std::size_t i = 0; i < n; ++i)
    result.mean += at(i) / static_cast<double>(n);
  auto variance = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    variance += (at(i) - result.mean) * (at(i) - result.mean) / static_cast<double>(n);
  result.deviation = std::sqrt(variance);
  return result;
}

/// Stops what lasts beyond the timed region.
template <class Run>
void stop_rest(Run& run, Report& report) {
  for (const auto& room : report.rooms)
    Run::stop(room);
  for (const auto& accumulator : report.accumulators)
    Run::stop(accumulator);
  report.rooms.clear();
  report.accumulators.clear();
  run.finish();
}

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["clients"], parameters["turns"], parameters["dirs"],   parameters["compute"],
                  parameters["post"],    parameters["leave"], parameters["invite"], parameters["befriend"],
                  parameters["fib"],     parameters["seed"]};
  Report report;
  report.traffic.resize(static_cast<std::size_t>(plan.turns));
  run.timed([&] {
    run.send(run.template spawn<Poker<Run>>(report, plan), Start{});
    report.finished.get_future().wait(); // from here on nobody creates any more
  });
  stop_rest(run, report);
  Traffic traffic;
  for (const auto& turn : report.traffic)
    traffic = {traffic.bumps + turn.bumps, traffic.closes + turn.closes};
  const auto turns = describe(std::move(report.durations));
  const auto& counts = report.counts;
  return {counts.sum,
          {{"edges", counts.edges},
           {"compute", counts.compute},
           {"post", counts.post},
           {"leave", counts.leave},
           {"invite", counts.invite},
           {"none", counts.none},
           {"invitations", counts.invitations}},
          {{"forwards", counts.forwards},
           {"bumps", traffic.bumps},
           {"closes", traffic.closes},
           {"leaves", counts.leaves},
           {"turn_mean_ns", turns.mean},
           {"turn_median_ns", turns.median},
           {"turn_stdev_ns", turns.deviation}}};
}

} // namespace chat

Benchmark entry::chat() {
  return {"chat",
          {{"clients", at_least(1)},
           {"turns", at_least(1)},
           {"dirs", at_least(1)},
           {"compute", between(0, 100)},
           {"post", between(0, 100)},
           {"leave", between(0, 100)},
           {"invite", between(0, 100)},
           {"befriend", between(0, 100)},
           {"fib", at_least(0)},
           {"seed", any_integer()}},
          chat::run<Run<false>>,
          chat::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_chat>};
}

} // namespace scoville
