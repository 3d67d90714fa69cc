// Fannkuch-redux: one actor for each part of all permutations.
#include "../actor.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace scoville::fannkuch {

struct Start {};
struct Task {
  std::int64_t number;
};
struct Report {
  std::int64_t checksum;
  std::int64_t max_flips;
  std::int64_t flips;
};

} // namespace scoville::fannkuch

CAF_BEGIN_TYPE_ID_BLOCK(scoville_fannkuch, caf::first_custom_type_id + 680)
  SCOVILLE_MESSAGE(scoville_fannkuch, scoville::fannkuch::Start)
  SCOVILLE_MESSAGE(scoville_fannkuch, scoville::fannkuch::Task)
  SCOVILLE_MESSAGE(scoville_fannkuch, scoville::fannkuch::Report)
CAF_END_TYPE_ID_BLOCK(scoville_fannkuch)

namespace scoville {

namespace fannkuch {

constexpr std::int64_t factorial(std::int64_t n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}

/// All permutations of 0..n-1 in the order of the specification.
class Permutations {
 public:
  /// Begins with the one of this index.
  Permutations(std::int64_t n, std::int64_t index) {
    for (std::int64_t i = 0; i < n; ++i)
      current_[static_cast<std::size_t>(i)] = static_cast<int>(i);
    for (auto i = n - 1; i > 0; --i) {
      const auto turns = index / factorial(i);
      index %= factorial(i);
      counts_[static_cast<std::size_t>(i)] = turns;
      std::rotate(current_.begin(), current_.begin() + turns, current_.begin() + i + 1);
    }
  }

  void advance() {
    for (std::size_t i = 1;; ++i) {
      turn(i);
      if (++counts_[i] <= static_cast<std::int64_t>(i))
        return;
      counts_[i] = 0;
    }
  }

  /// How often a prefix must be reversed until the first entry is 0.
  [[nodiscard]] std::int64_t flips() const {
    if (current_[0] == 0)
      return 0;
    auto q = current_;
    std::int64_t result = 0;
    while (q[0] != 0) {
      for (std::size_t low = 0, high = static_cast<std::size_t>(q[0]); low < high; ++low, --high)
        std::swap(q[low], q[high]);
      ++result;
    }
    return result;
  }

 private:
  /// Rotates the first i+1 entries left by one place.
  void turn(std::size_t i) {
    const auto first = current_[0];
    for (std::size_t j = 0; j < i; ++j)
      current_[j] = current_[j + 1];
    current_[i] = first;
  }

  std::array<int, 16> current_{};
  std::array<std::int64_t, 16> counts_{};
};

template <class Run>
class Worker final : public Actor<Run> {
 public:
  Worker(caf::actor_config& config, Run& run, caf::actor manager, std::int64_t n, std::int64_t chunk)
      : Actor<Run>{config, run}, manager_{std::move(manager)}, n_{n}, chunk_{chunk} {}

  caf::behavior make_behavior() override {
    return this->receive([this](Task task) {
      const auto low = task.number * chunk_;
      this->tell(manager_, examine(low, std::min(factorial(n_), low + chunk_)));
      this->quit();
    });
  }

 private:
  /// Flips the permutations low..high-1.
  [[nodiscard]] Report examine(std::int64_t low, std::int64_t high) const {
    Report result{};
    Permutations permutations{n_, low};
    for (auto index = low; index < high; ++index) {
      const auto flips = permutations.flips();
      result.flips += flips;
      result.max_flips = std::max(result.max_flips, flips);
      result.checksum += index % 2 == 0 ? flips : -flips;
      if (index + 1 < high)
        permutations.advance();
    }
    return result;
  }

  caf::actor manager_;
  std::int64_t n_;
  std::int64_t chunk_;
};

template <class Run>
class Manager final : public Actor<Run> {
 public:
  Manager(caf::actor_config& config, Run& run, Report& report, std::int64_t n, std::int64_t chunks)
      : Actor<Run>{config, run},
        report_{report},
        n_{n},
        chunk_{(factorial(n) - 1) / chunks + 1},
        tasks_{(factorial(n) - 1) / chunk_ + 1} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Report& part) {
          report_.checksum += part.checksum;
          report_.max_flips = std::max(report_.max_flips, part.max_flips);
          report_.flips += part.flips;
          if (++received_ == tasks_)
            this->quit();
        },
        [this](Start) {
          std::vector<caf::actor> workers;
          for (std::int64_t task = 0; task < tasks_; ++task)
            workers.push_back(this->template create<Worker<Run>>(this->self(), n_, chunk_));
          for (std::int64_t task = 0; task < tasks_; ++task)
            this->tell(workers[static_cast<std::size_t>(task)], Task{task});
        });
  }

 private:
  Report& report_;
  std::int64_t n_;
  std::int64_t chunk_;
  std::int64_t tasks_;
  std::int64_t received_ = 0;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Report report{};
  run.timed([&] {
    run.send(run.template spawn<Manager<Run>>(report, parameters["n"], parameters["chunks"]), Start{});
  });
  return {report.checksum, {{"maxflips", report.max_flips}, {"flips", report.flips}}};
}

} // namespace fannkuch

Benchmark entry::fannkuch() {
  return {"fannkuch",
          {{"n", between(2, 15)}, {"chunks", at_least(1)}},
          fannkuch::run<Run<false>>,
          fannkuch::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_fannkuch>};
}

} // namespace scoville
