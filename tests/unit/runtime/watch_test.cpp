// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <stdexcept>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

struct enough : std::runtime_error {
  enough() : std::runtime_error("enough") {}
};

class watched : public testing::TestWithParam<pleat::wait_policy> {
 protected:
  pleat::machine machine{{.processors = 2, .wait = GetParam()}};

  /// The call, which goes on until it is given up, throws what the watch does; the next one is
  /// well.
  template <class Call> void expect_to_end(const Call& call) {
    {
      pleat::detail::watch looking([] { throw enough(); });
      EXPECT_THROW(
          {
            call();
            looking.rethrow();
          },
          enough);
    }
    EXPECT_EQ(machine.run(4, [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); }).vps, 4U);
  }
};

pleat::task<> sync_for_ever(pleat::vp& me) {
  for (;;) co_await me.sync(0);
}
/// The processors but one wait for one that is in a long kernel.
pleat::task<> wait_for(pleat::vp& me, std::size_t late) {
  while (me.rank() == late && !pleat::detail::given_up()) {
  }
  co_await me.sync(0);
  co_await me.sync(0);
}

TEST_P(watched, ManyVpsEnd) {
  expect_to_end([&] { machine.run(1000, sync_for_ever); });
}
TEST_P(watched, AVpPerWorkerEnds) {
  expect_to_end([&] { machine.run(2, sync_for_ever); });
}
TEST_P(watched, KernelsEndOnTheCallersThreadAndOnOthers) {
  for (const std::size_t late : {0U, 1U})
    expect_to_end([&] { machine.run(2, [late](pleat::vp& me) { return wait_for(me, late); }); });
}
INSTANTIATE_TEST_SUITE_P(Waits, watched,
                         testing::Values(pleat::wait_policy::automatic, pleat::wait_policy::park,
                                         pleat::wait_policy::yield, pleat::wait_policy::spin));

TEST(Watch, LooksAtSuperstepsAndKnowsHowMany) {
  pleat::machine machine({.processors = 1});
  std::size_t seen = 0;
  pleat::detail::watch looking([&] {
    for (const std::uint64_t of_label : pleat::detail::current_watch->supersteps) seen += of_label;
    if (seen != 0) throw enough();
  });
  EXPECT_THROW(machine.run(8, sync_for_ever), enough);
}

}  // namespace
