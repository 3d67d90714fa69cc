// What a benchmark is to the rest of the program.
#pragma once

#include "parameters.hpp"
#include "run.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scoville {

/// An integer or a float, as the catalogue says.
using Figure = std::variant<std::int64_t, double>;

/// What an iteration computed. Result and checks must match the catalogue, metrics are only reported.
struct Outcome {
  Figure result;
  std::map<std::string, Figure> checks{};
  std::map<std::string, Figure> metrics{};
  /// Arrays indexed by actor id.
  std::map<std::string, std::vector<std::int64_t>> per_actor{};
};

/// A benchmark, in the two forms in which it can run.
struct Benchmark {
  std::string_view name;
  std::vector<ParameterSpec> parameters; ///< in the order of the catalogue
  Outcome (*run)(Run<false>&, const Parameters&);
  Outcome (*count)(Run<true>&, const Parameters&);
  void (*register_types)();
  std::vector<Relation> relations{};           ///< in the order of the catalogue
  std::map<std::string, std::string> labels{}; ///< that the specification asks for
};

/// All benchmarks in the order of the catalogue.
[[nodiscard]] const std::vector<Benchmark>& benchmarks();

/// Registers the message types of all benchmarks; before the actor system is made.
void register_all_types();

/// Each stands in the file of its name.
namespace entry {
[[nodiscard]] Benchmark pingpong();
[[nodiscard]] Benchmark threadring();
[[nodiscard]] Benchmark count();
[[nodiscard]] Benchmark fjthrput();
[[nodiscard]] Benchmark fjcreate();
[[nodiscard]] Benchmark fib();
[[nodiscard]] Benchmark chameneos();
[[nodiscard]] Benchmark big();
[[nodiscard]] Benchmark concdict();
[[nodiscard]] Benchmark concsll();
[[nodiscard]] Benchmark bndbuffer();
[[nodiscard]] Benchmark philosopher();
[[nodiscard]] Benchmark barber();
[[nodiscard]] Benchmark cigsmok();
[[nodiscard]] Benchmark logmap();
[[nodiscard]] Benchmark banking();
[[nodiscard]] Benchmark apsp();
[[nodiscard]] Benchmark astar();
[[nodiscard]] Benchmark nqueenk();
[[nodiscard]] Benchmark recmatmul();
[[nodiscard]] Benchmark quicksort();
[[nodiscard]] Benchmark radixsort();
[[nodiscard]] Benchmark filterbank();
[[nodiscard]] Benchmark bitonicsort();
[[nodiscard]] Benchmark sieve();
[[nodiscard]] Benchmark uct();
[[nodiscard]] Benchmark facloc();
[[nodiscard]] Benchmark trapezoid();
[[nodiscard]] Benchmark piprecision();
[[nodiscard]] Benchmark sor();
[[nodiscard]] Benchmark matrixsearch();
[[nodiscard]] Benchmark bigneighbours();
[[nodiscard]] Benchmark chameneosfair();
[[nodiscard]] Benchmark fannkuch();
[[nodiscard]] Benchmark pingping();
[[nodiscard]] Benchmark spawn();
[[nodiscard]] Benchmark pairs();
[[nodiscard]] Benchmark mixed();
[[nodiscard]] Benchmark chat();
} // namespace entry

} // namespace scoville
