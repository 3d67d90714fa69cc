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
  std::vector<ParameterSpec> parameters;
  Outcome (*run)(Run<false>&, const Parameters&);
  Outcome (*count)(Run<true>&, const Parameters&);
  void (*register_types)();
};

/// All benchmarks in the order of the catalogue.
[[nodiscard]] const std::vector<Benchmark>& benchmarks();

/// Registers the message types of all benchmarks; before the actor system is made.
void register_all_types();

// Each stands in the file of its name.
namespace pingpong {
[[nodiscard]] Benchmark benchmark();
}
namespace threadring {
[[nodiscard]] Benchmark benchmark();
}
namespace count {
[[nodiscard]] Benchmark benchmark();
}
namespace fjthrput {
[[nodiscard]] Benchmark benchmark();
}
namespace fjcreate {
[[nodiscard]] Benchmark benchmark();
}
namespace fib {
[[nodiscard]] Benchmark benchmark();
}
namespace chameneos {
[[nodiscard]] Benchmark benchmark();
}
namespace big {
[[nodiscard]] Benchmark benchmark();
}

} // namespace scoville
