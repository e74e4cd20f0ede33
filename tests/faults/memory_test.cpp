// SPDX-License-Identifier: Apache-2.0
// Every allocation of a run fails, one after the other: the caller gets std::bad_alloc or the right
// result, nothing leaks, and the machine works afterwards.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "host/binding.hpp"
#include "model/player.hpp"
#include "model/prediction.hpp"
#include "model/random_program.hpp"
#include "random_rounds.hpp"
#include "rationed_memory.hpp"
#include "seed.hpp"
#include "threads/worker_affinity.hpp"
#include "verified_programs.hpp"
#include "watchdog.hpp"

namespace {

using pleat::machine, pleat::machine_options, pleat::task, pleat::vp;

using work = std::function<void(machine&)>;

constexpr std::size_t plenty = ~std::size_t{0};

// No more steps than this for one program, evenly spread from a random one, unless all are asked
// for.
std::size_t most_steps() {
  if (std::getenv("PLEAT_TEST_EXHAUSTIVE") != nullptr) return plenty;
  return pleat::detail::sanitized ? 15 : 60;
}

// Tells whether this ended for want of memory.
bool for_want_of_memory(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const pleat::vp_failed& failure) {
    return for_want_of_memory(failure.cause());
  } catch (const pleat::environment_error&) {
    return true;  // a thread there was no memory for
  } catch (...) {
    return false;
  }
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

// Returns what `body` throws; null if nothing.
template <class Body> std::exception_ptr thrown_by(const Body& body) {
  try {
    body();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// Point from which on memory is refused.
enum class from { the_machine, the_run };

class memory : public testing::Test {
 protected:
  // `expected`: a word of the error that `body` ends with when there is memory; null: with none.
  void refuse_each(const char* name, const machine_options& options, const work& body,
                   const char* expected = nullptr, from where = from::the_machine) {
    const auto right = [&](const std::exception_ptr& thrown) {
      if (thrown == nullptr || expected == nullptr) return !thrown && !expected;
      return text_of(thrown).find(expected) != std::string::npos;
    };
    const auto carry_out = [&](std::optional<machine>& m, std::size_t first, bool and_all_after) {
      if (where == from::the_run) m.emplace(options);
      faults::ration_memory(first, and_all_after);
      const std::exception_ptr thrown = thrown_by([&] {
        if (!m) m.emplace(options);
        body(*m);
      });
      return std::pair(thrown, faults::end_ration());
    };
    const auto enough = [&](std::size_t blocks) {
      std::optional<machine> m;
      return carry_out(m, blocks, false).second == 0;
    };

    dog_.watch(name, 0);
    for (int i = 0; i < 2; ++i) {  // what is made once a process is there afterwards
      std::optional<machine> m;
      const std::exception_ptr thrown = carry_out(m, plenty, false).first;
      ASSERT_TRUE(right(thrown)) << name << ": " << (thrown ? text_of(thrown) : "no error");
    }
    // Every block is asked for again by the next attempt, so that the first refusal tells.
    std::size_t blocks = 1;
    while (!enough(blocks)) blocks *= 2;
    for (std::size_t low = blocks / 2; low + 1 < blocks;) {
      const std::size_t middle = (low + blocks) / 2;
      (enough(middle) ? blocks : low) = middle;
    }
    const std::size_t stride = 1 + blocks / most_steps();
    for (const bool and_all_after : {false, true}) {
      // With all of it refused the C++ library sometimes ends the process, in the function that
      // allocates exceptions.
      if (and_all_after && where == from::the_run) break;
      for (std::size_t k = seed() % stride; k <= blocks; k += stride) {
        dog_.watch(name, k);
        SCOPED_TRACE(std::string(name) + ", allocation " + std::to_string(k) + " of " +
                     std::to_string(blocks) + (and_all_after ? " and all after it" : ""));
        const long before = faults::blocks_in_use();
        {
          std::optional<machine> m;
          const auto [thrown, refused] = carry_out(m, k, and_all_after);
          if (!right(thrown) && !(refused != 0 && thrown && for_want_of_memory(thrown)))
            ADD_FAILURE() << (thrown ? text_of(thrown) : "no error");
          if (m) {
            const std::exception_ptr again = thrown_by([&] { body(*m); });
            EXPECT_TRUE(right(again)) << "afterwards: " << (again ? text_of(again) : "no error");
          }
        }
        EXPECT_EQ(faults::blocks_in_use(), before) << "a leak";
        if (HasFailure()) return;
      }
    }
  }

 private:
  faults::watchdog dog_;
};

const machine_options two = {.processors = 2, .wait = pleat::wait_policy::park};
const machine_options strict_two = {
    .processors = 2, .wait = pleat::wait_policy::park, .strict = true};

TEST_F(memory, that_is_refused_to_a_machine_leaves_nothing_behind) {
  refuse_each("a machine", two, [](machine&) {});
  // A thread runs when there is no memory for the next one.
  refuse_each("a machine of three", {.processors = 3, .wait = pleat::wait_policy::park},
              [](machine&) {});
}

TEST_F(memory, that_is_refused_to_a_program_ends_it_and_leaves_the_machine_usable) {
  for (const auto& program : faults::verified_programs())
    refuse_each(program.name, two, [&](machine& on) { program.carry_out(on, 3, 1); });
}

// Runs keep what they take for the next one, also the report unless a copy is kept.
TEST_F(memory, is_not_asked_for_by_a_run_like_the_one_before) {
  using pleat::wait_policy;
  for (const wait_policy policy : {wait_policy::automatic, wait_policy::spin, wait_policy::park}) {
    for (const std::size_t v : {1, 2, 5}) {
      machine on({.processors = 2, .wait = policy, .strict = false});
      const auto run = [&] {
        return on.run(v, [](vp& me) -> task<> {
          me.send(me.size() - 1 - me.rank(), me.rank());
          co_await me.sync(0);
        });
      };
      for (int before = 0; before < 4; ++before) static_cast<void>(run());
      faults::ration_memory(0, true);
      std::exception_ptr thrown;
      for (int again = 0; again < 4; ++again)
        if (thrown == nullptr) thrown = thrown_by([&] { static_cast<void>(run()); });
      EXPECT_EQ(faults::end_ration(), 0u) << v << " VPs";
      EXPECT_EQ(thrown, nullptr) << v << " VPs";
    }
  }
}

/// Moves this thread to that PU, where it stays until something moves it, most likely.
void move_this_thread_away(const pleat::detail::affinity& all, std::size_t to) {
  pleat::detail::affinity::only(all.pus()[to]).apply();
  all.apply();
}

// The kernel moves workers as it likes, most of all between two runs.
TEST_F(memory, is_not_asked_for_by_a_worker_that_was_moved_elsewhere) {
  using pleat::detail::affinity;
  const pleat::detail::affinity_scope restore;
  const affinity all = affinity::current();
  const std::vector<unsigned> pus = all.pus();
  if (pus.size() < 2) GTEST_SKIP() << "one PU: nowhere else to be";
  const pleat::detail::worker_affinity workers(pleat::workers::kept, {pus[0]}, affinity::of(pus));
  for (int time = 0; time < 20; ++time) {
    move_this_thread_away(all, 1);
    faults::ration_memory(0, true);
    workers.restore(0);
    EXPECT_EQ(faults::end_ration(), 0u);
    EXPECT_EQ(affinity::current(), all);
  }
}

TEST_F(memory, is_not_asked_for_by_a_run_whose_workers_are_moved) {
  using pleat::detail::affinity;
  const pleat::detail::affinity_scope restore;
  const affinity all = affinity::current();
  if (all.pus().size() < 2) GTEST_SKIP() << "one PU: nowhere else to be";
  machine on({.processors = 2, .wait = pleat::wait_policy::park, .strict = false});
  unsigned away = 0;  // 1 + the PU, of VP 1's worker, in one run
  const auto run = [&](unsigned to) {
    away = to;
    return on.run(2, [&](vp& me) -> task<> {
      co_await me.sync(0);
      if (me.rank() == 1 && away != 0) affinity::only(away - 1).apply();
    });
  };
  for (int before = 0; before < 4; ++before) static_cast<void>(run(0));
  std::size_t seen_elsewhere = 0;
  for (const unsigned pu : all.pus()) {
    faults::ration_memory(0, true);
    std::exception_ptr thrown;
    for (int again = 0; again < 4 && thrown == nullptr; ++again) {
      thrown = thrown_by([&] {
        const auto report = run(again % 2 == 0 ? pu + 1 : 0);
        for (const pleat::binding& one : report.bindings) seen_elsewhere += one.bound() ? 0 : 1;
      });
    }
    EXPECT_EQ(faults::end_ration(), 0u);
    EXPECT_EQ(thrown, nullptr);
  }
  EXPECT_GE(seen_elsewhere, 2u);
}

TEST_F(memory, of_messages_that_nobody_receives_is_given_back) {
  for (const machine_options& options : {two, strict_two}) {
    for (const std::size_t v : {1, 2, 5}) {
      for (const std::size_t n : {1, 1000}) {
        machine on(options);
        const std::vector<int> message(n, 3);
        const auto run = [&] {
          on.run(v, [&](vp& me) -> task<> {
            for (std::size_t q = 0; q < v; ++q) me.send(q, std::span<const int>(message));
            co_await me.sync(0);
          });
        };
        for (int before = 0; before < 4; ++before) run();
        const long held = faults::blocks_in_use();
        for (int again = 0; again < 20; ++again) run();
        EXPECT_EQ(faults::blocks_in_use(), held) << v << " VPs, " << n << " numbers";
      }
    }
  }
}

// The distribution, also where the vectors of this processor sort faster. Before the first choice.
const bool by_digits = setenv("PLEAT_KERNELS", "sort=digits", 0) == 0;

/// Keys that sorts of many words go different ways with: even ones, few different ones, half of
/// them crowded among few leading digits, and half of them few with the others even or in two
/// corners.
template <class U> std::vector<std::vector<U>> keys_of_many_words() {
  constexpr std::size_t n = 40000;
  std::mt19937_64 random(1);
  std::vector<std::vector<U>> all(5, std::vector<U>(n));
  for (std::size_t i = 0; i < n; ++i) {
    all[0][i] = static_cast<U>(random());
    all[1][i] = static_cast<U>(random() % 8);
    all[2][i] = static_cast<U>(i % 2 == 0 ? random() : random() % n);
    all[3][i] = static_cast<U>(i % 2 == 0 ? random() : random() % 3 << 20);
    all[4][i] = static_cast<U>(i % 2 == 0 ? random() % 2 * (~U{0} / 2) + random() % n : 77777);
  }
  return all;
}

template <class U, class Refuse> void sort_without_losing(std::size_t vps, const Refuse& refuse) {
  for (const std::vector<U>& given : keys_of_many_words<U>()) {
    std::vector<U> expected = given;
    std::ranges::sort(expected);
    std::vector<U> keys = given;
    refuse([&](machine& on) {
      std::ranges::copy(given, keys.begin());
      const auto thrown = thrown_by([&] { pleat::sort(on, keys, {}, {.vps = vps}); });
      if (thrown != nullptr) std::ranges::sort(keys);  // takes no memory
      EXPECT_TRUE(keys == expected) << "keys are lost";
      if (thrown != nullptr) std::rethrow_exception(thrown);
    });
  }
}

TEST_F(memory, that_is_refused_to_a_sort_loses_no_key) {
  const auto refuse = [this](const work& body) { refuse_each("sort", two, body); };
  sort_without_losing<std::uint32_t>(1, refuse);
  sort_without_losing<std::uint64_t>(2, refuse);
}

TEST_F(memory, that_is_refused_to_machines_of_other_kinds) {
  const auto& ring = faults::verified_programs()[0];
  const work body = [&](machine& on) { ring.carry_out(on, 5, 1); };
  refuse_each("strict", strict_two, body);
  refuse_each(
      "timeline",
      {.processors = 2, .wait = pleat::wait_policy::park, .observe = pleat::observed::timeline},
      body);
  refuse_each("tracing", {.trace = pleat::tracing{}}, body);
  refuse_each("tracing messages", {.trace = pleat::tracing{.messages = true}}, body);
}

// The programs catch std::bad_alloc and do the same once more. What the runtime cannot take back, a
// barrier that has begun, ends the run all the same.
TEST_F(memory, that_is_refused_to_programs_that_try_again_loses_no_message) {
  const auto played = [&](machine_options options, std::size_t v, std::uint64_t seed) {
    options.strict = options.strict.value_or(false);  // debug builds are strict otherwise
    dice random(seed);
    const model::program all = model::random_program(v, random, *options.strict);
    const model::trace given = model::predict(all, *options.strict).given;
    const std::string name = "M(" + std::to_string(v) + "), seed " + std::to_string(seed);
    refuse_each(
        name.c_str(), options,
        [&](machine& on) {
          model::stage stage(all);
          on.run(v, [&](vp& me) { return model::player::play(me, stage); });
          if (stage.given != given || stage.spoilt != 0) throw faults::wrong_result(name);
        },
        nullptr, from::the_run);
  };
  const machine_options one = {.processors = 1};
  // VPs that have a worker each and find the others at the barrier pass it without suspending.
  const machine_options solo = {.processors = 2, .wait = pleat::wait_policy::spin};
  const machine_options three = {.processors = 3, .wait = pleat::wait_policy::park};
  for (std::uint64_t seed = 1; seed <= 4 && !HasFailure(); ++seed) {
    played(solo, 2, seed);
    played(three, 3, seed);
    for (const machine_options& options : {one, two, strict_two}) played(options, 5 + seed, seed);
  }
}

// Errors that are under way when memory ends: the sentence may be lost, not the error.
TEST_F(memory, that_is_refused_while_an_error_is_reported) {
  const auto ends = [&](const char* name, const machine_options& options, const char* expected,
                        std::size_t v, task<> (*program)(vp&)) {
    refuse_each(
        name, options, [&](machine& on) { on.run(v, program); }, expected);
  };
  ends("an exception", two, "expected", 9, [](vp& me) -> task<> {
    const std::string local(100, 'x');
    co_await me.sync(0);
    if (me.rank() == 5) throw std::runtime_error("an exception that is expected");
    co_await me.sync(0);
  });
  ends("a deadlock", two, "deadlock", 6, [](vp& me) -> task<> {
    const std::string local(100, 'x');
    const auto never = co_await me.pop<int>((me.rank() + 1) % me.size());
    static_cast<void>(never);
  });
  ends("a mismatch", two, "mismatch", 4, [](vp& me) -> task<> {
    const std::string local(100, 'x');
    co_await me.sync(me.rank() == 0 ? 1 : 0);
  });
  ends("lent memory modified", strict_two, "lent", 4, [](vp& me) -> task<> {
    std::vector<int> mine(100, 1);
    me.lend((me.rank() + 1) % 4, std::span<const int>(mine));
    co_await me.sync(0);
    mine[50] = 2;
    co_await me.sync(0);
  });
}

// ---------------------------------------------------------------- how much memory

/// Memory that a body takes beyond what there was, at most at a time, in units of `input` bytes.
template <class Body> double memory_over(std::size_t input, const Body& body) {
  faults::forget_most_bytes();
  const std::size_t before = faults::bytes_in_use();
  body();
  return static_cast<double>(faults::most_bytes_in_use() - before) / static_cast<double>(input);
}

/// On machines of their own, and at sizes no other test has, so that plans are made here.
template <class T> void expect_memory_of_convolutions(unsigned workers, std::size_t prime) {
  SCOPED_TRACE(std::to_string(prime) + " on " + std::to_string(workers) + " workers");
  std::vector<std::complex<T>> x(prime, 1);
  machine complex({.processors = workers});
  const auto transform = [&] { pleat::fft(complex, x, x); };
  const double first = memory_over(x.size() * sizeof x[0], transform);
  EXPECT_LE(first, 6);
  EXPECT_LE(memory_over(x.size() * sizeof x[0], transform), 0.1) << "the next of its size";

  const auto real_over = [&](std::size_t n) {
    const std::vector<T> numbers(n, 1);
    std::vector<std::complex<T>> spectrum(n / 2 + 1);
    machine real({.processors = workers});
    return memory_over(n * sizeof(T), [&] { pleat::rfft(real, numbers, spectrum); });
  };
  const double odd = real_over(prime + 2);  // another prime
  EXPECT_LE(odd, 13);
  EXPECT_LE(real_over(2 * (prime + 2)), 6);
  if (!pleat::detail::sanitized) {
    EXPECT_GT(first, 3);  // all of it is counted
    EXPECT_GT(odd, 6);
  }
}

TEST(memory_taken, by_convolutions_is_what_fft_and_rfft_say) {
  for (const std::size_t prime : {49'937, 99'989, 131'447}) {
    expect_memory_of_convolutions<double>(1, prime);
    expect_memory_of_convolutions<float>(2, prime);
  }
}

}  // namespace
