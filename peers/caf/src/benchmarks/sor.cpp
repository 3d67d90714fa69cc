// Successive Over-Relaxation: one actor for each cell of a grid, which two owners share.
#include "../actor.hpp"
#include "../rng.hpp"

namespace scoville::sor {

struct Boot {};
struct Border {
  std::vector<caf::actor> cells;
};
struct Start {
  std::vector<caf::actor> neighbours;
};
struct Value {
  double v;
};
struct CellResult {
  std::int64_t i;
  std::int64_t j;
  double value;
  std::int64_t received;
};
struct PeerResult {
  double total;
  std::int64_t received;
};

} // namespace scoville::sor

CAF_BEGIN_TYPE_ID_BLOCK(scoville_sor, caf::first_custom_type_id + 600)
  SCOVILLE_MESSAGE(scoville_sor, scoville::sor::Boot)
  SCOVILLE_MESSAGE(scoville_sor, scoville::sor::Border)
  SCOVILLE_MESSAGE(scoville_sor, scoville::sor::Start)
  SCOVILLE_MESSAGE(scoville_sor, scoville::sor::Value)
  SCOVILLE_MESSAGE(scoville_sor, scoville::sor::CellResult)
  SCOVILLE_MESSAGE(scoville_sor, scoville::sor::PeerResult)
CAF_END_TYPE_ID_BLOCK(scoville_sor)

namespace scoville {

namespace sor {

struct Plan {
  std::int64_t side;
  std::int64_t iterations;
  double omega;
  std::vector<double> start; // row by row
};

template <class Run>
class Cell final : public Actor<Run> {
 public:
  Cell(caf::actor_config& config, Run& run, caf::actor owner, const Plan& plan, std::int64_t i,
       std::int64_t j)
      : Actor<Run>{config, run},
        owner_{std::move(owner)},
        last_{plan.iterations},
        omega_{plan.omega},
        i_{i},
        j_{j},
        first_{(i + j) % 2 == 0},
        value_{plan.start[static_cast<std::size_t>(i * plan.side + j)]} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Value value) {
          if (started_)
            take(value.v);
          else
            early_.push_back(value.v);
        },
        [this](Start& start) {
          neighbours_ = std::move(start.neighbours);
          begin();
        });
  }

 private:
  void begin() {
    started_ = true;
    if (first_) {
      publish();
      iteration_ = 1;
      ++received_;
    }
    for (const auto v : early_)
      take(v);
    early_ = {};
  }

  void publish() {
    for (const auto& neighbour : neighbours_)
      this->tell(neighbour, Value{value_});
  }

  void take(double v) {
    ++received_;
    sum_ += v;
    if (++count_ < neighbours_.size())
      return;
    value_ = (0.25 * omega_) * sum_ + (1 - omega_) * value_;
    sum_ = 0.0;
    count_ = 0;
    ++iteration_;
    // The last values of those that are never first would find their receivers gone.
    if (first_ || iteration_ < last_)
      publish();
    if (iteration_ == last_) {
      this->tell(owner_, CellResult{i_, j_, value_, received_});
      neighbours_.clear(); // or neighbours would hold each other
      this->quit();
    }
  }

  caf::actor owner_;
  std::int64_t last_;
  double omega_;
  std::int64_t i_;
  std::int64_t j_;
  bool first_; // of the colour that begins
  double value_;
  std::vector<caf::actor> neighbours_;
  std::vector<double> early_; // what came before Start
  bool started_ = false;
  std::int64_t iteration_ = 0;
  double sum_ = 0.0;
  std::size_t count_ = 0;
  std::int64_t received_ = 0;
};

/// The columns of one owner.
class Half {
 public:
  Half(const Plan& plan, std::int64_t from, std::int64_t to) : plan_{&plan}, from_{from}, to_{to} {}

  /// Creates the cells; `create` is given row and column.
  template <class Create>
  void fill(Create create) {
    for (std::int64_t i = 0; i < plan_->side; ++i) {
      for (auto j = from_; j < to_; ++j)
        cells_.push_back(create(i, j));
    }
  }

  /// The cells of a column.
  [[nodiscard]] std::vector<caf::actor> column(std::int64_t j) const {
    std::vector<caf::actor> result;
    for (std::int64_t i = 0; i < plan_->side; ++i)
      result.push_back(own(i, j));
    return result;
  }

  /// Calls `start` with each cell and its neighbours. `border` are the other owner's cells next to this half.
  template <class Start>
  void start_all(const std::vector<caf::actor>& border, Start start) const {
    for (std::int64_t i = 0; i < plan_->side; ++i) {
      for (auto j = from_; j < to_; ++j)
        start(own(i, j), neighbours(border, i, j));
    }
  }

  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  void clear() { cells_.clear(); }

