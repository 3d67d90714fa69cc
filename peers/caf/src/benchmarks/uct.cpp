// Unbalanced Cobwebbed Tree: an irregular tree of actors grows by a plan, is traversed, and terminates.
#include "../actor.hpp"
#include "../busy.hpp"
#include "../rng.hpp"

#include <algorithm>

namespace scoville::uct {

struct GenerateTree {};
struct Try {};
struct Should {
  caf::actor node;
  std::int64_t id;
  std::int64_t height;
};
/// Which children a node gets: the id of the first, the work of each, and which is urgent, or -1.
struct Generate {
  std::int64_t first;
  std::int64_t comp;
  std::int64_t urgent;
};
struct Grant {
  std::int64_t child;
};
struct Traverse {};
struct UrgentTraverse {};
struct Terminate {};
struct Terminated {
  std::int64_t nodes;
  std::int64_t work;
  std::int64_t urgent;
  std::int64_t grants;
};

} // namespace scoville::uct

CAF_BEGIN_TYPE_ID_BLOCK(scoville_uct, caf::first_custom_type_id + 560)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::GenerateTree)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Try)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Should)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Generate)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Grant)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Traverse)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::UrgentTraverse)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Terminate)
  SCOVILLE_MESSAGE(scoville_uct, scoville::uct::Terminated)
CAF_END_TYPE_ID_BLOCK(scoville_uct)

namespace scoville {

namespace uct {

/// A number of about a normal distribution, at least 1: a sum of twelve evenly distributed ones.
std::int64_t normal(J48& rng, std::int64_t avg, std::int64_t stdev) {
  for (;;) {
    std::int64_t sum = 0;
    for (auto i = 0; i < 12; ++i)
      sum += rng.bits(16);
    if (const auto c = avg + (sum - 393210) * stdev / 65536; c >= 1)
      return c;
  }
}

/// Which nodes get children. Whoever has none has 0 as the first.
struct Plan {
  explicit Plan(const Parameters& parameters)
      : binomial{parameters["binomial"]}, unit{parameters["unit"]}, size{1 + binomial} {
    J48 rng{parameters["seed"]};
    const auto comp = [&] { return normal(rng, parameters["avg"], parameters["stdev"]); };
    families.push_back({1, comp(), -1});
    for (std::int64_t id = 1; id < size; ++id) {
      Generate family{0, 0, -1};
      if (size + binomial <= parameters["nodes"] && rng.coin()) {
        family.first = size;
        family.comp = comp();
        if (rng.below(100) <= parameters["urgent"])
          family.urgent = rng.below(binomial);
        size += binomial;
      }
      families.push_back(family);
    }
  }

  std::int64_t binomial;
  std::int64_t unit;
  std::int64_t size; // nodes, with the root
  std::vector<Generate> families;
};

struct Report {
  Terminated total{};
  std::int64_t height = 0;
};

template <class Run>
class Node final : public Actor<Run> {
 public:
  Node(caf::actor_config& config, Run& run, caf::actor root, caf::actor parent, const Plan& plan,
       std::int64_t height, std::int64_t id, std::int64_t comp)
      : Actor<Run>{config, run},
        root_{std::move(root)},
        parent_{std::move(parent)},
        binomial_{plan.binomial},
        unit_{plan.unit},
        height_{height},
        id_{id},
        comp_{comp},
        plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive(
        [this](Try) {
          total_.work += spin(id_, 100 * unit_);
          this->tell(root_, Should{this->self(), id_, height_});
        },
        [this](Traverse) { traverse(); },
        [this](Terminate) {
          for (const auto& child : children_)
            this->tell(child, Terminate{});
          if (children_.empty())
            leave();
        },
        [this](const Terminated& child) {
          total_.nodes += child.nodes;
          total_.work += child.work;
          total_.urgent += child.urgent;
          total_.grants += child.grants;
          if (++terminated_ == children_.size())
            leave();
        },
        [this](const Generate& family) { grow(family); }, [this](Grant) { ++total_.grants; },
        [this](UrgentTraverse) {
          ++total_.urgent;
          traverse();
        });
  }

