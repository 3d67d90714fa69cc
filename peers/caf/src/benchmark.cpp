#include "benchmark.hpp"

namespace scoville {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      entry::pingpong(),      entry::threadring(), entry::count(),        entry::fjthrput(),
      entry::fjcreate(),      entry::fib(),        entry::chameneos(),    entry::big(),
      entry::concdict(),      entry::concsll(),    entry::bndbuffer(),    entry::philosopher(),
      entry::barber(),        entry::cigsmok(),    entry::logmap(),       entry::banking(),
      entry::apsp(),          entry::astar(),      entry::nqueenk(),      entry::recmatmul(),
      entry::quicksort(),     entry::radixsort(),  entry::filterbank(),   entry::bitonicsort(),
      entry::sieve(),         entry::uct(),        entry::facloc(),       entry::trapezoid(),
      entry::piprecision(),   entry::sor(),        entry::matrixsearch(), entry::bigneighbours(),
      entry::chameneosfair(), entry::fannkuch(),   entry::pingping(),     entry::spawn(),
      entry::pairs(),         entry::mixed(),      entry::chat(),
  };
  return all;
}

void register_all_types() {
  for (const auto& benchmark : benchmarks())
    benchmark.register_types();
  compat::register_core_types();
}

} // namespace scoville
