// The smallest CAF program for six of the benchmarks: lambdas, atoms and handles, without anything that the
// peer has in between. Beside it the peer shows what its classes and its counted sends cost.
//
//     direct WORKERS BENCHMARK ITERATIONS SIZE...
//
// prints the nanoseconds of each iteration and fails if a result is wrong. For CAF 0.17: later versions
// declare atoms and send in another way.
#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using caf::actor;
using caf::actor_system;
using caf::behavior;
using caf::event_based_actor;
using std::int64_t;

using Start = caf::atom_constant<caf::atom("start")>;
using Next = caf::atom_constant<caf::atom("next")>;
using Stop = caf::atom_constant<caf::atom("stop")>;
using Ball = caf::atom_constant<caf::atom("ball")>;
using Back = caf::atom_constant<caf::atom("back")>;
using Increment = caf::atom_constant<caf::atom("increment")>;
using Retrieve = caf::atom_constant<caf::atom("retrieve")>;
using Meet = caf::atom_constant<caf::atom("meet")>;
using Change = caf::atom_constant<caf::atom("change")>;
using Count = caf::atom_constant<caf::atom("count")>;
using Ping = caf::atom_constant<caf::atom("ping")>;
using Pong = caf::atom_constant<caf::atom("pong")>;

using Sizes = std::vector<int64_t>;

void require(bool holds, const char* what) {
  if (!holds)
    throw std::runtime_error(what);
}

int64_t sum_to(int64_t n) {
  return n * (n + 1) / 2;
}

behavior be_pong(event_based_actor* self) {
  return {[self](Ball, const actor& from, int64_t n) { self->send(from, Back::value, actor{self}, n); },
          [self](Stop) { self->quit(); }};
}

struct PingState {
  int64_t left = 0;
  int64_t sum = 0;
};

behavior be_ping(caf::stateful_actor<PingState>* self, const actor& pong, int64_t pings, int64_t* result) {
  self->state.left = pings;
  const auto serve = [self, pong] { self->send(pong, Ball::value, actor{self}, self->state.left--); };
  return {[serve](Start) { serve(); }, [serve](Next) { serve(); },
          [self, pong, result](Back, const actor&, int64_t n) {
            self->state.sum += n;
            if (self->state.left > 0) {
              self->send(self, Next::value);
            } else {
              self->send(pong, Stop::value);
              *result = self->state.sum;
              self->quit();
            }
          }};
}

void pingpong(actor_system& system, const Sizes& sizes) {
  int64_t result = 0;
  const auto pong = system.spawn(be_pong);
  caf::anon_send(system.spawn(be_ping, pong, sizes[0], &result), Start::value);
  system.await_all_actors_done();
  require(result == sum_to(sizes[0]), "a wrong sum");
}

// Serves as soon as the ball is back, without a message to itself.
behavior be_bare_ping(caf::stateful_actor<PingState>* self, const actor& pong, int64_t pings,
                      int64_t* result) {
  self->state.left = pings;
  const auto serve = [self, pong, result] {
    if (self->state.left > 0) {
      self->send(pong, Ball::value, actor{self}, self->state.left--);
    } else {
      self->send(pong, Stop::value);
      *result = self->state.sum;
      self->quit();
    }
  };
  return {[serve](Start) { serve(); },
          [self, serve](Back, const actor&, int64_t n) {
            self->state.sum += n;
            serve();
          }};
}

void pingpong_bare(actor_system& system, const Sizes& sizes) {
  int64_t result = 0;
  const auto pong = system.spawn(be_pong);
  caf::anon_send(system.spawn(be_bare_ping, pong, sizes[0], &result), Start::value);
  system.await_all_actors_done();
  require(result == sum_to(sizes[0]), "a wrong sum");
}

struct CounterState {
  int64_t count = 0;
};

behavior be_counter(caf::stateful_actor<CounterState>* self) {
  return {[self](Increment) { ++self->state.count; },
          [self](Retrieve, const actor& from) {
            self->send(from, self->state.count);
            self->quit();
          }};
}

behavior be_producer(event_based_actor* self, const actor& counter, int64_t messages, int64_t* result) {
  return {[self, counter, messages](Start) {
            for (int64_t i = 0; i < messages; ++i)
              self->send(counter, Increment::value);
            self->send(counter, Retrieve::value, actor{self});
          },
          [self, result](int64_t count) {
            *result = count;
            self->quit();
          }};
}

