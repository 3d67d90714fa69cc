// Online Facility Location: a quadtree of actors that grows as customers arrive.
#include "../actor.hpp"
#include "../rng.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace scoville::facloc {

struct Point {
  double x;
  double y;
};

struct Customer {
  Point at;
  caf::actor producer;
};
struct NextCustomer {};
struct Facility {
  std::size_t position; // of the sender
  std::int64_t depth;
  Point at;
  bool up;
};
struct RequestExit {};
struct ConfirmExit {
  std::int64_t facilities;
  std::int64_t customers;
  std::int64_t maxdepth;
  std::int64_t depthsum;
  double cost;
};

} // namespace scoville::facloc

CAF_BEGIN_TYPE_ID_BLOCK(scoville_facloc, caf::first_custom_type_id + 580)
  SCOVILLE_MESSAGE(scoville_facloc, scoville::facloc::Customer)
  SCOVILLE_MESSAGE(scoville_facloc, scoville::facloc::NextCustomer)
  SCOVILLE_MESSAGE(scoville_facloc, scoville::facloc::Facility)
  SCOVILLE_MESSAGE(scoville_facloc, scoville::facloc::RequestExit)
  SCOVILLE_MESSAGE(scoville_facloc, scoville::facloc::ConfirmExit)
CAF_END_TYPE_ID_BLOCK(scoville_facloc)

namespace scoville {

namespace facloc {

/// A rectangle with its borders.
struct Box {
  Point low;
  Point high;

  [[nodiscard]] bool contains(Point p) const {
    return low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y;
  }

  [[nodiscard]] Point centre() const { return {(low.x + high.x) / 2, (low.y + high.y) / 2}; }

  /// The upper left, upper right, lower left and lower right part.
  [[nodiscard]] std::array<Box, 4> quarters() const {
    const auto c = centre();
    return {{{{low.x, c.y}, {c.x, high.y}}, {c, high}, {low, c}, {{c.x, low.y}, {high.x, c.y}}}};
  }
};

double distance(Point p, Point q) {
  const auto dx = p.x - q.x;
  const auto dy = p.y - q.y;
  return std::sqrt(dx * dx + dy * dy);
}

struct Report {
  ConfirmExit total{};
  std::int64_t root_ups = 0;
  Total<std::int64_t> downs;
};

/// Where a quadrant is, and what it knows when it is created.
struct Place {
  std::size_t position = 0; // among its parent's children
  std::int64_t depth = 0;
  Box box{};
  std::vector<Point> facilities{}; // the centres of its ancestors and its own
  std::vector<Point> customers{};
};

template <class Run>
class Quadrant final : public Actor<Run> {
 public:
  /// The root has no parent and reports instead.
  Quadrant(caf::actor_config& config, Run& run, Report& report, caf::actor parent, double threshold,
           Place place)
      : Actor<Run>{config, run},
        report_{report},
        parent_{std::move(parent)},
        threshold_{threshold},
        place_{std::move(place)} {}

  caf::behavior make_behavior() override {
    for (const auto customer : place_.customers)
      cost_ += nearest(customer);
    return this->receive([this](Customer& customer) { take(customer); },
                         [this](const Facility& facility) {
                           if (facility.up)
                             pass_up(facility);
                           else if (!exiting_)
                             pass_down(facility);
                         },
                         [this](RequestExit) { request_exit(); },
                         [this](const ConfirmExit& child) {
                           total_.facilities += child.facilities;
                           total_.customers += child.customers;
                           total_.maxdepth = std::max(total_.maxdepth, child.maxdepth);
                           total_.depthsum += child.depthsum;
                           total_.cost += child.cost;
                           if (++confirmed_ == children_.size())
                             leave();
                         });
  }

 private:
  [[nodiscard]] double nearest(Point p) const {
    auto result = std::numeric_limits<double>::infinity();
    for (const auto facility : place_.facilities)
      result = std::min(result, distance(p, facility));
    return result;
  }

  /// The first child whose box contains a point.
  [[nodiscard]] std::size_t child_of(Point p) const {
    const auto quarters = place_.box.quarters();
    const auto found = std::find_if(quarters.begin(), quarters.end(),
                                    [p](const Box& quarter) { return quarter.contains(p); });
    require(found != quarters.end(), "a customer came to a quadrant that does not contain it");
    return static_cast<std::size_t>(found - quarters.begin());
  }

  void take(Customer& customer) {
    const auto producer = parent_ ? caf::actor{} : customer.producer;
    if (!children_.empty()) {
      this->tell(children_[child_of(customer.at)], std::move(customer));
    } else {
      place_.customers.push_back(customer.at);
      cost_ += nearest(customer.at);
      if (cost_ > threshold_)
        partition();
    }
    if (producer)
      this->tell(producer, NextCustomer{});
  }

