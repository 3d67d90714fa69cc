// Sieve of Eratosthenes: a pipeline of filters that grows as primes are found.
#include "../actor.hpp"
#include "../opaque.hpp"

#include <algorithm>
#include <numeric>

namespace scoville::sieve {

struct Start {
  caf::actor first;
};
struct Candidate {
  std::int64_t x;
};
struct Exit {
  std::int64_t count;
  std::int64_t sum;
};

} // namespace scoville::sieve

CAF_BEGIN_TYPE_ID_BLOCK(scoville_sieve, caf::first_custom_type_id + 460)
  SCOVILLE_MESSAGE(scoville_sieve, scoville::sieve::Start)
  SCOVILLE_MESSAGE(scoville_sieve, scoville::sieve::Candidate)
  SCOVILLE_MESSAGE(scoville_sieve, scoville::sieve::Exit)
CAF_END_TYPE_ID_BLOCK(scoville_sieve)

namespace scoville {

namespace sieve {

struct Report {
  Exit total{};
  std::int64_t filters = 0;
};

template <class Run>
class Filter final : public Actor<Run> {
 public:
  Filter(caf::actor_config& config, Run& run, Report& report, std::int64_t id, std::int64_t capacity,
         std::int64_t first_prime)
      : Actor<Run>{config, run}, report_{report}, id_{id}, capacity_{capacity}, primes_{first_prime} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Candidate candidate) {
          // The specification wants a remainder of 64 bits on every test. Clang would look at each pair first
          // and divide small numbers in 32 bits; it does not where it takes one for a hash value, that is the
          // outcome of an xor.
          const auto x = candidate.x ^ opaque(0);
          if (std::any_of(primes_.begin(), primes_.end(), [x](auto prime) { return x % prime == 0; }))
            return;
          if (next_)
            this->tell(next_, Candidate{candidate});
          else
            keep(x);
        },
        [this](Exit exit) {
          leave({exit.count + length(primes_), std::accumulate(primes_.begin(), primes_.end(), exit.sum)});
        });
  }

 private:
  void keep(std::int64_t prime) {
    if (length(primes_) < capacity_)
      primes_.push_back(prime);
    else
      next_ = this->template create<Filter>(report_, id_ + 1, capacity_, prime);
  }

  void leave(Exit total) {
    if (next_)
      this->tell(next_, Exit{total});
    else
      report_ = {total, id_};
    this->quit();
  }

  Report& report_;
  std::int64_t id_;
  std::int64_t capacity_;
  std::vector<std::int64_t> primes_;
  caf::actor next_;
};

template <class Run>
class Producer final : public Actor<Run> {
 public:
  Producer(caf::actor_config& config, Run& run, std::int64_t limit)
      : Actor<Run>{config, run}, limit_{limit} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Start& start) {
      for (std::int64_t x = 3; x < limit_; x += 2)
        this->tell(start.first, Candidate{x});
      this->tell(start.first, Exit{0, 0});
      this->quit();
    });
  }

 private:
  std::int64_t limit_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  Report report;
  run.timed([&] {
    const auto producer = run.template spawn<Producer<Run>>(parameters["n"]);
    const auto filter = run.template spawn<Filter<Run>>(report, 1, parameters["m"], 2);
    run.send(producer, Start{filter});
  });
  return {report.total.count, {{"sum", report.total.sum}, {"filters", report.filters}}};
}

} // namespace sieve

Benchmark entry::sieve() {
  return {"sieve",
          {{"n", at_least(3)}, {"m", at_least(1)}},
          sieve::run<Run<false>>,
          sieve::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_sieve>};
}

} // namespace scoville
