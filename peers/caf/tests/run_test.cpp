// The facade: what an actor must not do ends the process with a reason.
#include "run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace scoville::test {

struct Known {};
struct Unknown {};

} // namespace scoville::test

CAF_BEGIN_TYPE_ID_BLOCK(scoville_test, caf::first_custom_type_id + 1)
  SCOVILLE_MESSAGE(scoville_test, scoville::test::Known)
  SCOVILLE_MESSAGE(scoville_test, scoville::test::Unknown)
CAF_END_TYPE_ID_BLOCK(scoville_test)

namespace scoville::test {
namespace {

class Strict final : public caf::event_based_actor {
 public:
  Strict(caf::actor_config& config, Run<false>& run) : caf::event_based_actor{config}, run_{run} {}

  caf::behavior make_behavior() override {
    return run_.handlers(this, [this](Known) { quit(); });
  }

 private:
  Run<false>& run_;
};

/// Sends a message to an actor that knows only `Known`.
template <class Message>
void send_to_strict() {
  compat::register_types<caf::id_block::scoville_test>();
  compat::register_core_types();
  on_failure([](std::string_view reason) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(reason.size()), reason.data());
    std::_Exit(42);
  });
  caf::actor_system_config config;
  compat::configure_scheduler(config, 2);
  caf::actor_system system{config};
  Run<false> run{system, [] {}};
  run.timed([&] { run.send(run.spawn<Strict>(), Message{}); });
  std::_Exit(0);
}

// A process of its own for each: threads and a failure handler are left behind.
TEST(RunDeathTest, EndsWhenAllActorsHaveStopped) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(send_to_strict<Known>(), ::testing::ExitedWithCode(0), "");
}

TEST(RunDeathTest, FailsOnAnUnexpectedMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(send_to_strict<Unknown>(), ::testing::ExitedWithCode(42), "does not know");
}

} // namespace
} // namespace scoville::test
