#include "benchmark.hpp"

namespace scoville {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      pingpong::benchmark(), threadring::benchmark(), count::benchmark(),     fjthrput::benchmark(),
      fjcreate::benchmark(), fib::benchmark(),        chameneos::benchmark(), big::benchmark(),
  };
  return all;
}

void register_all_types() {
  for (const auto& benchmark : benchmarks())
    benchmark.register_types();
  compat::register_core_types();
}

} // namespace scoville
