// SPDX-License-Identifier: Apache-2.0
// Every allocation of one rank in a call on distributed data fails, one after the other: all ranks
// end with an error or with the right result, none waits for ever, and the next call works.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "rank_threads.hpp"
#include "rationed_memory.hpp"
#include "watchdog.hpp"

namespace {

using pleat::machine;

/// Function that does something while memory is rationed, if it is for this rank.
using rationed = std::function<void(const std::function<void()>&)>;
/// Makes data, calls something `with` rationed memory, and checks what it has done.
using work = std::function<void(machine&, const rationed& with)>;

constexpr std::size_t ranks = 3;

bool for_want_of_memory(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const pleat::environment_error&) {
    return true;
  } catch (...) {
    return false;
  }
}

// No more steps than this for one call, evenly spread.
constexpr std::size_t most_steps = pleat::detail::sanitized ? 10 : 30;

class memory_of_ranks : public testing::Test {
 protected:
  void refuse_each(const char* name, const work& call) {
    for (const std::size_t culprit : {std::size_t{0}, std::size_t{1}}) {
      dog_.watch(name, 0);
      std::size_t blocks = 1;
      while (carry_out(call, culprit, blocks)) blocks *= 2;
      const std::size_t stride = 1 + blocks / most_steps;
      for (std::size_t k = 0; k < blocks && !HasFailure(); k += stride) {
        dog_.watch(name, k);
        SCOPED_TRACE(std::string(name) + ": allocation " + std::to_string(k) + " on rank " +
                     std::to_string(culprit));
        carry_out(call, culprit, k);
      }
    }
  }

 private:
  /// Refuses allocation k of the culprit, then none. Returns whether it was refused.
  bool carry_out(const work& call, std::size_t culprit, std::size_t k) {
    bool refused = false;
    const auto thrown = on_all_ranks(ranks, [&](std::size_t rank) {
      call(machine_.on(rank), [&](const std::function<void()>& act) {
        if (rank != culprit) return act();
        faults::ration_thread(k);
        try {
          act();
        } catch (...) {
          refused = faults::end_thread_ration();
          throw;
        }
        refused = faults::end_thread_ration();
      });
    });
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(thrown[rank] == nullptr, thrown[culprit] == nullptr)
          << "rank " << rank << ": " << words_of(thrown[rank]);
      if (thrown[rank]) {
        EXPECT_TRUE(refused && for_want_of_memory(thrown[rank]))
            << "rank " << rank << ": " << words_of(thrown[rank]);
      }
    }
    for (const std::exception_ptr& after : on_all_ranks(ranks, [&](std::size_t rank) {
           call(machine_.on(rank), [](const std::function<void()>& act) { act(); });
         }))
      EXPECT_EQ(words_of(after), "") << "afterwards";
    return refused;
  }

  faults::watchdog dog_;
  machine_of_ranks machine_ = machine_of_ranks(std::vector<unsigned>(ranks, 1));
};

double small(std::size_t i) { return static_cast<double>(i * 7919 % 101); }

TEST_F(memory_of_ranks, that_is_refused_ends_a_call_on_all_of_them) {
  refuse_each("distributed", [](machine& on, const rationed& with) {
    with([&] { EXPECT_EQ(pleat::distributed<int>(on, 10).size(), 10u); });
  });
  refuse_each("fill and gather", [](machine& on, const rationed& with) {
    pleat::distributed<double> data(on, 100);
    std::vector<double> all;
    with([&] {
      data.fill(on, small);
      all = data.gather(on);
    });
    ASSERT_EQ(all.size(), 100u);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], small(i));
  });
  refuse_each("for_each and transform", [](machine& on, const rationed& with) {
    pleat::distributed<double> data(on, 100), out(on, 100);
    data.fill(on, small);
    with([&] {
      pleat::for_each(on, data, [](double& x) { x += 1; });
      pleat::transform(on, data, out, [](double x) { return 2 * x; });
    });
    for (std::size_t j = 0; j < out.local().size(); ++j)
      EXPECT_EQ(out.local()[j], 2 * small(out.global_index(j)) + 2);
  });
  refuse_each("reduce", [](machine& on, const rationed& with) {
    pleat::distributed<double> data(on, 1000);
    data.fill(on, [](std::size_t) { return 1.0; });
    with([&] { EXPECT_EQ(pleat::reduce(on, data, 0.0), 1000.0); });
  });
}

TEST_F(memory_of_ranks, that_is_refused_ends_a_sort_on_all_of_them) {
  refuse_each("sort", [](machine& on, const rationed& with) {
    pleat::distributed<std::int64_t> data(on, 3000);
    data.fill(on, [](std::size_t i) { return static_cast<std::int64_t>(i * 7919 % 3001) - 1500; });
    with([&] { pleat::sort(on, data); });
    EXPECT_TRUE(std::ranges::is_sorted(data.gather(on)));
  });
  refuse_each("sort_by_key and argsort", [](machine& on, const rationed& with) {
    pleat::distributed<std::uint32_t> keys(on, 300), values(on, 300);
    pleat::distributed<std::uint64_t> order;
    const auto key = [](std::size_t i) { return static_cast<std::uint32_t>(i * 101 % 300); };
    keys.fill(on, key);
    values.fill(on, key);
    with([&] {
      order = pleat::argsort(on, keys);
      pleat::sort_by_key(on, keys, values);
    });
    for (std::size_t j = 0; j < keys.local().size(); ++j) {
      EXPECT_EQ(keys.local()[j], keys.global_index(j));
      EXPECT_EQ(values.local()[j], keys.local()[j]);
      EXPECT_EQ(key(order.local()[j]), keys.local()[j]);
    }
  });
}

TEST_F(memory_of_ranks, that_is_refused_ends_a_stencil_or_a_product_on_all_of_them) {
  refuse_each("stencil", [](machine& on, const rationed& with) {
    std::vector<double> all;
    with([&] {
      pleat::distributed_grid<double, 1> grid(on, {40});
      grid.fill(on, [](std::size_t i) { return i == 20 ? 16.0 : 0.0; });
      pleat::stencil(on, grid, 2,
                     [](const auto& u) { return 0.25 * u(-1) + 0.5 * u(0) + 0.25 * u(1); });
      all = grid.gather(on);
    });
    ASSERT_EQ(all.size(), 40u);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(all[18 + i], (std::array{1.0, 4.0, 6.0, 4.0, 1.0}[i]));
  });
  refuse_each("matmul", [](machine& on, const rationed& with) {
    std::vector<double> all;
    with([&] {
      pleat::distributed_matrix<double> a(on, 7, 5), b(on, 5, 9), c(on, 7, 9);
      a.fill(on, [](std::size_t, std::size_t j) { return static_cast<double>(j); });
      b.fill(on, [](std::size_t, std::size_t j) { return static_cast<double>(j); });
      pleat::matmul(on, a, b, c);
      all = c.gather(on);
    });
    ASSERT_EQ(all.size(), 63u);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 10 * static_cast<double>(i % 9));
  });
}

}  // namespace
