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

using pleat::task;
using pleat::vp;

constexpr std::size_t sizes[] = {1, 2, 3, 5, 8, 13, 16, 33, 70};

class messages : public model::all_sizes {
 protected:
  template <class Check> void for_all_sizes(Check check) { all_sizes::for_all_sizes(sizes, check); }
};

TEST_P(messages, come_by_senders_rank_then_in_the_order_they_were_sent) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 4; ++i) {
          for (std::size_t to = 0; to < me.size(); ++to) {
            // Different kinds, so that they travel by different ways.
            const std::uint64_t value = me.rank() * 100 + i;
            const std::vector<std::uint64_t> large(i == 2 ? 50 : 1, value);
            if (i == 1)
              me.send(to, value);
            else
              me.send(to, std::span<const std::uint64_t>(large));
          }
        }
        co_await me.sync(0);
        for (std::size_t from = 0; from < me.size(); ++from) {
          for (std::size_t i = 0; i < 4; ++i) {
            const auto m = me.receive();
            expect(m && m->source() == from && m->span<std::uint64_t>()[0] == from * 100 + i);
          }
        }
        expect(!me.receive());
      }
    });
  });
}

TEST_P(messages, to_oneself_arrive_at_the_next_barrier_of_any_label) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      for (unsigned label = 0; label < me.labels(); ++label) {
        me.send(me.rank(), label);
        expect(!me.receive());
        co_await me.sync(label);
        const auto m = me.receive();
        expect(m && m->source() == me.rank() && m->get<unsigned>() == label);
        expect(!me.receive());
      }
    });
  });
}

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

TEST_P(messages, that_nobody_receives_stay_and_come_first) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t to = (me.rank() + 1) % me.size();
      std::vector<std::uint64_t> large(100);
      constexpr std::uint64_t rounds = 12;
      for (std::uint64_t i = 0; i < rounds; ++i) {
        me.send(to, i);
        for (std::uint64_t& x : large) x = i;
        me.send(to, std::span<const std::uint64_t>(large));
        co_await me.sync(0);
      }
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto small = me.receive();
        expect(small && small->bytes() == 8 && small->get<std::uint64_t>() == i);
        const auto m = me.receive();
        expect(m && m->bytes() == 800 && m->span<std::uint64_t>()[99] == i);
        if (i % 3 == 0) co_await me.sync(0);  // between two receives
      }
      expect(!me.receive());
    });
  });
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

TEST_P(messages, of_virtual_processors_that_ended_still_arrive) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t last = me.size() - 1;
      const std::vector<std::uint64_t> large(200, me.rank());
      if (me.rank() != last) {
        if (me.rank() % 2 == 0) co_await me.sync(0);
        me.send(last, me.rank());
        me.send(last, std::span<const std::uint64_t>(large));
        co_return;
      }
      std::vector<int> came(me.size(), 0);
      for (int i = 0; i < 3; ++i) {
        co_await me.sync(0);
        for (auto m = me.receive(); m; m = me.receive()) {
          ++came[m->source()];
          expect(m->span<std::uint64_t>()[0] == m->source());
        }
      }
      for (std::size_t from = 0; from < last; ++from) expect(came[from] == 2);
    });
  });
}

TEST_P(messages, are_the_same_in_every_run) {
  pleat::machine machine(model::over_ranks({.processors = GetParam()}));
  std::vector<std::vector<std::size_t>> first, now;
  for (int run = 0; run < 3; ++run) {
    now.assign(29, {});
    machine.run(29, [&](vp& me) -> task<> {
      for (std::size_t i = 0; i < 10; ++i) {
        for (std::size_t k = 0; k < me.rank() % 4; ++k)
          me.send((me.rank() * 5 + i * 3 + k * k) % me.size(), me.rank() * 100 + k);
        co_await me.sync(0);
        for (auto m = me.receive(); m; m = me.receive())
          now[me.rank()].push_back(m->get<std::size_t>());
      }
    });
    if (run == 0) first = now;
    ASSERT_EQ(now, first);
  }
}

INSTANTIATE_TEST_SUITE_P(on_workers, messages, model::worker_counts({1, 2, 3, 5, 8, 17, 64}),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace messages_test
