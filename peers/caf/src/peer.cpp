#include "peer.hpp"

#include <algorithm>

namespace scoville {

namespace {

std::string language() {
#if defined(__clang__)
  const std::string compiler = __VERSION__;
#elif defined(__GNUC__)
  const std::string compiler = "GCC " __VERSION__;
#endif
  return "C++" + std::to_string(__cplusplus / 100 % 100) + " (" + compiler + ")";
}

std::string hello(caf::actor_system& system) {
  std::string names;
  for (const auto& benchmark : benchmarks())
    names += (names.empty() ? "" : ",") + json::quote(benchmark.name);
  std::map<std::string, std::string> labels;
  for (const auto& benchmark : benchmarks())
    labels.insert(benchmark.labels.begin(), benchmark.labels.end());
  std::string label_members;
  for (const auto& [name, value] : labels)
    label_members += (label_members.empty() ? "" : ",") + json::quote(name) + ':' + json::quote(value);
  return R"({"type":"hello","protocol":1,"runtime":"caf","version":)" + json::quote(compat::version()) +
         R"(,"language":)" + json::quote(language()) + R"(,"workers":)" +
         std::to_string(compat::workers(system)) +
         R"(,"gc":"none","capabilities":["count-messages"],"labels":{)" + label_members +
         R"(},"benchmarks":[)" + names + "]}";
}

struct FigureText {
  std::string operator()(std::int64_t x) const { return std::to_string(x); }
  std::string operator()(double x) const { return json::number(x); }
};

std::string text(const Figure& figure) {
  return std::visit(FigureText{}, figure);
}

std::string text(const std::vector<std::int64_t>& array) {
  std::string result;
  for (const auto x : array)
    result += (result.empty() ? "" : ",") + std::to_string(x);
  return '[' + result + ']';
}

template <class Element>
std::string text(const std::map<std::string, Element>& object) {
  std::string result;
  for (const auto& [name, value] : object)
    result += (result.empty() ? "" : ",") + json::quote(name) + ':' + text(value);
  return '{' + result + '}';
}

std::string end(std::chrono::nanoseconds elapsed, const Outcome& outcome, const std::string& work) {
  auto result = R"({"type":"end","wall_ns":)" + std::to_string(elapsed.count()) + R"(,"result":)" +
                text(outcome.result) + R"(,"checks":)" + text(outcome.checks) + R"(,"metrics":)" +
                text(outcome.metrics);
  if (!outcome.per_actor.empty())
    result += R"(,"per_actor":)" + text(outcome.per_actor);
  return result + work + '}';
}

/// One iteration, from `begin` to the text of `end`.
template <bool Counting, class Function>
std::string iterate(LineSocket& laboratory, caf::actor_system& system, Function function,
                    const Parameters& parameters) {
  Run<Counting> run{system, [&] { laboratory.write(R"({"type":"begin"})"); }};
  const auto outcome = function(run, parameters);
  std::string work;
  if constexpr (Counting)
    work = R"(,"work":{"actors":)" + std::to_string(run.work().actors) + R"(,"messages":)" +
           std::to_string(run.work().messages) + '}';
  return end(run.elapsed(), outcome, work);
}

const json::Value& member(const json::Object& message, std::string_view name) {
  const auto found = message.find(name);
  if (found == message.end())
    throw ProtocolError("a message without the field " + std::string{name});
  return found->second;
}

const std::string& text_member(const json::Object& message, std::string_view name) {
  const auto* result = member(message, name).string();
  if (result == nullptr)
    throw ProtocolError("a message whose field " + std::string{name} + " is not a string");
  return *result;
}

bool wants_counting(const json::Object& message) {
  const auto found = message.find("count_messages");
  if (found == message.end())
    return false;
  const auto* flag = found->second.boolean();
  if (flag == nullptr)
    throw ProtocolError("a message whose field count_messages is neither true nor false");
  return *flag;
}

const Benchmark& find_benchmark(std::string_view name) {
  const auto& all = benchmarks();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& b) { return b.name == name; });
  if (found == all.end())
    throw BadParameter(std::string{name} + ": unknown benchmark");
  return *found;
}

/// The answer to a `run`, apart from `begin`.
std::string answer(LineSocket& laboratory, caf::actor_system& system, const json::Object& message) {
  const auto& name = text_member(message, "benchmark");
  const auto* given = member(message, "parameters").object();
  if (given == nullptr)
    throw ProtocolError("a run whose field parameters is not an object");
  const auto counting = wants_counting(message);
  try {
    const auto& benchmark = find_benchmark(name);
    const Parameters parameters{name, benchmark.parameters, benchmark.relations, *given};
    return counting ? iterate<true>(laboratory, system, benchmark.count, parameters)
                    : iterate<false>(laboratory, system, benchmark.run, parameters);
  } catch (const BadParameter& error) {
    return fail_message("bad-parameter", error.what());
  } catch (const std::domain_error& error) {
    fail(name + " computed a number that cannot be reported: " + error.what());
  } catch (const std::length_error& error) {
    fail(name + " is too big for this machine: " + error.what());
  }
}

} // namespace

std::string fail_message(std::string_view code, std::string_view text) {
  return R"({"type":"fail","code":)" + json::quote(code) + R"(,"message":)" + json::quote(text) + '}';
}

Ending serve(LineSocket& laboratory, caf::actor_system& system) {
  laboratory.write(hello(system));
  while (const auto line = laboratory.read()) {
    const auto value = [&] {
      try {
        return json::parse(*line);
      } catch (const json::SyntaxError& error) {
        throw ProtocolError(std::string{"a line that is not JSON: "} + error.what());
      }
    }();
    const auto* message = value.object();
    if (message == nullptr)
      throw ProtocolError("a line that is not a JSON object");
    const auto& type = text_member(*message, "type");
    if (type == "run") {
      laboratory.write(answer(laboratory, system, *message));
    } else if (type == "bye") {
      laboratory.write(R"({"type":"bye"})");
      return Ending::bye;
    } else if (type == "stop") {
      return Ending::stop;
    } else {
      throw ProtocolError("a message of the unknown type " + type);
    }
  }
  return Ending::gone;
}

} // namespace scoville
