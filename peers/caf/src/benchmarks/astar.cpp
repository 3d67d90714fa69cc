// A-Star on a grid: workers claim the nodes of a shared graph, and a master hands round what they leave.
#include "../actor.hpp"
#include "../busy.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace scoville::astar {

struct Work {
  std::int32_t node;
  std::int32_t target;
  std::int64_t priority;
};
struct NewWork {
  Work work;
};
struct Received {};
struct Found {};
struct Stop {};
struct Stopped {
  std::int64_t processed;
  std::int64_t spins;
};

} // namespace scoville::astar

CAF_BEGIN_TYPE_ID_BLOCK(scoville_astar, caf::first_custom_type_id + 360)
  SCOVILLE_MESSAGE(scoville_astar, scoville::astar::Work)
  SCOVILLE_MESSAGE(scoville_astar, scoville::astar::NewWork)
  SCOVILLE_MESSAGE(scoville_astar, scoville::astar::Received)
  SCOVILLE_MESSAGE(scoville_astar, scoville::astar::Found)
  SCOVILLE_MESSAGE(scoville_astar, scoville::astar::Stop)
  SCOVILLE_MESSAGE(scoville_astar, scoville::astar::Stopped)
CAF_END_TYPE_ID_BLOCK(scoville_astar)

namespace scoville {

namespace astar {

constexpr std::int32_t unclaimed = -1;
constexpr std::int32_t no_parent = -2; // of the origin

/// The graph, and who claimed which node: all that the actors share.
class Graph {
 public:
  explicit Graph(std::int64_t side)
      : side_{static_cast<std::int32_t>(side)}, parents_(static_cast<std::size_t>(side * side * side)) {
    J48 rng{123456};
    for (std::int32_t node = 0; node < size(); ++node)
      draw_neighbours(node, rng);
    for (auto& parent : parents_)
      parent.store(unclaimed, std::memory_order_relaxed);
    parents_[0].store(no_parent, std::memory_order_relaxed); // creating the actors publishes all of it
  }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(parents_.size()); }

  [[nodiscard]] std::int32_t target() const {
    const auto t = 4 * side_ / 5;
    return id({t, t, t});
  }

  /// How far a node is from the far corner, in eighths.
  [[nodiscard]] std::int64_t distance(std::int32_t node) const {
    const auto at = position(node);
    return (side_ - *std::min_element(at.begin(), at.end())) / 8;
  }

  /// Calls `visit` for each neighbour in order until it returns false.
  template <class Visit>
  void for_neighbours(std::int32_t node, Visit visit) const {
    const auto from = offsets_[static_cast<std::size_t>(node)];
    const auto to = offsets_[static_cast<std::size_t>(node) + 1];
    for (auto i = from; i < to; ++i) {
      if (!visit(neighbours_[i]))
        return;
    }
  }

  /// Makes `by` the parent of a child that has none.
  bool claim(std::int32_t child, std::int32_t by) {
    // The nodes carry no data but their parent, which is read after the join.
    auto expected = unclaimed;
    return parents_[static_cast<std::size_t>(child)].compare_exchange_strong(expected, by,
                                                                             std::memory_order_relaxed);
  }

  /// Edges from the origin to a node by the claims; nothing if they do not lead there.
  [[nodiscard]] std::optional<std::int64_t> path_length(std::int32_t node) const {
    for (std::int64_t length = 0; length < size() && node >= 0; ++length) {
      const auto parent = parents_[static_cast<std::size_t>(node)].load(std::memory_order_relaxed);
      if (parent == no_parent)
        return length;
      node = parent;
    }
    return std::nullopt;
  }

 private:
  using Position = std::array<std::int32_t, 3>;

  [[nodiscard]] std::int32_t id(Position at) const { return (at[0] * side_ + at[1]) * side_ + at[2]; }
  [[nodiscard]] Position position(std::int32_t node) const {
    return {node / (side_ * side_), node / side_ % side_, node % side_};
  }

  void draw_neighbours(std::int32_t node, J48& rng) {
    const auto at = position(node);
    const auto first = neighbours_.size();
    const auto step = [&](std::int32_t i, std::uint32_t bit) {
      return std::min(side_ - 1, i + static_cast<std::int32_t>(bit));
    };
    for (std::uint32_t s = 1; s < 7; ++s) { // every corner of a cube but the first and the last
      const auto must = s == 6 && neighbours_.size() == first;
      if (!must && !rng.coin())
        continue;
      const auto other = id({step(at[0], s >> 2U), step(at[1], s >> 1U & 1U), step(at[2], s & 1U)});
      const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(first);
      if (other != node && std::find(begin, neighbours_.end(), other) == neighbours_.end())
        neighbours_.push_back(other);
    }
    offsets_.push_back(neighbours_.size());
  }

