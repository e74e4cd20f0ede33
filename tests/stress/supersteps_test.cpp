// SPDX-License-Identifier: Apache-2.0
// Many supersteps, many runs, many failures: what goes wrong once in a million times.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "seed.hpp"

namespace {

using pleat::task, pleat::vp;

// Numbers every VP can compute for itself, so that sender and receiver agree.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

constexpr int effort = pleat::detail::sanitized ? 4 : 1;

class supersteps : public testing::TestWithParam<unsigned> {};

// Plan of a superstep: with a label and a distance that follow from the seed, every member sends to
// the one that far behind it in the cluster, a word or (now and then) a block.
struct plan {
  std::uint64_t seed;
  std::size_t v;

  unsigned label(std::uint64_t step) const {
    return static_cast<unsigned>(mix(seed + step) % pleat::label_count(v));
  }
  std::size_t words(std::uint64_t step) const { return mix(seed + 3 * step) % 16 == 0 ? 40 : 1; }
  // Of `rank` in its cluster, `direction` +1 for whom it sends to and −1 for whom it hears from.
  std::size_t partner(std::size_t rank, std::uint64_t step, int direction) const {
    const pleat::rank_range c = pleat::cluster_of(v, rank, label(step));
    const std::size_t by = mix(seed + 7 * step) % c.size();
    const std::size_t at = rank - c.first + (direction > 0 ? by : c.size() - by);
    return c.first + at % c.size();
  }
  std::uint64_t value(std::size_t rank, std::uint64_t step) const {
    return mix(seed ^ rank << 32 ^ step);
  }
};

task<> many_supersteps(vp& me, const plan& p, std::uint64_t steps, std::atomic<long>& wrong) {
  std::vector<std::uint64_t> block;
  for (std::uint64_t step = 0; step < steps; ++step) {
    block.assign(p.words(step), p.value(me.rank(), step));
    const std::size_t to = p.partner(me.rank(), step, 1);
    if (block.size() == 1)
      me.send(to, block[0]);
    else
      me.send(to, std::span<const std::uint64_t>(block));
    co_await me.sync(p.label(step));
    const std::size_t from = p.partner(me.rank(), step, -1);
    const auto m = me.receive();
    if (!m) {
      ++wrong;
      co_return;
    }
    const auto got = m->span<std::uint64_t>();
    wrong += m->source() != from || got.size() != p.words(step) ||
             got.back() != p.value(from, step) || me.receive().has_value();
  }
}

TEST_P(supersteps, by_the_ten_thousand_deliver_every_message) {
  pleat::machine machine({.processors = GetParam()});
  for (const std::size_t v : {GetParam(), 3 * GetParam() + 1}) {
    const plan p{seed() + v, v};
    std::atomic<long> wrong{0};
    machine.run(v, [&](vp& me) { return many_supersteps(me, p, 10000 / effort, wrong); });
    ASSERT_EQ(wrong, 0) << "M(" << v << "), seed " << seed();
  }
}

TEST_P(supersteps, by_the_ten_thousand_keep_channels_in_order) {
  pleat::machine machine({.processors = GetParam()});
  for (const std::size_t v : {std::size_t{GetParam()}, std::size_t{11}}) {
    std::atomic<long> wrong{0};
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t next = (me.rank() + 1) % me.size();
      const std::size_t before = (me.rank() + me.size() - 1) % me.size();
      for (std::uint64_t i = 0; i < 10000 / effort; ++i) {
        co_await me.push(next, i);
        const std::uint64_t got = co_await me.pop<std::uint64_t>(before);
        wrong += got != i;
        if (mix(seed() + i) % 64 == 0) co_await me.sync(0);
      }
    });
    ASSERT_EQ(wrong, 0) << "M(" << v << "), seed " << seed();
  }
}

TEST_P(supersteps, of_ten_thousand_short_runs_are_all_carried_out) {
  pleat::machine machine({.processors = GetParam()});
  std::mt19937_64 random(seed());
  std::vector<std::size_t> got;
  // Workers that share a processor wake and fall asleep in every run.
  const int runs = (machine.oversubscribed() ? 2500 : 10000) / effort;
  for (int run = 0; run < runs; ++run) {
    // Mostly the same size as before, as programs do; then the plan is kept.
    const std::size_t v = random() % 8 == 0 ? 1 + random() % 20 : std::size_t{GetParam()};
    got.assign(v, ~std::size_t{0});
    machine.run(v, [&](vp& me) -> task<> {
      me.send((me.rank() + 1) % me.size(), me.rank());
      co_await me.sync(0);
      const auto m = me.receive();
      got[me.rank()] = m->get<std::size_t>();
    });
    for (std::size_t rank = 0; rank < v; ++rank)
      ASSERT_EQ(got[rank], (rank + v - 1) % v) << "run " << run << ", seed " << seed();
  }
}

TEST_P(supersteps, are_right_after_any_number_of_failed_runs) {
  pleat::machine machine({.processors = GetParam(), .strict = false});
  std::mt19937_64 random(seed() + 1);
  for (int round = 0; round < 600 / effort; ++round) {
    const std::size_t v = 1 + random() % 24;
    const plan p{random(), v};
    const std::size_t bad = random() % v;
    const std::uint64_t when = random() % 12;
    const unsigned kind = static_cast<unsigned>(random() % 4);
    SCOPED_TRACE("round " + std::to_string(round) + ", seed " + std::to_string(seed()));
    std::atomic<long> wrong{0};
    bool failed = false;
    try {
      machine.run(v, [&](vp& me) -> task<> {
        co_await many_supersteps(me, p, me.rank() == bad ? when : 12, wrong);
        if (me.rank() != bad) co_return;
        if (kind == 0) throw std::runtime_error("on purpose");
        if (kind == 1) co_await me.pop<int>(bad);
        if (kind == 2) co_await me.sync(me.labels());
        // kind 3 ends early: no failure, unless others miss its messages
      });
    } catch (const pleat::run_error& e) {
      failed = true;
      if (kind == 0 || kind == 2) {
        const auto* of_vp = dynamic_cast<const pleat::vp_failed*>(&e);
        ASSERT_NE(of_vp, nullptr) << e.what();
        ASSERT_EQ(of_vp->rank, bad);
      } else {
        ASSERT_NE(dynamic_cast<const pleat::deadlock*>(&e), nullptr) << e.what();
      }
    }
    ASSERT_EQ(failed, kind != 3);
    if (random() % 2 == 0) continue;
    wrong = 0;
    machine.run(v, [&](vp& me) { return many_supersteps(me, p, 12, wrong); });
    ASSERT_EQ(wrong, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(on_workers, supersteps, testing::Values(2u, 3u, 5u, 8u),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace
