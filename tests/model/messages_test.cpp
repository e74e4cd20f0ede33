// SPDX-License-Identifier: Apache-2.0
// Receipt of messages: when, in which order, and for how long.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>

#include "all_sizes.hpp"
#include "worker_counts.hpp"

namespace messages_test {

using pleat::task, pleat::vp;

constexpr std::size_t sizes[] = {1, 2, 3, 5, 8, 13, 16, 33, 70};

class messages : public model::all_sizes {
 protected:
  template <class Check> void for_all_sizes(Check check) { all_sizes::for_all_sizes(sizes, check); }
};

TEST_P(messages, stay_pending_until_a_barrier_joins_sender_and_receiver) {
  pleat::machine machine(model::over_ranks({.processors = GetParam(), .strict = false}));
  for (const std::size_t v : sizes) {
    machine.run(v, [&](vp& me) -> task<> {
      // To everybody, then barriers from the finest label to the coarsest.
      for (std::size_t to = 0; to < me.size(); ++to) me.send(to, me.rank());
      std::vector<bool> came(me.size(), false);
      for (unsigned label = me.labels(); label-- > 0;) {
        co_await me.sync(label);
        std::size_t last = 0;
        for (auto m = me.receive(); m; m = me.receive()) {
          const std::size_t from = m->get<std::size_t>();
          expect(!came[from] && from >= last);
          came[from] = true;
          last = from;
        }
        const pleat::rank_range joined = pleat::cluster_of(me.size(), me.rank(), label);
        for (std::size_t from = 0; from < me.size(); ++from)
          expect(came[from] == joined.contains(from));
      }
    });
    ASSERT_EQ(wrong, 0) << "M(" << v << ")";
  }
}

TEST_P(messages, stay_readable_until_the_receivers_next_sync) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      const std::size_t from = (me.rank() + me.size() - 1) % me.size();
      for (std::uint64_t round = 0; round < 5; ++round) {
        for (std::uint64_t i = 0; i < 10; ++i) {
          const std::vector<std::uint64_t> values(i % 2 == 0 ? 3 : 300, me.rank() * 1000 + i);
          me.send(to, std::span<const std::uint64_t>(values));
        }
        co_await me.sync(0);
        std::vector<std::span<const std::uint64_t>> held;
        for (auto m = me.receive(); m; m = me.receive()) held.push_back(m->span<std::uint64_t>());
        // Sends in the meantime disturb nothing.
        for (std::uint64_t i = 0; i < 100; ++i) me.send(to, i);
        expect(held.size() == 10);
        for (std::uint64_t i = 0; i < held.size(); ++i) {
          for (const std::uint64_t x : held[i]) expect(x == from * 1000 + i);
        }
        co_await me.sync(0);
        while (me.receive()) {
        }
      }
    });
  });
}

INSTANTIATE_TEST_SUITE_P(on_workers, messages, model::worker_counts({1, 2, 3, 5, 8, 17, 64}),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace messages_test
