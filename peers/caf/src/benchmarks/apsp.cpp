// All-Pairs Shortest Path: blocks of a matrix, with a barrier among row and column before each phase.
#include "../actor.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace scoville::apsp {

/// A block as it was after a phase. Sent to many and never changed.
using Cells = std::shared_ptr<const std::vector<std::int64_t>>;

struct Neighbours {
  std::vector<caf::actor> all;
};
struct Start {};
struct Result {
  std::int64_t k;
  std::int64_t block;
  Cells data;
};
struct Done {
  std::int64_t sum;
  std::int64_t wsum;
  std::int64_t phases;
};

} // namespace scoville::apsp

CAF_BEGIN_TYPE_ID_BLOCK(scoville_apsp, caf::first_custom_type_id + 340)
  SCOVILLE_MESSAGE(scoville_apsp, scoville::apsp::Neighbours)
  SCOVILLE_MESSAGE(scoville_apsp, scoville::apsp::Start)
  SCOVILLE_MESSAGE(scoville_apsp, scoville::apsp::Result)
  SCOVILLE_MESSAGE(scoville_apsp, scoville::apsp::Done)
CAF_END_TYPE_ID_BLOCK(scoville_apsp)

namespace scoville {

namespace apsp {

/// The distances before the first phase, and how they are cut.
struct Grid {
  std::int64_t nodes;
  std::int64_t side; // of a block
  std::vector<std::int64_t> distances;

  [[nodiscard]] std::int64_t blocks() const { return nodes / side; } // in a row

  [[nodiscard]] Cells block(std::int64_t bi, std::int64_t bj) const {
    std::vector<std::int64_t> cells;
    cells.reserve(static_cast<std::size_t>(side * side));
    for (std::int64_t i = 0; i < side; ++i) {
      const auto row = distances.begin() + (bi * side + i) * nodes + bj * side;
      cells.insert(cells.end(), row, row + side);
    }
    return std::make_shared<const std::vector<std::int64_t>>(std::move(cells));
  }
};

Grid draw(std::int64_t nodes, std::int64_t side, std::int64_t heaviest) {
  Grid grid{nodes, side, std::vector<std::int64_t>(static_cast<std::size_t>(nodes * nodes))};
  Rng rng{nodes};
  const auto at = [&](std::int64_t i, std::int64_t j) -> std::int64_t& {
    return grid.distances[static_cast<std::size_t>(i * nodes + j)];
  };
  for (std::int64_t i = 0; i < nodes; ++i) {
    for (auto j = i + 1; j < nodes; ++j)
      at(i, j) = at(j, i) = rng.below(heaviest) + 1;
  }
  return grid;
}

template <class Run>
class Tally final : public Actor<Run> {
 public:
  Tally(caf::actor_config& config, Run& run, Done& report, std::int64_t blocks)
      : Actor<Run>{config, run}, report_{report}, left_{blocks} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Done message) {
      total_ = {total_.sum + message.sum, total_.wsum + message.wsum, total_.phases + message.phases};
      if (--left_ == 0) {
        report_ = total_;
        this->quit();
      }
    });
  }

 private:
  Done& report_;
  std::int64_t left_;
  Done total_{};
};