void count(actor_system& system, const Sizes& sizes) {
  int64_t result = -1;
  const auto counter = system.spawn(be_counter);
  caf::anon_send(system.spawn(be_producer, counter, sizes[0], &result), Start::value);
  system.await_all_actors_done();
  require(result == sizes[0], "a wrong count");
}

behavior be_worker(event_based_actor* self, std::atomic<int64_t>* sum, int64_t id) {
  return {[self, sum, id](double theta) {
    const auto sine = std::sin(theta);
    require(sine * sine > 0, "the square of the sine is not positive");
    sum->fetch_add(id, std::memory_order_relaxed); // read after the join
    self->quit();
  }};
}

void fjcreate(actor_system& system, const Sizes& sizes) {
  std::atomic<int64_t> sum = 0;
  for (int64_t id = 1; id <= sizes[0]; ++id)
    caf::anon_send(system.spawn(be_worker, &sum, id), 37.2);
  system.await_all_actors_done();
  require(sum.load() == sum_to(sizes[0]), "a wrong sum");
}

struct Response {
  int64_t value = 0;
  int64_t actors = 1;
};

struct CallState {
  int got = 0;
  Response response;
};

using Call = caf::stateful_actor<CallState>;

// The root has no parent and reports instead.
void finish(Call* self, const actor& parent, Response* result) {
  const auto response = self->state.response;
  if (parent)
    self->send(parent, response.value, response.actors);
  else
    *result = response;
  self->quit();
}

void gather(Call* self, const actor& parent, Response* result, int64_t value, int64_t actors) {
  auto& state = self->state;
  state.response.value += value;
  state.response.actors += actors;
  if (++state.got == 2)
    finish(self, parent, result);
}

behavior be_call(Call* self, const actor& parent, Response* result) {
  return {
      [self, parent, result](int64_t n) {
        if (n <= 2) {
          self->state.response.value = 1;
          finish(self, parent, result);
          return;
        }
        for (const auto next : {n - 1, n - 2})
          self->send(self->spawn(be_call, actor{self}, result), next);
      },
      [self, parent, result](int64_t value, int64_t actors) { gather(self, parent, result, value, actors); }};
}

// Gets its number when it is made.
behavior be_bare_call(Call* self, const actor& parent, Response* result, int64_t n) {
  if (n <= 2) {
    self->state.response.value = 1;
    finish(self, parent, result);
    return {};
  }
  for (const auto next : {n - 1, n - 2})
    self->spawn(be_bare_call, actor{self}, result, next);
  return {
      [self, parent, result](int64_t value, int64_t actors) { gather(self, parent, result, value, actors); }};
}

void require_fib(const Response& response, int64_t n) {
  int64_t a = 0;
  int64_t b = 1;
  for (; n > 0; --n)
    a = std::exchange(b, a + b);
  require(response.value == a && response.actors == 2 * a - 1, "a wrong number");
}

void fib(actor_system& system, const Sizes& sizes) {
  Response result;
  caf::anon_send(system.spawn(be_call, actor{}, &result), sizes[0]);
  system.await_all_actors_done();
  require_fib(result, sizes[0]);
}

void fib_bare(actor_system& system, const Sizes& sizes) {
  Response result;
  system.spawn(be_bare_call, actor{}, &result, sizes[0]);
  system.await_all_actors_done();
  require_fib(result, sizes[0]);
}

struct CreatureState {
  int64_t colour = 0;
  int64_t met = 0;
};

behavior be_creature(caf::stateful_actor<CreatureState>* self, const actor& mall, int64_t colour) {
  self->state.colour = colour;
  self->send(mall, Meet::value, colour, actor{self});
  return {[self, mall](Meet, int64_t other, const actor& who) {
            auto& own = self->state.colour;
            own = own == other ? own : 3 - own - other;
            ++self->state.met;
            self->send(who, Change::value, own);
            self->send(mall, Meet::value, own, actor{self});
          },
          [self, mall](Change, int64_t changed) {
            self->state.colour = changed;
            ++self->state.met;
            self->send(mall, Meet::value, changed, actor{self});
          },
          [self, mall](Stop) {
            self->send(mall, Count::value, self->state.met);
            self->quit();
          }};
}

struct MallState {
  int64_t left = 0;
  int64_t creatures = 0;
  int64_t sum = 0;
  actor waiting;
};