 private:
  void grow(const Generate& family) {
    this->tell(parent_, Grant{(id_ - 1) % binomial_});
    urgent_child_ = family.urgent;
    for (std::int64_t q = 0; q < binomial_; ++q)
      children_.push_back(this->template create<Node>(root_, this->self(), plan_, height_ + 1,
                                                      family.first + q, family.comp));
    for (const auto& child : children_)
      this->tell(child, Try{});
  }

  void traverse() {
    total_.work += spin(id_, comp_ * unit_);
    for (std::size_t q = 0; q < children_.size(); ++q) {
      if (static_cast<std::int64_t>(q) == urgent_child_)
        this->tell(children_[q], UrgentTraverse{});
      else
        this->tell(children_[q], Traverse{});
    }
  }

  void leave() {
    this->tell(parent_, Terminated{total_});
    children_.clear(); // or parent and children would hold each other
    this->quit();
  }

  caf::actor root_;
  caf::actor parent_;
  std::int64_t binomial_;
  std::int64_t unit_;
  std::int64_t height_;
  std::int64_t id_;
  std::int64_t comp_;
  const Plan& plan_; // only handed down: what a node may know of it the root tells
  std::int64_t urgent_child_ = -1;
  std::vector<caf::actor> children_;
  std::size_t terminated_ = 0;
  Terminated total_{1, 0, 0, 0};
};

template <class Run>
class Root final : public Actor<Run> {
 public:
  Root(caf::actor_config& config, Run& run, Report& report, const Plan& plan)
      : Actor<Run>{config, run}, report_{report}, plan_{plan} {}

  caf::behavior make_behavior() override {
    return this->receive([this](const Should& should) { decide(should); }, [this](Grant) { ++total_.grants; },
                         [this](const Terminated& child) {
                           total_.nodes += child.nodes;
                           total_.work += child.work;
                           total_.urgent += child.urgent;
                           total_.grants += child.grants;
                           if (++terminated_ == children_.size())
                             finish();
                         },
                         [this](GenerateTree) { grow(); });
  }

 private:
  void grow() {
    const auto& family = plan_.families[0];
    for (std::int64_t q = 0; q < plan_.binomial; ++q)
      children_.push_back(this->template create<Node<Run>>(this->self(), this->self(), plan_, 2,
                                                           family.first + q, family.comp));
    for (const auto& child : children_)
      this->tell(child, Try{});
  }

  void decide(const Should& should) {
    height_ = std::max(height_, should.height);
    const auto& family = plan_.families[static_cast<std::size_t>(should.id)];
    if (family.first != 0)
      this->tell(should.node, Generate{family});
    if (++requests_ < plan_.size - 1)
      return;
    for (const auto& child : children_)
      this->tell(child, Traverse{});
    for (const auto& child : children_)
      this->tell(child, Terminate{});
  }

  void finish() {
    report_ = {total_, height_};
    children_.clear(); // or root and children would hold each other
    this->quit();
  }

  Report& report_;
  const Plan& plan_;
  std::vector<caf::actor> children_;
  std::int64_t requests_ = 0;
  std::int64_t height_ = 1;
  std::size_t terminated_ = 0;
  Terminated total_{1, 0, 0, 0};
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const Plan plan{parameters};
  Report report;
  run.timed([&] { run.send(run.template spawn<Root<Run>>(report, plan), GenerateTree{}); });
  return {report.total.work,
          {{"nodes", report.total.nodes},
           {"height", report.height},
           {"urgent", report.total.urgent},
           {"grants", report.total.grants}}};
}

} // namespace uct

Benchmark entry::uct() {
  return {"uct",
          {{"nodes", any_integer()},
           {"avg", at_least(1)},
           {"stdev", at_least(0)},
           {"binomial", at_least(1)},
           {"urgent", between(0, 100)},
           {"unit", at_least(1)},
           {"seed", any_integer()}},
          uct::run<Run<false>>,
          uct::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_uct>,
          {{"nodes", Rule::at_least, 1, "binomial", 1}}};
}

} // namespace scoville
