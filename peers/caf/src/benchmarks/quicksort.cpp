// Quicksort: a tree of actors, with whole lists as messages.
#include "../actor.hpp"
#include "../checksum.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <numeric>

namespace scoville::quicksort {

using Numbers = std::vector<std::int64_t>;

enum class Position { initial, left, right };

struct Sort {
  Numbers data;
};
struct Sorted {
  Numbers data;
  Position position;
};

} // namespace scoville::quicksort

CAF_BEGIN_TYPE_ID_BLOCK(scoville_quicksort, caf::first_custom_type_id + 420)
  SCOVILLE_MESSAGE(scoville_quicksort, scoville::quicksort::Sort)
  SCOVILLE_MESSAGE(scoville_quicksort, scoville::quicksort::Sorted)
CAF_END_TYPE_ID_BLOCK(scoville_quicksort)

namespace scoville {

namespace quicksort {

struct Report {
  std::int64_t hash = 0;
  std::int64_t count = 0;
  std::int64_t sorted = 0;
  std::int64_t sum = 0;
};

struct Parts {
  Numbers left;
  Numbers equal;
  Numbers right;
};

/// New lists of the numbers below, equal to and above the middle one, each by one pass.
Parts divide(const Numbers& data) {
  const auto pivot = data[data.size() / 2];
  Parts parts;
  std::copy_if(data.begin(), data.end(), std::back_inserter(parts.left), [=](auto x) { return x < pivot; });
  std::copy_if(data.begin(), data.end(), std::back_inserter(parts.right), [=](auto x) { return x > pivot; });
  std::copy_if(data.begin(), data.end(), std::back_inserter(parts.equal), [=](auto x) { return x == pivot; });
  return parts;
}

void append(Numbers& to, const Numbers& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Numbers sequential(Numbers data) {
  if (data.size() < 2)
    return data;
  auto parts = divide(data);
  auto result = sequential(std::move(parts.left));
  append(result, parts.equal);
  append(result, sequential(std::move(parts.right)));
  return result;
}

template <class Run>
class Sorter final : public Actor<Run> {
 public:
  /// The root has no parent and reports instead.
  Sorter(caf::actor_config& config, Run& run, Report& report, caf::actor parent, Position position,
         std::int64_t threshold)
      : Actor<Run>{config, run},
        report_{report},
        parent_{std::move(parent)},
        position_{position},
        threshold_{threshold} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Sort& sort) { take(std::move(sort.data)); },
                         [this](const Sorted& sorted) { join(sorted.data, sorted.position); });
  }

 private:
  void take(Numbers data) {
    if (length(data) < threshold_) {
      result_ = sequential(std::move(data));
      finish();
      return;
    }
    auto parts = divide(data);
    start(Position::left, std::move(parts.left));
    start(Position::right, std::move(parts.right));
    result_ = std::move(parts.equal);
    fragments_ = 1;
  }

  void start(Position position, Numbers data) {
    this->tell(this->template create<Sorter>(report_, this->self(), position, threshold_),
               Sort{std::move(data)});
  }

  /// A list that was received is not changed; only this actor's own grows in place.
  void join(const Numbers& data, Position position) {
    if (position == Position::left && !data.empty()) {
      Numbers joined;
      joined.reserve(data.size() + result_.size());
      append(joined, data);
      append(joined, result_);
      result_ = std::move(joined);
    } else {
      append(result_, data);
    }
    if (++fragments_ == 3)
      finish();
  }

  void finish() {
    if (parent_)
      this->tell(parent_, Sorted{std::move(result_), position_});
    else
      report_ = {checksum(result_), length(result_),
                 static_cast<std::int64_t>(std::is_sorted(result_.begin(), result_.end())),
                 std::accumulate(result_.begin(), result_.end(), std::int64_t{0})};
    this->quit();
  }

  Report& report_;
  caf::actor parent_;
  Position position_;
  std::int64_t threshold_;
  Numbers result_;
  int fragments_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Report report;
  run.timed([&] {
    const auto root =
        run.template spawn<Sorter<Run>>(report, caf::actor{}, Position::initial, parameters["t"]);
    Rng rng{parameters["s"]};
    Numbers input(static_cast<std::size_t>(parameters["n"]));
    for (auto& x : input)
      x = rng.below(parameters["m"]);
    run.send(root, Sort{std::move(input)});
  });
  return {report.hash, {{"count", report.count}, {"sorted", report.sorted}, {"sum", report.sum}}};
}

} // namespace quicksort

Benchmark entry::quicksort() {
  return {"quicksort",
          {{"n", at_least(1)}, {"m", at_least(1)}, {"t", at_least(1)}, {"s", at_least(0)}},
          quicksort::run<Run<false>>,
          quicksort::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_quicksort>};
}

} // namespace scoville
