// Recursive Matrix Multiplication: a product divided into eight smaller ones until a worker computes it.
#include "../actor.hpp"

#include <set>

namespace scoville::recmatmul {

struct Work {
  std::int64_t priority;
  std::int64_t row_a;
  std::int64_t column_a;
  std::int64_t row_b;
  std::int64_t column_b;
  std::int64_t row_c;
  std::int64_t column_c;
  std::int64_t elements;
  std::int64_t side;
};
struct NewWork {
  Work work;
};
struct Done {};
struct Stop {};
struct Stopped {
  std::int64_t sum;
  std::int64_t wsum;
};

} // namespace scoville::recmatmul

CAF_BEGIN_TYPE_ID_BLOCK(scoville_recmatmul, caf::first_custom_type_id + 400)
  SCOVILLE_MESSAGE(scoville_recmatmul, scoville::recmatmul::Work)
  SCOVILLE_MESSAGE(scoville_recmatmul, scoville::recmatmul::NewWork)
  SCOVILLE_MESSAGE(scoville_recmatmul, scoville::recmatmul::Done)
  SCOVILLE_MESSAGE(scoville_recmatmul, scoville::recmatmul::Stop)
  SCOVILLE_MESSAGE(scoville_recmatmul, scoville::recmatmul::Stopped)
CAF_END_TYPE_ID_BLOCK(scoville_recmatmul)

namespace scoville {

namespace recmatmul {

/// All that the actors share. Each block of C belongs to one worker, which alone reads and writes it.
struct Matrices {
  explicit Matrices(std::int64_t n)
      : side{static_cast<std::size_t>(n)}, a(side * side), b(a.size()), c(a.size()) {
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        a[i * side + j] = static_cast<double>(i);
        b[i * side + j] = static_cast<double>(j);
      }
    }
  }

  std::size_t side;
  std::vector<double> a; // row by row, as the others
  std::vector<double> b;
  std::vector<double> c;
};

struct Report {
  Stopped total{};
  std::int64_t items = 0;
};

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor master, Matrices& matrices,
         std::int64_t largest_leaf)
      : Actor<Run>{config, run},
        master_{std::move(master)},
        matrices_{matrices},
        largest_leaf_{largest_leaf} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Work& work) {
          if (work.elements > largest_leaf_)
            divide(work);
          else
            multiply(work);
          this->tell(master_, Done{});
        },
        [this](Stop) {
          this->tell(master_, sums());
          this->quit();
        });
  }

 private:
  /// Where a block of C begins, and how long its side is.
  struct Block {
    std::size_t row;
    std::size_t column;
    std::size_t side;

    friend bool operator<(const Block& x, const Block& y) {
      return std::tie(x.row, x.column) < std::tie(y.row, y.column);
    }
  };

  void divide(const Work& work) {
    const auto half = work.side / 2;
    for (const auto i : {std::int64_t{0}, half}) {
      for (const auto j : {std::int64_t{0}, half}) {
        for (const auto k : {std::int64_t{0}, half})
          this->tell(master_, NewWork{{work.priority + 1, work.row_a + i, work.column_a + k, work.row_b + k,
                                       work.column_b + j, work.row_c + i, work.column_c + j,
                                       work.elements / 4, half}});
      }
    }
  }

  void multiply(const Work& work) {
    const auto n = matrices_.side;
    const Block block{static_cast<std::size_t>(work.row_c), static_cast<std::size_t>(work.column_c),
                      static_cast<std::size_t>(work.side)};
    blocks_.insert(block);
    for (auto i = block.row; i < block.row + block.side; ++i) {
      const auto* const a = &matrices_.a[i * n + static_cast<std::size_t>(work.column_a)];
      for (auto j = block.column; j < block.column + block.side; ++j) {
        const auto* const b = &matrices_.b[static_cast<std::size_t>(work.row_b) * n + j];
        auto sum = matrices_.c[i * n + j];
        for (std::size_t k = 0; k < block.side; ++k)
          sum += a[k] * b[k * n];
        matrices_.c[i * n + j] = sum;
      }
    }
  }

  [[nodiscard]] Stopped sums() const {
    Stopped result{};
    for (const auto& block : blocks_) {
      for (auto i = block.row; i < block.row + block.side; ++i) {
        for (auto j = block.column; j < block.column + block.side; ++j) {
          const auto x = static_cast<std::int64_t>(matrices_.c[i * matrices_.side + j]);
          result.sum += x;
          result.wsum += x % 1000003 * static_cast<std::int64_t>((31 * i + 17 * j) % 101 + 1);
        }
      }
    }
    return result;
  }

  caf::actor master_;
  Matrices& matrices_;
  std::int64_t largest_leaf_;
  std::set<Block> blocks_;
};

template <class Run>
class Master final : public Actor<Run> {
 public:
  Master(caf::actor_config& config, Run& run, Report& report, Matrices& matrices, std::int64_t workers,
         std::int64_t largest_leaf)
      : Actor<Run>{config, run},
        report_{report},
        matrices_{matrices},
        number_{workers},
        largest_leaf_{largest_leaf} {}

  caf::behavior make_behavior() override {
    for (std::int64_t w = 0; w < number_; ++w)
      workers_.push_back(this->template create<Worker<Run>>(this->self(), matrices_, largest_leaf_));
    const auto side = static_cast<std::int64_t>(matrices_.side);
    dispatch({0, 0, 0, 0, 0, 0, 0, side * side, side});
    return this->receive([this](const NewWork& more) { dispatch(more.work); },
                         [this](Done) {
                           if (++completed_ == report_.items)
                             stop_all();
                         },
                         [this](Stopped stopped) {
                           report_.total.sum += stopped.sum;
                           report_.total.wsum += stopped.wsum;
                           if (++stopped_ == workers_.size()) {
                             workers_.clear(); // or master and workers would hold each other
                             this->quit();
                           }
                         });
  }

 private:
  void dispatch(const Work& work) {
    this->tell(workers_[static_cast<std::size_t>((work.row_c + work.column_c) % number_)], Work{work});
    ++report_.items;
  }

  void stop_all() {
    for (const auto& worker : workers_)
      this->tell(worker, Stop{});
  }

  Report& report_;
  Matrices& matrices_;
  std::int64_t number_;
  std::int64_t largest_leaf_;
  std::vector<caf::actor> workers_;
  std::int64_t completed_ = 0;
  std::size_t stopped_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Matrices matrices{parameters["n"]};
  Report report;
  run.timed([&] {
    static_cast<void>(run.template spawn<Master<Run>>(report, matrices, parameters["w"], parameters["t"]));
  });
  for (std::size_t i = 0; i < matrices.side; ++i) {
    for (std::size_t j = 0; j < matrices.side; ++j)
      require(matrices.c[i * matrices.side + j] == static_cast<double>(matrices.side * i * j),
              "an element of the product is wrong");
  }
  return {report.total.sum, {{"wsum", report.total.wsum}, {"items", report.items}}};
}

} // namespace recmatmul

Benchmark entry::recmatmul() {
  return {
      "recmatmul",
      {{"n", power_of_two_between(2, 2048)}, {"t", at_least(1)}, {"w", at_least(1)}, {"p", between(1, 29)}},
      recmatmul::run<Run<false>>,
      recmatmul::run<Run<true>>,
      compat::register_types<caf::id_block::scoville_recmatmul>};
}

} // namespace scoville
