// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>

#include "counted.hpp"
#include "unit/message_of.hpp"

namespace task_test {

using pleat::task, pleat::vp;

static_assert(!std::is_copy_constructible_v<task<>> &&
              std::is_nothrow_move_constructible_v<task<>>);

pleat::machine& one_worker() {
  static pleat::machine machine({.processors = 1});
  return machine;
}

// Runs a program of one virtual processor.
template <class F> void run(F&& program) { one_worker().run(1, program); }

task<int> twice(int x) { co_return 2 * x; }

task<std::unique_ptr<int>> boxed(int x) { co_return std::make_unique<int>(x); }

task<std::string> joined(std::string a, std::string b) { co_return a + b; }

task<> note(std::vector<int>& order, int what) {
  order.push_back(what);
  co_return;
}

task<int> thrower(const std::string& why) {
  if (!why.empty()) throw std::runtime_error(why);
  co_return 0;
}

task<int> rethrower(counted local) {
  (void)local;
  const std::string why = "from below";
  const int never = co_await thrower(why);
  co_return never;
}

task<std::size_t> depth(std::size_t n) {
  if (n == 0) co_return 0;
  const std::size_t below = co_await depth(n - 1);
  co_return below + 1;
}

TEST(task, gives_results_that_can_only_be_moved) {
  int result = 0;
  run([&](vp&) -> task<> {
    const std::unique_ptr<int> box = co_await boxed(7);
    result = *box;
  });
  EXPECT_EQ(result, 7);
}

TEST(task, owns_its_arguments_until_it_ends) {
  std::string result;
  run([&](vp&) -> task<> {
    task<std::string> later = [] {
      const std::string a(100, 'a'), b(100, 'b');
      return joined(a, b);
    }();
    result = co_await later;
  });
  EXPECT_EQ(result, std::string(100, 'a') + std::string(100, 'b'));
}

TEST(task, does_nothing_before_it_is_awaited) {
  std::vector<int> order;
  run([&](vp&) -> task<> {
    task<> second = note(order, 2);
    task<> first = note(order, 1);
    order.push_back(0);
    co_await first;
    co_await second;
    order.push_back(3);
  });
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(task, is_refused_outside_a_run) {
  std::vector<int> order;
  // A task that stays where it is made may be made without memory of its own, and so without
  // notice.
  std::vector<decltype(note(order, 1))> kept;
  EXPECT_THROW(kept.push_back(note(order, 1)), pleat::usage_error);
  EXPECT_TRUE(order.empty());
}

TEST(task, keeps_apart_what_different_virtual_processors_throw) {
  std::vector<std::string> caught(8);
  one_worker().run(8, [&](vp& me) -> task<> {
    const std::string mine = "from " + std::to_string(me.rank());
    for (int i = 0; i < 3; ++i) {
      try {
        const int never = co_await thrower(mine);
        (void)never;
      } catch (const std::runtime_error& e) {
        caught[me.rank()] = e.what();
      }
      co_await me.sync(0);
    }
  });
  for (std::size_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(caught[rank], "from " + std::to_string(rank));
}

TEST(task, moves_with_its_coroutine) {
  std::vector<int> order;
  run([&](vp&) -> task<> {
    task<> a = note(order, 1);
    task<> b = note(order, 2);
    task<> c = std::move(a);
    a = std::move(b);
    co_await a;
    co_await c;
  });
  EXPECT_EQ(order, (std::vector{2, 1}));
}

TEST(task, throws_in_the_awaiter_what_its_body_threw) {
  int alive = 0;
  std::string caught;
  run([&](vp&) -> task<> {
    const counted argument(alive);
    try {
      const task<int> below = rethrower(argument);
      const int never = co_await below;
      caught = std::to_string(never);
    } catch (const std::runtime_error& e) {
      caught = e.what();
    }
    // The one argument here; that of rethrower and its copy are gone.
    EXPECT_EQ(alive, 1);
  });
  EXPECT_EQ(caught, "from below");
  EXPECT_EQ(alive, 0);
}

constexpr std::size_t many = 20000;

TEST(task, nests_deeply) {
  std::size_t reached = 0;
  run([&](vp&) -> task<> { reached = co_await depth(many); });
  EXPECT_EQ(reached, many);
}

TEST(task, awaited_in_a_loop_costs_no_memory) {
  int sum = 0;
  run([&](vp&) -> task<> {
    for (std::size_t i = 0; i < 20 * many; ++i) sum += co_await twice(1);
  });
  EXPECT_EQ(sum, static_cast<int>(40 * many));
}

task<std::size_t> sum_below(vp& me, unsigned depth_left) {
  if (depth_left == 0) {
    me.send((me.rank() + 1) % me.size(), me.rank());
    co_await me.sync(0);
    const auto m = me.receive();
    co_return m->get<std::size_t>();
  }
  const std::size_t before = co_await sum_below(me, depth_left - 1);
  co_await me.sync(0);
  const std::size_t after = co_await sum_below(me, depth_left - 1);
  co_return before + after;
}

TEST(task, waits_at_barriers_from_any_depth) {
  constexpr std::size_t v = 6;
  for (const unsigned workers : {1u, 2u, 3u}) {
    pleat::machine machine({.processors = workers});
    std::vector<std::size_t> sums(v);
    machine.run(v, [&](vp& me) -> task<> { sums[me.rank()] = co_await sum_below(me, 4); });
    for (std::size_t rank = 0; rank < v; ++rank) EXPECT_EQ(sums[rank], 16 * ((rank + v - 1) % v));
  }
}

task<> wait(vp& me) { co_await me.sync(0); }

std::string complaint_of(pleat::task<> (*program)(vp&)) {
  return message_of<std::exception>([&] { one_worker().run(1, program); });
}

// Awaits a task as a named one, or as one that is given away.
template <class T> task<T> await_task(task<T>& awaited, bool given_away) {
  if (given_away) co_return co_await std::move(awaited);
  co_return co_await awaited;
}

template <bool given_away_first, bool given_away> task<> await_twice(vp&) {
  task<int> a = twice(1);
  const int first = co_await await_task(a, given_away_first);
  EXPECT_EQ(first, 2);
  const int second = co_await await_task(a, given_away);
  ADD_FAILURE() << second;
}

template <bool given_away> task<> await_moved(vp& me) {
  task<> a = wait(me);
  const task<> b = std::move(a);
  co_await await_task(a, given_away);
}

template <bool given_away> task<> await_what_threw(vp&) {
  const std::string word = "once";
  task<int> a = thrower(word);
  bool thrown = false;
  try {
    co_await await_task(a, given_away);
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  EXPECT_TRUE(thrown);
  co_await await_task(a, given_away);
}

TEST(task, that_was_moved_from_or_awaited_before_cannot_be_awaited) {
  using program = task<> (*)(vp&);
  for (const program wrong :
       {program(await_moved<false>), program(await_moved<true>), program(await_what_threw<false>),
        program(await_what_threw<true>), program(await_twice<false, false>),
        program(await_twice<false, true>), program(await_twice<true, false>),
        program(await_twice<true, true>)}) {
    const std::string what = complaint_of(wrong);
    EXPECT_NE(what.find("moved from or awaited before"), std::string::npos) << what;
  }
}

TEST(task, that_was_awaited_in_an_earlier_run_is_no_program) {
  std::optional<task<>> kept;
  const auto keep = [&](vp& me) -> task<> {
    kept.emplace(wait(me));
    co_await *kept;
  };
  run(keep);
  EXPECT_THROW(run([&](vp&) { return std::move(*kept); }), pleat::vp_failed);
}

TEST(task, that_was_moved_from_is_no_program) {
  const std::string what = complaint_of([](vp& me) {
    task<> a = wait(me);
    const task<> b = std::move(a);
    return a;
  });
  EXPECT_NE(what.find("VP 0"), std::string::npos) << what;
  EXPECT_NE(what.find("moved from"), std::string::npos) << what;
}

// Awaits sync of all labels in the order of `labels`, at awaitables that were made in ascending
// order, each after a message that this label's barrier delivers and no finer one.
task<> await_kept(vp& me, const std::array<unsigned, 3>& labels, std::size_t& wrong) {
  auto first = me.sync(0);
  auto second = me.sync(1);
  auto third = me.sync(2);
  auto pushed = me.push(me.rank() ^ 1, me.rank());
  auto popped = me.pop<std::size_t>(me.rank() ^ 1);
  for (const unsigned label : labels) {
    const std::size_t partner = me.rank() ^ (4u >> label);
    me.send(partner, label);
    if (label == 0) co_await first;
    if (label == 1) co_await second;
    if (label == 2) co_await third;
    const auto message = me.receive();
    if (!message || message->source() != partner || message->get<unsigned>() != label) ++wrong;
  }
  co_await pushed;
  const std::size_t value = co_await popped;
  if (value != (me.rank() ^ 1)) ++wrong;
}

TEST(awaiter, waits_for_its_own_event_whatever_was_awaited_since_it_was_made) {
  std::array<unsigned, 3> labels{0, 1, 2};
  do {
    for (const unsigned workers : {1u, 3u, 8u}) {
      pleat::machine machine({.processors = workers});
      std::array<std::size_t, 8> wrong{};
      const auto report =
          machine.run(8, [&](vp& me) { return await_kept(me, labels, wrong[me.rank()]); });
      EXPECT_EQ(wrong, (std::array<std::size_t, 8>{}));
      for (const unsigned label : labels) EXPECT_EQ(report.supersteps[label], 1u) << label;
    }
  } while (std::ranges::next_permutation(labels).found);
}

template <std::size_t alignment> struct alignas(alignment) aligned_local {
  std::size_t content = 0;
  [[nodiscard]] std::size_t offset() const {
    volatile auto address = reinterpret_cast<std::uintptr_t>(this);
    return address % alignment;
  }
};

template <std::size_t alignment, std::size_t bytes> task<std::size_t> misaligned(vp& me) {
  std::array<volatile char, bytes> beside{};
  aligned_local<alignment> local;
  std::size_t off = local.offset();
  co_await me.sync(0);
  beside[bytes - 1] = static_cast<char>(off);
  off += local.offset();
  co_return off;
}

template <std::size_t alignment> task<> check_alignment(vp& me, std::atomic<std::size_t>& wrong) {
  const std::size_t a = co_await misaligned<alignment, 1>(me);
  const std::size_t b = co_await misaligned<alignment, 16>(me);
  const std::size_t c = co_await misaligned<alignment, 33>(me);
  const std::size_t d = co_await misaligned<alignment, 80>(me);
  const std::size_t e = co_await misaligned<alignment, 3001>(me);
  wrong += a + b + c + d + e;
}

TEST(task, aligns_locals_up_to_a_cache_line) {
  std::atomic<std::size_t> wrong = 0;
  one_worker().run(7, [&](vp& me) -> task<> {
    co_await check_alignment<8>(me, wrong);
    co_await check_alignment<16>(me, wrong);
    co_await check_alignment<32>(me, wrong);
    co_await check_alignment<64>(me, wrong);
  });
  EXPECT_EQ(wrong, 0u);
}

}  // namespace task_test
