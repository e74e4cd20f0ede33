// SPDX-License-Identifier: Apache-2.0
// Channels between virtual processors: order, back-pressure, pipelines, and life beside barriers.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>

#include "all_sizes.hpp"
#include "memory_in_use.hpp"
#include "seed.hpp"
#include "worker_counts.hpp"

namespace channels_test {

using pleat::task, pleat::vp;

class vp_channels : public model::all_sizes {
 protected:
  template <class Check> void for_all_sizes(Check check) {
    all_sizes::for_all_sizes({1, 2, 3, 5, 8, 13, 33, 70}, check);
  }
};

struct widest {
  std::array<std::uint64_t, 6> words;
};

TEST_P(vp_channels, keep_the_order_through_more_values_than_they_hold) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    if (v == 1) return;
    machine.run(v, [&](vp& me) -> task<> {
      constexpr int n = 1000;  // many times the capacity
      const std::size_t last = me.size() - 1;
      if (me.rank() == 0) {
        for (int i = 0; i < n; ++i) co_await me.push(last, i);
      } else if (me.rank() == last) {
        for (int i = 0; i < n; ++i) {
          const int got = co_await me.pop<int>(0);
          expect(got == i);
        }
      }
    });
  });
}

TEST_P(vp_channels, form_pipelines_through_all_virtual_processors) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      constexpr std::uint64_t items = 300;
      for (std::uint64_t i = 0; i < items; ++i) {
        std::uint64_t x = i;
        if (me.rank() > 0) x = co_await me.pop<std::uint64_t>(me.rank() - 1);
        expect(x == i + me.rank());
        if (me.rank() + 1 < me.size()) co_await me.push(me.rank() + 1, x + 1);
      }
    });
  });
}

TEST_P(vp_channels, synchronise_only_the_two) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    if (v < 3) return;
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t last = me.size() - 1;
      // The last waits at the barrier all the time; 0 and 1 exchange without it.
      if (me.rank() < 2) {
        const std::size_t other = 1 - me.rank();
        for (int i = 0; i < 200; ++i) {
          co_await me.push(other, i);
          const int got = co_await me.pop<int>(other);
          expect(got == i);
        }
        me.send(last, 1);
      }
      co_await me.sync(0);
      for (int from = 0; me.rank() == last && from < 2; ++from) expect(me.receive().has_value());
    });
  });
}

TEST_P(vp_channels, keep_messages_readable_while_neighbours_go_through_barriers) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    if (v < 4) return;
    // Everybody holds messages of sync(0); VP 0 waits at a channel with its own until the other
    // half, which goes through many supersteps with messages, has come to the end of them.
    machine.run(v, [&](vp& me) -> task<> {
      const pleat::rank_range lower = pleat::cluster_of(me.size(), 0, 1);
      const std::vector<std::uint64_t> text(5, me.rank() + 1000);
      const std::vector<std::uint64_t> large(100, me.rank() + 2000);
      const std::size_t next = (me.rank() + 1) % me.size();
      const std::size_t before = (me.rank() + me.size() - 1) % me.size();
      me.send(next, std::span<const std::uint64_t>(text));
      me.send(next, std::span<const std::uint64_t>(large));
      co_await me.sync(0);
      const auto small_one = me.receive();
      const auto large_one = me.receive();
      if (me.rank() == 0) {
        const int go = co_await me.pop<int>(lower.last);
        expect(go == 1);
      }
      expect(small_one->span<std::uint64_t>()[4] == before + 1000);
      expect(large_one->span<std::uint64_t>()[99] == before + 2000);
      if (!lower.contains(me.rank())) {
        for (std::size_t i = 0; i < 30; ++i) {
          for (std::size_t k = 0; k < 20; ++k) me.send(me.rank(), k + i);
          co_await me.sync(1);
          for (std::size_t k = 0; k < 20; ++k) {
            const auto m = me.receive();
            expect(m && m->get<std::size_t>() == k + i);
          }
        }
        if (me.rank() == lower.last) co_await me.push(0, 1);
      }
      co_await me.sync(0);
    });
  });
}

TEST_P(vp_channels, left_with_values_in_them_are_empty_in_the_next_run) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    for (int run = 0; run < 3; ++run) {
      machine.run(v, [&](vp& me) -> task<> {
        const std::size_t next = (me.rank() + 1) % me.size();
        const std::size_t before = (me.rank() + me.size() - 1) % me.size();
        for (int i = 0; i < 10; ++i) co_await me.push(next, 100 * run + i);
        const int first = co_await me.pop<int>(before);
        expect(first == 100 * run);
      });
    }
  });
}

