// Matrix Search: light controllers, and seekers that each read a large matrix of their own.
#include "../actor.hpp"

#include <memory>

namespace scoville::matrixsearch {

using Word = std::vector<std::uint8_t>;

struct Start {};
struct Init {};
struct Job {
  std::int64_t n;
  Word word;
};
struct Found {
  std::size_t seeker;
  std::int64_t n;
  std::int64_t count;
};
struct Stop {};
struct ControllerDone {
  std::int64_t matches;
  std::int64_t jobs;
};

} // namespace scoville::matrixsearch

CAF_BEGIN_TYPE_ID_BLOCK(scoville_matrixsearch, caf::first_custom_type_id + 620)
  SCOVILLE_MESSAGE(scoville_matrixsearch, scoville::matrixsearch::Start)
  SCOVILLE_MESSAGE(scoville_matrixsearch, scoville::matrixsearch::Init)
  SCOVILLE_MESSAGE(scoville_matrixsearch, scoville::matrixsearch::Job)
  SCOVILLE_MESSAGE(scoville_matrixsearch, scoville::matrixsearch::Found)
  SCOVILLE_MESSAGE(scoville_matrixsearch, scoville::matrixsearch::Stop)
  SCOVILLE_MESSAGE(scoville_matrixsearch, scoville::matrixsearch::ControllerDone)
CAF_END_TYPE_ID_BLOCK(scoville_matrixsearch)

namespace scoville {

namespace matrixsearch {

/// The generator of letters, with 32 bits of state.
class Letters {
 public:
  Letters(std::int64_t seed, std::int64_t alphabet)
      : state_{static_cast<std::uint32_t>(seed)}, alphabet_{static_cast<std::uint64_t>(alphabet)} {}

  std::uint8_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::uint8_t>(state_ * alphabet_ >> 32U);
  }

 private:
  std::uint32_t state_;
  std::uint64_t alphabet_;
};

struct Plan {
  std::int64_t controllers;
  std::int64_t seekers;
  std::int64_t side;
  std::int64_t jobs;
  std::int64_t word;
  std::int64_t alphabet;
  bool blockwise;
  bool in_turn; ///< whether woken seekers are dealt out to the workers in turn
};

struct Report {
  ControllerDone total{};
  Total<std::int64_t> fill_ns;
  Total<std::int64_t> search_ns;
};

/// Adds up how long something takes.
class Stopwatch {
 public:
  template <class Work>
  void time(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    total_ += std::chrono::steady_clock::now() - start;
  }

  [[nodiscard]] std::int64_t nanoseconds() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(total_).count();
  }

 private:
  std::chrono::steady_clock::duration total_{};
};

template <class Run>
class Seeker final : public Actor<Run> {
 public:
  Seeker(caf::actor_config& config, Run& run, Report& report, caf::actor controller, const Plan& plan,
         std::size_t index, std::int64_t global)
      : Actor<Run>{config, run},
        report_{report},
        controller_{std::move(controller)},
        index_{index},
        global_{global},
        side_{static_cast<std::size_t>(plan.side)},
        alphabet_{plan.alphabet} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](const Job& job) {
          std::int64_t count = 0;
          search_.time([&] { count = occurrences(job.word); });
          this->tell(controller_, Found{index_, job.n, count});
        },
        [this](Init) { fill_.time([this] { fill(); }); },
        [this](Stop) {
          report_.fill_ns.add(fill_.nanoseconds());
          report_.search_ns.add(search_.nanoseconds());
          this->quit();
        });
  }

 private:
  /// Whoever writes a page first decides where it lies, so that nobody else may have touched the memory.
  void fill() {
    // NOLINTNEXTLINE(modernize-make-unique): that would fill it with zeros
    cells_.reset(new std::uint8_t[side_ * side_]);
    Letters letters{global_ * 2654435761 + 12345, alphabet_};
    for (std::size_t i = 0; i < side_ * side_; ++i)
      cells_[i] = letters.next();
  }

  /// Column by column down a matrix that lies row by row: against the cache, as the specification wants it.
  [[nodiscard]] std::int64_t occurrences(const Word& word) const {
    std::int64_t count = 0;
    for (std::size_t x = 0; x < side_; ++x) {
      for (std::size_t y = 0; y + word.size() <= side_; ++y) {
        std::size_t k = 0;
        while (k < word.size() && cells_[(y + k) * side_ + x] == word[k])
          ++k;
        count += k == word.size() ? 1 : 0;
      }
    }
    return count;
  }

  Report& report_;
  caf::actor controller_;
  std::size_t index_;
  std::int64_t global_;
  std::size_t side_;
  std::int64_t alphabet_;
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): a vector would fill it with zeros
  std::unique_ptr<std::uint8_t[]> cells_;
  Stopwatch fill_;
  Stopwatch search_;
};