template <class Run>
class Block final : public Actor<Run> {
 public:
  Block(caf::actor_config& config, Run& run, caf::actor tally, const Grid& grid, std::int64_t block)
      : Actor<Run>{config, run},
        tally_{std::move(tally)},
        nodes_{grid.nodes},
        side_{grid.side},
        block_{block},
        bi_{block / grid.blocks()},
        bj_{block % grid.blocks()},
        current_{grid.block(bi_, bj_)} {
    for (auto& inbox : inboxes_)
      inbox.by_block.resize(static_cast<std::size_t>(grid.blocks() * grid.blocks()));
  }

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Result& result) {
          auto& inbox = inbox_of(result.k);
          inbox.by_block[static_cast<std::size_t>(result.block)] = std::move(result.data);
          ++inbox.received;
          proceed();
        },
        [this](Start) {
          started_ = true;
          publish();
          proceed();
        },
        [this](Neighbours& neighbours) { neighbours_ = std::move(neighbours.all); });
  }

 private:
  /// The results of one phase.
  struct Inbox {
    std::vector<Cells> by_block;
    std::size_t received = 0;

    void clear() {
      std::fill(by_block.begin(), by_block.end(), nullptr);
      received = 0;
    }
  };

  // A neighbour is never more than one phase ahead.
  Inbox& inbox_of(std::int64_t k) { return inboxes_[static_cast<std::size_t>((k + 1) % 2)]; }

  void publish() {
    for (const auto& neighbour : neighbours_)
      this->tell(neighbour, Result{k_, block_, current_});
  }

  void proceed() {
    while (started_ && inbox_of(k_).received == neighbours_.size()) {
      compute(k_ + 1);
      inbox_of(k_).clear();
      if (++k_ == nodes_ - 1) {
        finish();
        return;
      }
      publish();
    }
  }

  /// The data of a block of the last phase, which may be this one.
  const std::vector<std::int64_t>& data_of(std::int64_t bi, std::int64_t bj) {
    const auto block = bi * (nodes_ / side_) + bj;
    return block == block_ ? *current_ : *inbox_of(k_).by_block[static_cast<std::size_t>(block)];
  }

  void compute(std::int64_t p) {
    const auto& row_block = data_of(bi_, p / side_);
    const auto& column_block = data_of(p / side_, bj_);
    const auto side = static_cast<std::size_t>(side_);
    const auto at = static_cast<std::size_t>(p % side_);
    std::vector<std::int64_t> next(side * side);
    for (std::size_t i = 0; i < side; ++i) {
      const auto to_p = row_block[i * side + at];
      for (std::size_t j = 0; j < side; ++j)
        next[i * side + j] = std::min((*current_)[i * side + j], to_p + column_block[at * side + j]);
    }
    current_ = std::make_shared<const std::vector<std::int64_t>>(std::move(next));
  }

  void finish() {
    Done totals{0, 0, k_ + 1};
    for (std::int64_t i = 0; i < side_; ++i) {
      for (std::int64_t j = 0; j < side_; ++j) {
        const auto cell = (*current_)[static_cast<std::size_t>(i * side_ + j)];
        totals.sum += cell;
        totals.wsum += cell * ((31 * (bi_ * side_ + i) + 17 * (bj_ * side_ + j)) % 101 + 1);
      }
    }
    this->tell(tally_, Done{totals});
    neighbours_.clear(); // or the blocks would hold each other
    this->quit();
  }

  caf::actor tally_;
  std::int64_t nodes_;
  std::int64_t side_;
  std::int64_t block_;
  std::int64_t bi_;
  std::int64_t bj_;
  Cells current_;
  std::vector<caf::actor> neighbours_;
  std::array<Inbox, 2> inboxes_;
  std::int64_t k_ = -1; // last phase that is finished
  bool started_ = false;
};

/// The other blocks of a block's column, then those of its row.
std::vector<caf::actor> neighbours_of(const std::vector<caf::actor>& blocks, std::int64_t in_row,
                                      std::int64_t block) {
  std::vector<caf::actor> result;
  const auto add = [&](std::int64_t other) {
    if (other != block)
      result.push_back(blocks[static_cast<std::size_t>(other)]);
  };
  for (std::int64_t i = 0; i < in_row; ++i)
    add(i * in_row + block % in_row);
  for (std::int64_t j = 0; j < in_row; ++j)
    add(block / in_row * in_row + j);
  return result;
}

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto grid = draw(parameters["n"], parameters["b"], parameters["w"]);
  const auto in_row = grid.blocks();
  Done report{};
  run.timed([&] {
    const auto tally = run.template spawn<Tally<Run>>(report, in_row * in_row);
    std::vector<caf::actor> blocks;
    for (std::int64_t b = 0; b < in_row * in_row; ++b)
      blocks.push_back(run.template spawn<Block<Run>>(tally, grid, b));
    for (std::int64_t b = 0; b < in_row * in_row; ++b)
      run.send(blocks[static_cast<std::size_t>(b)], Neighbours{neighbours_of(blocks, in_row, b)});
    for (const auto& block : blocks)
      run.send(block, Start{});
  });
  return {report.sum, {{"wsum", report.wsum}, {"phases", report.phases}}};
}

} // namespace apsp

Benchmark entry::apsp() {
  return {"apsp",
          {{"n", any_integer()}, {"b", at_least(1)}, {"w", between(1, 65536)}},
          apsp::run<Run<false>>,
          apsp::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_apsp>,
          {{"n", Rule::at_least, 2, "b"}, {"n", Rule::multiple_of, 1, "b"}}};
}

} // namespace scoville