TEST_P(vp_channels, outlive_the_virtual_processor_that_pushed) {
  for_all_sizes([&](pleat::machine& machine, std::size_t v) {
    if (v < 2) return;
    machine.run(v, [&](vp& me) -> task<> {
      if (me.rank() != 0) {
        for (int i = 0; i < 5; ++i) co_await me.push(0, i);
        co_return;
      }
      co_await me.sync(0);  // all others have ended
      for (std::size_t from = 1; from < me.size(); ++from) {
        for (int i = 0; i < 5; ++i) {
          const int got = co_await me.pop<int>(from);
          expect(got == i);
        }
      }
    });
  });
}

// A random program that every VP carries out up to a step of its own: in each step a barrier with
// messages around the cluster, or an exchange with a partner through channels.
struct mixture {
  struct step {
    bool barrier;
    unsigned label;        // of the barrier
    std::size_t distance;  // around the cluster; or between partners, as differing bits
  };
  std::vector<step> steps;
  std::vector<std::size_t> ends;  // [rank]: after how many steps

  mixture(std::size_t v, std::mt19937_64& random) : steps(random() % 30), ends(v) {
    for (step& s : steps) {
      const auto label = static_cast<unsigned>(random() % pleat::label_count(v));
      s = {random() % 2 == 0, label, random() % v};
    }
    for (std::size_t& end : ends)
      end = random() % 3 == 0 ? random() % (steps.size() + 1) : steps.size();
  }
  bool takes_part(std::size_t rank, std::size_t at) const {
    return rank < ends.size() && at < ends[rank];
  }
};

TEST_P(vp_channels, mix_with_barriers_whoever_ends_when) {
  pleat::machine machine(model::over_ranks({.processors = GetParam()}));
  const std::uint64_t first = seed() + GetParam();
  std::mt19937_64 random(first);
  for (int round = 0; round < 150; ++round) {
    const std::size_t v = 1 + random() % 40;
    SCOPED_TRACE("seed " + std::to_string(first) + ", round " + std::to_string(round) + ", M(" +
                 std::to_string(v) + ")");
    const mixture all(v, random);
    machine.run(v, [&](vp& me) -> task<> {
      for (std::size_t at = 0; at < all.ends[me.rank()]; ++at) {
        const mixture::step& s = all.steps[at];
        if (!s.barrier) {
          const std::size_t partner = me.rank() ^ s.distance;
          if (!all.takes_part(partner, at)) continue;
          co_await me.push(partner, me.rank() + 1000 * at);
          const std::size_t got = co_await me.pop<std::size_t>(partner);
          expect(got == partner + 1000 * at);
          continue;
        }
        const pleat::rank_range c = pleat::cluster_of(v, me.rank(), s.label);
        const auto behind = [&](std::size_t rank) {
          return c.first + (rank - c.first + s.distance) % c.size();
        };
        me.send(behind(me.rank()), me.rank() + 1000 * at);
        me.send(c.first, me.rank() + 1000 * at + 500);
        co_await me.sync(s.label);
        // In the order of the senders, whichever of them ran first.
        for (std::size_t from = c.first; from < c.last; ++from) {
          if (!all.takes_part(from, at)) continue;
          if (behind(from) == me.rank()) {
            const auto m = me.receive();
            expect(m && m->source() == from && m->get<std::size_t>() == from + 1000 * at);
          }
          if (c.first == me.rank()) {
            const auto m = me.receive();
            expect(m && m->source() == from && m->get<std::size_t>() == from + 1000 * at + 500);
          }
        }
        expect(!me.receive());
      }
    });
    ASSERT_EQ(wrong, 0);
  }
}

// Messages that a waiting VP has received stay readable; the memory of all others is used again.
TEST(a_wait_at_a_channel, keeps_what_was_received_and_no_more) {
  pleat::machine machine({.processors = 1});
  std::size_t first = 0, last = 0;
  bool intact = false;
  machine.run(4, [&](vp& me) -> task<> {
    const std::size_t partner = me.rank() ^ 1;
    if (me.rank() < 2) me.send(partner, widest{{me.rank(), 1, 2, 3, 4, 5}});
    co_await me.sync(1);
    if (me.rank() == 0) {
      const auto m = me.receive();
      const auto words = m->span<std::uint64_t>();
      const int got = co_await me.pop<int>(3);
      intact = got == 7 && m->source() == 1 && words[0] == 1 && words[5] == 5;
    }
    if (me.rank() < 2) co_return;
    const std::vector<std::byte> large(4000);
    for (int step = 0; step < 20'000; ++step) {
      if (step == 100) first = memory_in_use();
      me.send(partner, widest{});
      me.send(partner, std::span<const std::byte>(large));
      co_await me.sync(1);
      while (me.receive()) {
      }
    }
    last = memory_in_use();
    if (me.rank() == 3) co_await me.push(0, 7);
  });
  EXPECT_TRUE(intact);
  EXPECT_LT(last, first + (std::size_t{8} << 20)) << "each superstep may have 4 KiB only once";
}

INSTANTIATE_TEST_SUITE_P(on_workers, vp_channels, model::worker_counts({1, 2, 3, 5, 8, 17, 64}),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace channels_test