template <class Run>
class Controller final : public Actor<Run> {
 public:
  Controller(caf::actor_config& config, Run& run, Report& report, caf::actor tally, const Plan& plan,
             std::int64_t index)
      : Actor<Run>{config, run},
        report_{report},
        tally_{std::move(tally)},
        plan_{plan},
        first_{index * plan.seekers},
        next_job_(static_cast<std::size_t>(plan.seekers)) {}

  caf::behavior make_behavior() override {
    return this->receive([this](Found found) { take(found); }, [this](Start) { start(); });
  }

 private:
  void start() {
    for (std::size_t m = 0; m < next_job_.size(); ++m)
      seekers_.push_back(this->template create<Seeker<Run>>(report_, this->self(), plan_, m, global(m)));
    for (const auto& seeker : seekers_)
      hand(seeker, Init{});
    proceed_all();
  }

  void take(Found found) {
    matches_ += found.count;
    ++replies_;
    if (!plan_.blockwise)
      proceed(found.seeker);
    else if (replies_ % plan_.seekers == 0)
      proceed_all();
    if (replies_ < plan_.seekers * plan_.jobs)
      return;
    this->tell(tally_, ControllerDone{matches_, replies_});
    seekers_.clear(); // or controller and seekers would hold each other
    this->quit();
  }

  void proceed_all() {
    for (std::size_t m = 0; m < seekers_.size(); ++m)
      proceed(m);
  }

  /// Sends a seeker its next job, or stops it after its last.
  void proceed(std::size_t m) {
    const auto n = next_job_[m]++;
    if (n < plan_.jobs)
      hand(seekers_[m], Job{n, word(global(m), n)});
    else
      hand(seekers_[m], Stop{});
  }

  template <class Message>
  void hand(const caf::actor& seeker, Message message) {
    if (plan_.in_turn)
      this->tell_in_turn(seeker, std::move(message));
    else
      this->tell(seeker, std::move(message));
  }

  [[nodiscard]] std::int64_t global(std::size_t m) const { return first_ + static_cast<std::int64_t>(m); }

  [[nodiscard]] Word word(std::int64_t seeker, std::int64_t n) const {
    Letters letters{seeker * 40503 + n * 9973 + 777, plan_.alphabet};
    Word result(static_cast<std::size_t>(plan_.word));
    for (auto& letter : result)
      letter = letters.next();
    return result;
  }

  Report& report_;
  caf::actor tally_;
  Plan plan_;
  std::int64_t first_; // global number of seeker 0
  std::vector<std::int64_t> next_job_;
  std::vector<caf::actor> seekers_;
  std::int64_t replies_ = 0;
  std::int64_t matches_ = 0;
};

template <class Run>
class Tally final : public Actor<Run> {
 public:
  Tally(caf::actor_config& config, Run& run, Report& report, std::int64_t controllers)
      : Actor<Run>{config, run}, report_{report}, left_{controllers} {}

  caf::behavior make_behavior() override {
    return this->receive([this](ControllerDone message) {
      report_.total.matches += message.matches;
      report_.total.jobs += message.jobs;
      if (--left_ == 0)
        this->quit();
    });
  }

 private:
  Report& report_;
  std::int64_t left_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters["controllers"],
                  parameters["seekers"],
                  parameters["size"],
                  parameters["jobs"],
                  parameters["word"],
                  parameters["alphabet"],
                  parameters.word("assign") == "blockwise",
                  parameters.word("place") == "roundrobin"};
  Report report;
  run.timed([&] {
    const auto tally = run.template spawn<Tally<Run>>(report, plan.controllers);
    std::vector<caf::actor> controllers;
    for (std::int64_t q = 0; q < plan.controllers; ++q)
      controllers.push_back(run.template spawn<Controller<Run>>(report, tally, plan, q));
    for (const auto& controller : controllers)
      run.send(controller, Start{});
  });
  return {report.total.matches,
          {{"jobs", report.total.jobs}},
          {{"fill_ns", report.fill_ns.get()}, {"search_ns", report.search_ns.get()}}};
}

} // namespace matrixsearch

Benchmark entry::matrixsearch() {
  return {"matrixsearch",
          {{"controllers", at_least(1)},
           {"seekers", at_least(1)},
           {"size", any_integer()},
           {"jobs", at_least(1)},
           {"word", between(1, 16)},
           {"alphabet", between(2, 256)},
           {"assign", one_of({"continuous", "blockwise"})},
           {"place", one_of({"local", "roundrobin"})}},
          matrixsearch::run<Run<false>>,
          matrixsearch::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_matrixsearch>,
          {{"size", Rule::at_least, 1, "word"}}};
}

} // namespace scoville
