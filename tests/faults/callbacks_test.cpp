// SPDX-License-Identifier: Apache-2.0
// Every callback of a user throws, at its first call, its second, and so on: what it throws reaches
// the caller, no value of a sorted range is lost, and the machine works afterwards.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/reduce.hpp>
#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"
#include "watchdog.hpp"

namespace {

using pleat::machine, pleat::task, pleat::vp;

/// Exception of the callbacks, which no other code would catch.
struct thrown {
  long call;
};

/// Calls still to be made before one throws; far below 0: none does.
std::atomic<long> calls_left;
std::atomic<long> calls_made;

void callback() {
  ++calls_made;
  if (calls_left-- == 0) throw thrown{calls_made};
}

struct counted_less {
  bool operator()(const auto& a, const auto& b) const {
    callback();
    return a < b;
  }
};
struct counted_projection {
  std::uint32_t operator()(std::uint32_t x) const {
    callback();
    return x ^ 0x55u;
  }
};
struct counted_plus {
  template <class T> T operator()(const T& a, const T& b) const {
    callback();
    return a + b;
  }
};
struct counted_semiring {
  template <class T> static T zero() { return T{}; }
  template <class T> static T plus(T a, T b) {
    callback();
    return a + b;
  }
  template <class T> static T times(T a, T b) {
    callback();
    return a * b;
  }
};

std::vector<std::uint32_t> keys(std::size_t n) {
  std::vector<std::uint32_t> made(n);
  for (std::size_t i = 0; i < n; ++i)
    made[i] = static_cast<std::uint32_t>((i + 1) * 2654435761u) >> 8;
  return made;
}

class callbacks : public machines {
 protected:
  // `body` calls callbacks; `check` looks at what it has left behind when one has thrown.
  void each_throws(
      const char* name, const std::function<void(machine&)>& body,
      const std::function<void()>& check = [] {}) {
    // Messages wait for a coarser barrier here, which strict mode forbids.
    machine m({.processors = 2, .wait = pleat::wait_policy::park, .strict = false});
    calls_left = -1;
    calls_made = 0;
    body(m);
    const long calls = calls_made;
    ASSERT_GT(calls, 0) << name;
    const long stride = std::max<long>(1, calls / 40);
    for (long k = 0; k < calls; k += k < 20 ? 1 : stride) {
      SCOPED_TRACE(std::string(name) + ", call " + std::to_string(k) + " of " +
                   std::to_string(calls));
      dog_.watch(name, static_cast<std::size_t>(k));
      calls_left = k;
      calls_made = 0;
      try {
        body(m);
        // With several VPs the number of calls may depend on who was first.
        EXPECT_GE(calls_left, 0) << "what was thrown is lost";
      } catch (const thrown&) {
      } catch (const pleat::vp_failed& failure) {
        EXPECT_THROW(failure.rethrow_cause(), thrown);
      }
      check();
      calls_left = -1;
      body(m);
      if (HasFailure()) return;
    }
  }

 private:
  faults::watchdog dog_;
};

TEST_F(callbacks, of_sorts) {
  // With no more keys a VP than VPs, the recursion of the model.
  for (const auto& [keys_given, vps_given] :
       {std::pair(900u, 1u), std::pair(900u, 2u), std::pair(900u, 5u), std::pair(8u, 4u),
        std::pair(64u, 64u)}) {
    const std::size_t n = keys_given, vps = vps_given;
    std::vector<std::uint32_t> values;
    const auto complete = [&] {
      auto sorted = values;
      auto expected = keys(n);
      std::ranges::sort(sorted);
      std::ranges::sort(expected);
      EXPECT_EQ(sorted, expected) << "values were lost";
    };
    each_throws(
        "sort, less",
        [&](machine& on) {
          values = keys(n);
          pleat::sort(on, values, counted_less{}, {.vps = vps});
        },
        complete);
    each_throws(
        "stable_sort, projection",
        [&](machine& on) {
          values = keys(n);
          pleat::stable_sort(on, values, std::less<>{}, counted_projection{}, {.vps = vps});
        },
        complete);
    each_throws("argsort, less", [&](machine& on) {
      static_cast<void>(pleat::argsort(on, keys(n), counted_less{}, {}, {.vps = vps}));
    });
    std::vector<std::uint32_t> by;
    each_throws(
        "sort_by_key, less",
        [&](machine& on) {
          by = values = keys(n);
          pleat::sort_by_key(on, by, values, counted_less{}, {.vps = vps});
        },
        [&] {
          EXPECT_EQ(by, keys(n));
          EXPECT_EQ(values, keys(n));
        });
  }
}

TEST_F(callbacks, of_stencils) {
  for (const std::size_t vps : {1u, 2u, 3u}) {
    std::vector<double> cells;
    const auto reset = [&] {
      cells.assign(300, 0.0);
      cells[150] = 1;
    };
    each_throws("stencil, kernel", [&](machine& on) {
      reset();
      pleat::stencil(on, pleat::grid_view<double, 1>(cells.data(), {cells.size()}), 12,
                     [](const auto& u) {
                       callback();
                       return 0.5 * u(0) + 0.25 * (u(-1) + u(1));
                     },
                     {.vps = vps});
    });
    each_throws("stencil, after", [&](machine& on) {
      reset();
      pleat::stencil(on, pleat::grid_view<double, 1>(cells.data(), {cells.size()}), 12,
                     [](const auto& u) { return 0.5 * u(0) + 0.25 * (u(-1) + u(1)); },
                     {.every = 3, .after = [](std::size_t) { callback(); }, .vps = vps});
    });
  }
}

TEST_F(callbacks, of_products_prefixes_and_collectives) {
  for (const std::size_t vps : {1u, 2u, 4u}) {
    const std::vector<std::int64_t> a(12 * 12, 2);
    std::vector<std::int64_t> c(12 * 12);
    const pleat::strided_view<const std::int64_t> in(a.data(), 12, 12, 12);
    each_throws("matmul, semiring", [&](machine& on) {
      pleat::matmul<counted_semiring>(
          on, in, in, pleat::strided_view<std::int64_t>(c.data(), 12, 12, 12), {.vps = vps});
    });
    each_throws("all_reduce, operator", [&](machine& on) {
      on.run(vps + 1, [](vp& me) -> task<> {
        const std::vector<long> mine(5, static_cast<long>(me.rank()));
        std::vector<long> sum(5);
        co_await pleat::all_reduce(me, std::span<const long>(mine), std::span(sum), counted_plus{});
      });
    });
  }
  std::vector<long> values;
  each_throws(
      "prefix, operator",
      [&](machine& on) {
        values.assign(50, 1);
        pleat::prefix(on, values, counted_plus{});
      },
      [&] {
        if (calls_left < 0) {
          EXPECT_EQ(values, std::vector<long>(50, 1));
        }
      });
}

TEST_F(callbacks, that_are_programs) {
  each_throws("a program", [&](machine& on) {
    on.run(9, [](vp& me) {
      callback();
      return [](vp& vp_) -> task<> {
        const std::string local(100, 'x');
        callback();
        for (unsigned label = vp_.labels(); label-- != 0;) {
          vp_.send((vp_.rank() + 1) % vp_.size(), std::span<const char>(local));
          co_await vp_.sync(label);
          callback();
        }
        co_await vp_.push((vp_.rank() + 1) % vp_.size(), 7);
        callback();
        const int got = co_await vp_.pop<int>((vp_.rank() + vp_.size() - 1) % vp_.size());
        static_cast<void>(got);
        callback();
      }(me);
    });
  });
}

}  // namespace