 private:
  [[nodiscard]] const caf::actor& own(std::int64_t i, std::int64_t j) const {
    return cells_[static_cast<std::size_t>(i * (to_ - from_) + j - from_)];
  }

  [[nodiscard]] std::vector<caf::actor> neighbours(const std::vector<caf::actor>& border, std::int64_t i,
                                                   std::int64_t j) const {
    std::vector<caf::actor> result;
    const auto add = [&](std::int64_t row, std::int64_t column) {
      if (row < 0 || row >= plan_->side || column < 0 || column >= plan_->side)
        return;
      const auto is_own = column >= from_ && column < to_;
      result.push_back(is_own ? own(row, column) : border[static_cast<std::size_t>(row)]);
    };
    add(i, j + 1);
    add(i + 1, j);
    add(i, j - 1);
    add(i - 1, j);
    return result;
  }

  const Plan* plan_; // never null
  std::int64_t from_;
  std::int64_t to_;
  std::vector<caf::actor> cells_; // row by row
};

template <class Run>
class Peer final : public Actor<Run> {
 public:
  Peer(caf::actor_config& config, Run& run, caf::actor runner, const Plan& plan,
       std::vector<caf::actor> border)
      : Actor<Run>{config, run},
        runner_{std::move(runner)},
        plan_{plan},
        border_{std::move(border)},
        half_{plan, plan.side / 2, plan.side} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const CellResult& cell) { add(cell); }, [this](Boot) { boot(); });
  }

 private:
  void boot() {
    half_.fill(
        [this](auto i, auto j) { return this->template create<Cell<Run>>(this->self(), plan_, i, j); });
    this->tell(runner_, Border{half_.column(plan_.side / 2)});
    half_.start_all(border_, [this](const caf::actor& cell, std::vector<caf::actor> neighbours) {
      this->tell(cell, Start{std::move(neighbours)});
    });
  }

  void add(const CellResult& cell) {
    total_.total += cell.value;
    total_.received += cell.received;
    if (++returned_ < half_.size())
      return;
    this->tell(runner_, PeerResult{total_});
    half_.clear(); // or owner and cells would hold each other
    border_.clear();
    this->quit();
  }

  caf::actor runner_;
  const Plan& plan_;
  std::vector<caf::actor> border_;
  Half half_;
  std::size_t returned_ = 0;
  PeerResult total_{};
};

template <class Run>
class Runner final : public Actor<Run> {
 public:
  Runner(caf::actor_config& config, Run& run, PeerResult& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan}, half_{plan, 0, plan.side / 2} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const CellResult& cell) { add(cell.value, cell.received); },
        [this](const PeerResult& peer) { add(peer.total, peer.received); },
        [this](const Border& border) {
          half_.start_all(border.cells, [this](const caf::actor& cell, std::vector<caf::actor> neighbours) {
            this->tell(cell, Start{std::move(neighbours)});
          });
        },
        [this](Boot) { boot(); });
  }

 private:
  void boot() {
    half_.fill(
        [this](auto i, auto j) { return this->template create<Cell<Run>>(this->self(), plan_, i, j); });
    this->tell(this->template create<Peer<Run>>(this->self(), plan_, half_.column(plan_.side / 2 - 1)),
               Boot{});
  }

  void add(double value, std::int64_t received) {
    total_.total += value;
    total_.received += received;
    if (++returned_ < half_.size() + 1) // the Peer reports too
      return;
    report_ = total_;
    half_.clear(); // or owner and cells would hold each other
    this->quit();
  }

  PeerResult& report_;
  const Plan& plan_;
  Half half_;
  std::size_t returned_ = 0;
  PeerResult total_{};
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto side = parameters["size"];
  Plan plan{side, parameters["it"], parameters.number("omega"),
            std::vector<double>(static_cast<std::size_t>(side * side))};
  Rng rng{parameters["seed"]};
  for (auto& value : plan.start)
    value = rng.unit() * 1e-6;
  PeerResult report{};
  run.timed([&] { run.send(run.template spawn<Runner<Run>>(report, plan), Boot{}); });
  return {report.total, {{"received", report.received}}};
}

} // namespace sor

Benchmark entry::sor() {
  return {
      "sor",
      {{"size", at_least(3)}, {"it", at_least(2)}, {"omega", number_between(0, 2)}, {"seed", any_integer()}},
      sor::run<Run<false>>,
      sor::run<Run<true>>,
      compat::register_types<caf::id_block::scoville_sor>};
}

} // namespace scoville