behavior be_mall(caf::stateful_actor<MallState>* self, int64_t creatures, int64_t meetings, int64_t* result) {
  self->state.left = meetings;
  self->state.creatures = creatures;
  for (int64_t id = 0; id < creatures; ++id)
    self->spawn(be_creature, actor{self}, id % 3);
  return {[self](Meet, int64_t colour, const actor& who) {
            auto& state = self->state;
            if (state.left == 0) {
              self->send(who, Stop::value);
            } else if (!state.waiting) {
              state.waiting = who;
            } else {
              --state.left;
              self->send(state.waiting, Meet::value, colour, who);
              state.waiting = nullptr;
            }
          },
          [self, result](Count, int64_t met) {
            self->state.sum += met;
            if (--self->state.creatures == 0) {
              *result = self->state.sum;
              self->quit();
            }
          }};
}

void chameneos(actor_system& system, const Sizes& sizes) {
  int64_t result = 0;
  system.spawn(be_mall, sizes[0], sizes[1], &result);
  system.await_all_actors_done();
  require(result == 2 * sizes[1], "a wrong number of meetings");
}

// What the players of big share. Handles in it would keep everybody alive, so the driver empties it at the
// end.
struct Game {
  std::vector<actor> players;
  std::atomic<int64_t> playing = 0;
  std::atomic<int64_t> received = 0;
};

struct PlayerState {
  int64_t left = 0;
  int64_t random = 0;
  int64_t expect = -1;
  int64_t received = 0;
};

behavior be_player(caf::stateful_actor<PlayerState>* self, Game* game, int64_t id, int64_t pings) {
  self->state.left = pings;
  self->state.random = id;
  const auto player = [game](int64_t number) { return game->players[static_cast<std::size_t>(number)]; };
  return {[self, player, id](Ping, int64_t from) {
            ++self->state.received;
            self->send(player(from), Pong::value, id);
          },
          [self, player, game, id](Pong, int64_t from) {
            auto& state = self->state;
            require(from == state.expect, "a pong from another than was pinged");
            if (state.left == 0) {
              if (game->playing.fetch_sub(1) == 1)
                for (const auto& each : game->players)
                  self->send(each, Stop::value);
              return;
            }
            --state.left;
            state.random = (state.random * 1309 + 13849) & 65535;
            state.expect = state.random % static_cast<int64_t>(game->players.size());
            self->send(player(state.expect), Ping::value, id);
          },
          [self, game](Stop) {
            game->received.fetch_add(self->state.received, std::memory_order_relaxed); // read after the join
            self->quit();
          }};
}

void big(actor_system& system, const Sizes& sizes) {
  Game game;
  game.playing = sizes[1];
  for (int64_t id = 0; id < sizes[1]; ++id)
    game.players.push_back(system.spawn(be_player, &game, id, sizes[0]));
  for (const auto& player : game.players)
    caf::anon_send(player, Pong::value, int64_t{-1});
  system.await_all_actors_done();
  require(game.received.load() == sizes[0] * sizes[1], "a wrong number of pings");
}

struct Program {
  std::size_t sizes;
  void (*run)(actor_system&, const Sizes&);
};

// The bare programs send a message fewer where CAF needs none.
const std::map<std::string, Program> programs{{"pingpong", {1, pingpong}},
                                              {"pingpong-bare", {1, pingpong_bare}},
                                              {"count", {1, count}},
                                              {"fjcreate", {1, fjcreate}},
                                              {"fib", {1, fib}},
                                              {"fib-bare", {1, fib_bare}},
                                              {"chameneos", {2, chameneos}},
                                              {"big", {2, big}}};

void run(const std::vector<std::string>& arguments) {
  require(arguments.size() > 3, "usage: direct WORKERS BENCHMARK ITERATIONS SIZE...");
  const auto& program = programs.at(arguments[1]);
  Sizes sizes;
  for (std::size_t i = 3; i < arguments.size(); ++i)
    sizes.push_back(std::stoll(arguments[i]));
  require(sizes.size() == program.sizes, "a wrong number of sizes");
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("stealing"));
  config.set("scheduler.max-threads", static_cast<int64_t>(std::stoll(arguments[0])));
  actor_system system{config};
  for (auto i = std::stoll(arguments[2]); i > 0; --i) {
    const auto began = std::chrono::steady_clock::now();
    program.run(system, sizes);
    const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - began;
    std::cout << wall.count() << std::endl;
  }
}

} // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "direct: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