  std::int32_t side_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::int32_t> neighbours_;
  std::vector<std::atomic<std::int32_t>> parents_;
};

struct Plan {
  std::int64_t workers;
  std::int64_t nodes_per_item;
  std::int64_t priorities;
  bool first; // stop at the target
};

struct Report {
  Stopped total{};
  std::int64_t items = 0;
  bool found = false;
};

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, Graph& graph, const Plan& plan)
      : Actor<Run>{config, run}, master_{std::move(master)}, graph_{graph}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Work work) {
          search(work);
          this->tell(master_, Received{});
        },
        [this](Stop) {
          this->tell(master_, Stopped{total_});
          this->quit();
        });
  }

 private:
  void search(const Work& work) {
    queue_.assign(1, work.node);
    std::size_t head = 0;
    for (std::int64_t n = 0; head < queue_.size() && n < plan_.nodes_per_item; ++n) {
      if (!expand(queue_[head++], work.target)) {
        this->tell(master_, Found{});
        return;
      }
    }
    for (; head < queue_.size(); ++head) {
      const auto node = queue_[head];
      this->tell(master_, NewWork{{node, work.target, std::abs(plan_.priorities - graph_.distance(node))}});
    }
  }

  /// Claims the neighbours of a node; false if one of them ends the search.
  bool expand(std::int32_t node, std::int32_t target) {
    total_.spins += spin(node, 100);
    ++total_.processed;
    auto more = true;
    graph_.for_neighbours(node, [&](std::int32_t neighbour) {
      if (!graph_.claim(neighbour, node))
        return true;
      more = !(plan_.first && neighbour == target);
      if (more)
        queue_.push_back(neighbour);
      return more;
    });
    return more;
  }

  caf::actor master_;
  Graph& graph_;
  Plan plan_;
  Stopped total_{};
  std::vector<std::int32_t> queue_; // empty between two items; kept for its memory
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Report& report, Graph& graph, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, graph_{graph}, plan_{plan} {}

  caf::behavior make_behavior() override {
    for (std::int64_t w = 0; w < plan_.workers; ++w)
      workers_.push_back(this->template create<Worker<Run>>(this->self(), graph_, plan_));
    dispatch({0, graph_.target(), std::abs(plan_.priorities - graph_.distance(0))});
    return this->receive(
        [this](const NewWork& more) {
          if (!stopping_)
            dispatch(more.work);
        },
        [this](Received) {
          if (++completed_ == report_.items)
            stop_all();
        },
        [this](Found) {
          report_.found = true;
          stop_all();
        },
        [this](Stopped stopped) {
          report_.total.processed += stopped.processed;
          report_.total.spins += stopped.spins;
          if (++stopped_ == workers_.size()) {
            workers_.clear(); // or master and workers would hold each other
            this->quit();
          }
        });
  }

 private:
  void dispatch(const Work& work) {
    const auto worker = static_cast<std::size_t>(report_.items) % workers_.size();
    this->tell(workers_[worker], Work{work});
    ++report_.items;
  }

  void stop_all() {
    if (std::exchange(stopping_, true))
      return;
    for (const auto& worker : workers_)
      this->tell(worker, Stop{});
  }

  Report& report_;
  Graph& graph_;
  Plan plan_;
  std::vector<caf::actor> workers_;
  std::int64_t completed_ = 0;
  std::size_t stopped_ = 0;
  bool stopping_ = false;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["w"], parameters["t"], parameters["p"], parameters.word("mode") == "first"};
  Graph graph{parameters["g"]};
  Report report;
  run.timed([&] { static_cast<void>(run.template spawn<Master<Run>>(report, graph, plan)); });
  if (!plan.first)
    return {report.total.processed, {{"spins", report.total.spins}}, {{"items", report.items}}};
  const auto length = graph.path_length(graph.target());
  return {
      static_cast<std::int64_t>(report.found),
      {{"valid", static_cast<std::int64_t>(length.has_value())}},
      {{"items", report.items}, {"processed", report.total.processed}, {"path_length", length.value_or(-1)}}};
}

} // namespace astar

Benchmark entry::astar() {
  return {"astar",
          {{"w", between(1, 4096)},
           {"g", between(5, 248)},
           {"t", at_least(1)},
           {"p", between(1, 31)},
           {"mode", one_of({"exhaust", "first"})}},
          astar::run<Run<false>>,
          astar::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_astar>};
}

} // namespace scoville
