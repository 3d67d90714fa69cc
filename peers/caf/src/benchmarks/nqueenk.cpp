// N-Queens, first K solutions: a master deals partial boards round robin until they are small enough.
#include "../actor.hpp"

#include <algorithm>
#include <array>

namespace scoville::nqueenk {

/// Columns of the queens, row by row.
using Board = std::vector<std::int32_t>;

struct Work {
  std::int64_t priority;
  Board board;
  std::int64_t depth;
};
struct NewWork {
  std::int64_t priority;
  Board board;
  std::int64_t depth;
};
struct Result {};
struct Done {};
struct Stop {};
struct Stopped {};

} // namespace scoville::nqueenk

CAF_BEGIN_TYPE_ID_BLOCK(scoville_nqueenk, caf::first_custom_type_id + 380)
  SCOVILLE_MESSAGE(scoville_nqueenk, scoville::nqueenk::Work)
  SCOVILLE_MESSAGE(scoville_nqueenk, scoville::nqueenk::NewWork)
  SCOVILLE_MESSAGE(scoville_nqueenk, scoville::nqueenk::Result)
  SCOVILLE_MESSAGE(scoville_nqueenk, scoville::nqueenk::Done)
  SCOVILLE_MESSAGE(scoville_nqueenk, scoville::nqueenk::Stop)
  SCOVILLE_MESSAGE(scoville_nqueenk, scoville::nqueenk::Stopped)
CAF_END_TYPE_ID_BLOCK(scoville_nqueenk)

namespace scoville {

namespace nqueenk {

constexpr std::int64_t largest_side = 20;

struct Plan {
  std::int64_t workers;
  std::int64_t side;
  std::int64_t threshold;
  std::int64_t wanted;
  std::int64_t priorities;
};

struct Report {
  std::int64_t results = 0;
  std::int64_t items = 0;
};

/// Tests all pairs, also those that were tested before: this is the workload.
bool valid(const Board& board) {
  for (auto i = board.begin(); i != board.end(); ++i) {
    std::int32_t distance = 1;
    for (auto j = i + 1; j != board.end(); ++j, ++distance) {
      if (*j == *i || *j == *i - distance || *j == *i + distance)
        return false;
    }
  }
  return true;
}

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, const Plan& plan)
      : Actor<Run>{config, run}, master_{std::move(master)}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Work& work) {
          if (work.depth < std::min(plan_.threshold, plan_.side))
            divide(work);
          else
            search(work.board);
          this->tell(master_, Done{});
        },
        [this](Stop) {
          this->tell(master_, Stopped{});
          this->quit();
        });
  }

 private:
  void divide(const Work& work) {
    const auto priority = std::max<std::int64_t>(0, work.priority - 1);
    for (std::int32_t column = 0; column < plan_.side; ++column) {
      Board board;
      board.reserve(work.board.size() + 1);
      board = work.board;
      board.push_back(column);
      if (valid(board))
        this->tell(master_, NewWork{priority, std::move(board), work.depth + 1});
    }
  }

  void search(const Board& board) {
    if (length(board) == plan_.side) {
      this->tell(master_, Result{});
      return;
    }
    auto& longer = levels_[board.size()];
    longer.resize(board.size() + 1);
    for (std::int32_t column = 0; column < plan_.side; ++column) {
      std::copy(board.begin(), board.end(), longer.begin());
      longer.back() = column;
      if (valid(longer))
        search(longer);
    }
  }

  caf::actor master_;
  Plan plan_;
  std::array<Board, largest_side> levels_; // the boards of a search, by depth; kept for their memory
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan} {}

  caf::behavior make_behavior() override {
    for (std::int64_t w = 0; w < plan_.workers; ++w)
      workers_.push_back(this->template create<Worker<Run>>(this->self(), plan_));
    dispatch(Work{plan_.priorities - 1, {}, 0});
    return this->receive(
        [this](NewWork& more) {
          if (!stopping_)
            dispatch(Work{more.priority, std::move(more.board), more.depth});
        },
        [this](Result) {
          if (++report_.results == plan_.wanted)
            stop_all();
        },
        [this](Done) {
          if (++completed_ == report_.items)
            stop_all();
        },
        [this](Stopped) {
          if (++stopped_ == workers_.size()) {
            workers_.clear(); // or master and workers would hold each other
            this->quit();
          }
        });
  }

 private:
  void dispatch(Work&& work) {
    const auto worker = static_cast<std::size_t>(report_.items) % workers_.size();
    this->tell(workers_[worker], std::move(work));
    ++report_.items;
  }

  void stop_all() {
    if (std::exchange(stopping_, true))
      return;
    for (const auto& worker : workers_)
      this->tell(worker, Stop{});
  }

  Report& report_;
  Plan plan_;
  std::vector<caf::actor> workers_;
  std::int64_t completed_ = 0;
  std::size_t stopped_ = 0;
  bool stopping_ = false;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["w"], parameters["n"], parameters["t"], parameters["k"], parameters["p"]};
  Report report;
  run.timed([&] { static_cast<void>(run.template spawn<Master<Run>>(report, plan)); });
  Outcome outcome{std::min(report.results, plan.wanted)};
  // With fewer solutions than were wanted every board was searched: their number is then fixed.
  (report.results < plan.wanted ? outcome.checks : outcome.metrics).emplace("items", report.items);
  outcome.metrics.emplace("results", report.results);
  return outcome;
}

} // namespace nqueenk

Benchmark entry::nqueenk() {
  return {"nqueenk",
          {{"w", at_least(1)},
           {"n", between(1, nqueenk::largest_side)},
           {"t", between(1, 20)},
           {"k", at_least(1)},
           {"p", between(1, 29)}},
          nqueenk::run<Run<false>>,
          nqueenk::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_nqueenk>};
}

} // namespace scoville