  void partition() {
    if (parent_)
      this->tell(parent_, Facility{place_.position, place_.depth, place_.box.centre(), true});
    std::array<std::vector<Point>, 4> given;
    for (const auto customer : place_.customers)
      given[child_of(customer)].push_back(customer);
    place_.customers = {};
    const auto quarters = place_.box.quarters();
    for (std::size_t i = 0; i < quarters.size(); ++i) {
      Place child{i, place_.depth + 1, quarters[i], place_.facilities, std::move(given[i])};
      child.facilities.push_back(quarters[i].centre());
      children_.push_back(
          this->template create<Quadrant>(report_, this->self(), threshold_, std::move(child)));
    }
  }

  void pass_up(const Facility& facility) {
    ++ups_;
    if (parent_)
      this->tell(parent_, Facility{place_.position, facility.depth, facility.at, true});
    if (!exiting_)
      send_down(children_[3 - facility.position], facility);
  }

  void pass_down(const Facility& facility) {
    for (const auto& child : children_)
      send_down(child, facility);
  }

  void send_down(const caf::actor& child, const Facility& facility) {
    this->tell(child, Facility{place_.position, facility.depth, facility.at, false});
    ++downs_;
  }

  void request_exit() {
    exiting_ = true;
    for (const auto& child : children_)
      this->tell(child, RequestExit{});
    if (!children_.empty()) {
      total_.facilities = 1;
      return;
    }
    const auto n = length(place_.customers);
    total_ = {0, n, place_.depth, place_.depth * n, cost_};
    leave();
  }

  void leave() {
    report_.downs.add(downs_);
    if (parent_) {
      this->tell(parent_, ConfirmExit{total_});
    } else {
      report_.total = total_;
      report_.root_ups = ups_;
    }
    children_.clear(); // or parent and children would hold each other
    this->quit();
  }

  Report& report_;
  caf::actor parent_;
  double threshold_;
  Place place_;
  double cost_ = 0.0;
  std::vector<caf::actor> children_;
  bool exiting_ = false;
  std::size_t confirmed_ = 0;
  std::int64_t ups_ = 0;
  std::int64_t downs_ = 0;
  ConfirmExit total_{};
};

template <class Run>
class Producer final : public Actor<Run> {
 public:
  Producer(caf::actor_config& config, Run& run, caf::actor root, std::int64_t customers, double grid,
           std::int64_t seed, bool uniform)
      : Actor<Run>{config, run},
        root_{std::move(root)},
        left_{customers},
        grid_{grid},
        rng_{seed},
        uniform_{uniform} {}

  caf::behavior make_behavior() override {
    produce();
    return this->receive([this](NextCustomer) { produce(); });
  }

 private:
  void produce() {
    if (left_-- > 0) {
      const auto x = draw();
      this->tell(root_, Customer{{x, draw()}, this->self()});
    } else {
      this->tell(root_, RequestExit{});
      this->quit();
    }
  }

  double draw() {
    return uniform_ ? static_cast<double>(rng_.next()) / 65536.0 * grid_ : rng_.unit() * grid_;
  }

  caf::actor root_;
  std::int64_t left_;
  double grid_;
  Rng rng_;
  bool uniform_;
};

template <class Run>
Outcome run(Run& run, const Parameters& parameters) {
  const auto grid = parameters.number("g");
  const auto threshold = parameters.number("a") * (std::sqrt(2.0) * grid);
  Report report;
  run.timed([&] {
    const Box box{{0, 0}, {grid, grid}};
    const auto root = run.template spawn<Quadrant<Run>>(report, caf::actor{}, threshold,
                                                        Place{0, 0, box, {box.centre()}, {}});
    static_cast<void>(run.template spawn<Producer<Run>>(root, parameters["n"], grid, parameters["s"],
                                                        parameters.word("dist") == "uniform"));
  });
  const auto& total = report.total;
  return {total.depthsum,
          {{"facilities", total.facilities},
           {"customers", total.customers},
           {"maxdepth", total.maxdepth},
           {"cost", total.cost},
           {"rootups", report.root_ups}},
          {{"facility_down", report.downs.get()}}};
}

} // namespace facloc

Benchmark entry::facloc() {
  return {"facloc",
          {{"n", at_least(1)},
           {"g", number_above(0)},
           {"a", number_above(0)},
           {"s", any_integer()},
           {"dist", one_of({"savina", "uniform"})}},
          facloc::run<Run<false>>,
          facloc::run<Run<true>>,
          compat::register_types<caf::id_block::scoville_facloc>};
}

} // namespace scoville
