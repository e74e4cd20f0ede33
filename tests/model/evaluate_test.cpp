// SPDX-License-Identifier: Apache-2.0
// What the evaluator counts, against the definitions of the model, applied literally.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/fold.hpp>

#include "rounds.hpp"
#include "script.hpp"

namespace {

using pleat::cluster_of;
using pleat::cost_trace;
using pleat::label_count;
using pleat::superstep_degrees;
using pleat::task;
using pleat::vp;

enum class kind { value, large_value, span, lent, lent_window, dummy };

struct sent {
  std::size_t destination;
  std::size_t elements;
  kind what;
};
/// Without a label the VP ends instead, with messages that belong to no superstep.
struct step {
  std::vector<sent> messages;
  std::optional<unsigned> label;
};
/// [rank][superstep]; a VP ends when its steps do.
using program_steps = std::vector<std::vector<step>>;

struct large {
  std::uint64_t words[9];
};
using elements = std::span<const std::uint32_t>;

const std::vector<std::uint32_t> memory(4096, 7);  // what is sent or lent

class program_writer {
 public:
  program_writer(std::size_t v, std::mt19937_64& random) : random_(random), p_(v) {}

  /// A random sequence of labels, the same for all, and messages inside its clusters, some of which
  /// send nothing.
  program_steps write(bool early_ends) {
    const std::size_t v = p_.size();
    for (std::size_t s = below(12); s > 0; --s) {
      const auto label = static_cast<unsigned>(below(label_count(v)));
      for (std::size_t rank = 0; rank < v;) {
        const pleat::rank_range cluster = cluster_of(v, rank, label);
        const bool busy = below(4) != 0;
        for (; rank < cluster.last; ++rank) {
          p_[rank].push_back({{}, label});
          if (busy) add_messages(rank, below(5), cluster);
        }
      }
    }
    if (early_ends) {
      // From one VP to a third of them; few of these with messages that nothing can count.
      const std::size_t one_in = 3 + below(2) * v, last_words = 2 + below(3) * v;
      for (std::size_t rank = 0; rank < v; ++rank) {
        if (below(one_in) == 0) p_[rank].resize(below(p_[rank].size() + 1));
        if (below(last_words) != 0) continue;
        p_[rank].push_back({{}, std::nullopt});
        add_messages(rank, 1 + below(3), {0, v});
      }
    }
    return std::move(p_);
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void add_messages(std::size_t rank, std::size_t count, pleat::rank_range to) {
    for (; count > 0; --count) {
      const auto what = static_cast<kind>(below(6));
      const bool one = what == kind::value || what == kind::large_value;
      const std::size_t length = one ? 1 : below(3) == 0 ? below(40) * 12 : below(3);
      p_[rank].back().messages.push_back({to.first + below(to.size()), length, what});
    }
  }

  std::mt19937_64& random_;
  program_steps p_;
};

program_steps random_program(std::size_t v, std::mt19937_64& random, bool early_ends) {
  return program_writer(v, random).write(early_ends);
}

task<> play(vp& me, const std::vector<step>& steps) {
  for (const step& s : steps) {
    for (const sent& m : s.messages) {
      const elements values = elements(memory).first(m.elements);
      switch (m.what) {
        case kind::value:
          me.send(m.destination, std::uint16_t{5});
          break;
        case kind::large_value:
          me.send(m.destination, large{});
          break;
        case kind::span:
          me.send(m.destination, values);
          break;
        case kind::lent:
          me.lend(m.destination, values);
          break;
        case kind::lent_window: {  // as many rows as give this number of elements
          const std::size_t columns = m.elements % 4 == 0 ? 4 : 1;
          const pleat::strided_view<const std::uint32_t> window(memory.data(), m.elements / columns,
                                                                columns, columns + 3);
          me.lend(m.destination, window);
          break;
        }
        case kind::dummy:
          me.dummy(m.destination, m.elements);
          break;
      }
    }
    if (!s.label) co_return;
    co_await me.sync(*s.label);
    while (me.receive()) {
    }
  }
}

/// What the model says about a program, by its definitions.
struct costs_as_defined {
  struct superstep {
    unsigned label;
    std::vector<std::uint64_t> h;  // [j]
  };
  unsigned labels = 1;
  std::vector<superstep> supersteps;
  std::uint64_t messages = 0;
  /// The first superstep in which a VP ends after it has sent and others go on.
  std::optional<std::size_t> unfinished;

  costs_as_defined(const program_steps& p, bool dummies) {
    while (std::size_t{1} << labels < p.size()) ++labels;
    const auto counts = [&](std::size_t rank, const sent& m) {
      return m.destination != rank && m.elements != 0 && (m.what != kind::dummy || dummies);
    };
    for (std::size_t s = 0;; ++s) {
      std::optional<unsigned> label;
      bool last_words = false;
      for (std::size_t rank = 0; rank < p.size(); ++rank) {
        if (s >= p[rank].size()) continue;
        if (p[rank][s].label) label = p[rank][s].label;
        for (const sent& m : p[rank][s].messages)
          last_words |= !p[rank][s].label && counts(rank, m);
      }
      if (!label) return;
      if (last_words && !unfinished) unfinished = s;
      supersteps.push_back({*label, {}});
      for (unsigned j = 0; j <= labels; ++j) {
        std::vector<std::uint64_t> out(std::size_t{1} << j), in(out);
        for (std::size_t rank = 0; rank < p.size(); ++rank) {
          if (s >= p[rank].size() || !p[rank][s].label) continue;
          for (const sent& m : p[rank][s].messages) {
            if (!counts(rank, m)) continue;
            if (j == 0) messages += m.elements;
            const std::size_t from = rank >> (labels - j), to = m.destination >> (labels - j);
            if (from == to) continue;
            out[from] += m.elements;
            in[to] += m.elements;
          }
        }
        supersteps.back().h.push_back(
            std::max(*std::ranges::max_element(out), *std::ranges::max_element(in)));
      }
    }
  }
  [[nodiscard]] double S(unsigned i) const {
    return static_cast<double>(
        std::ranges::count_if(supersteps, [&](const superstep& s) { return s.label == i; }));
  }
  [[nodiscard]] double F(unsigned i, unsigned j) const {
    double sum = 0;
    for (const superstep& s : supersteps) sum += s.label == i ? static_cast<double>(s.h[j]) : 0;
    return sum;
  }
  /// Σ_{i<below} of F^i(2^j) or of S^i.
  [[nodiscard]] double F_sum(unsigned below, unsigned j) const {
    double sum = 0;
    for (unsigned i = 0; i < below; ++i) sum += F(i, j);
    return sum;
  }
  [[nodiscard]] double S_sum(unsigned below) const {
    double sum = 0;
    for (unsigned i = 0; i < below; ++i) sum += S(i);
    return sum;
  }
};

void expect_counted(const costs_as_defined& expected, const cost_trace& got) {
  const unsigned labels = expected.labels;
  ASSERT_EQ(got.labels(), labels);
  EXPECT_EQ(got.messages(), expected.messages);
  ASSERT_EQ(got.supersteps().size(), expected.supersteps.size());
  for (std::size_t s = 0; s < expected.supersteps.size(); ++s) {
    ASSERT_EQ(got.supersteps()[s].label, expected.supersteps[s].label) << "superstep " << s;
    ASSERT_EQ(got.supersteps()[s].h, expected.supersteps[s].h) << "superstep " << s;
  }
  for (unsigned j = 0; j <= labels; ++j) {
    for (unsigned i = 0; i < labels; ++i) {
      EXPECT_EQ(static_cast<double>(got.S(i)), expected.S(i)) << "label " << i;
      EXPECT_EQ(static_cast<double>(got.F(i, j)), expected.F(i, j)) << "label " << i << ", 2^" << j;
    }
    for (const double sigma : {0.0, 1.0, 16.5})
      EXPECT_EQ(got.H(j, sigma), expected.F_sum(j, j) + sigma * expected.S_sum(j)) << "2^" << j;
    double alpha = 1, gamma = std::numeric_limits<double>::infinity();
    for (unsigned k = 1; k <= j; ++k) {
      const double ratio = static_cast<double>(1u << (j - k));
      const double own = expected.F_sum(k, k);
      if (expected.F_sum(k, j) > 0) alpha = std::min(alpha, own / (ratio * expected.F_sum(k, j)));
      if (expected.S_sum(k) > 0) gamma = std::min(gamma, own / (ratio * expected.S_sum(k)));
    }
    EXPECT_DOUBLE_EQ(got.wiseness(j), alpha) << "2^" << j;
    EXPECT_DOUBLE_EQ(got.fullness(j), gamma) << "2^" << j;
  }
}

class evaluation : public testing::TestWithParam<std::size_t> {
 protected:
  void play_many(bool early_ends) {
    const std::size_t v = GetParam();
    const std::uint64_t seed = testing::UnitTest::GetInstance()->random_seed() + v;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::size_t counted = 0, refused = 0;
    for (const bool dummies : {false, true}) {
      // One machine for many runs: nothing may be left over from one to the next.
      pleat::machine machine({.trace = pleat::tracing{.dummies = dummies}});
      int n = 0;
      for (model::rounds round(v > 100 ? 15 : 60); round.another(); ++n) {
        SCOPED_TRACE("program " + std::to_string(n) + (dummies ? " with dummies" : ""));
        const program_steps p =
            random_program(n % 3 == 2 ? 1 + random() % v : v, random, early_ends);
        const costs_as_defined expected(p, dummies);
        const auto run = [&] {
          return machine.run(p.size(), [&](vp& me) { return play(me, p[me.rank()]); });
        };
        if (!expected.unfinished) {
          const auto report = run();
          ASSERT_TRUE(report.costs.has_value());
          ASSERT_EQ(report.costs->v(), p.size());
          expect_counted(expected, *report.costs);
          ++counted;
        } else {
          const std::string superstep = "in superstep " + std::to_string(*expected.unfinished);
          try {
            (void)run();
            ADD_FAILURE() << "counted, though a VP ends after it has sent " << superstep;
          } catch (const pleat::usage_error& e) {
            EXPECT_NE(std::string(e.what()).find(superstep + " VP "), std::string::npos)
                << e.what();
          }
          ++refused;
        }
        if (HasFailure()) return;
      }
    }
    EXPECT_GT(counted, 0u);
    if (early_ends && v > 1)
      EXPECT_GT(refused, 0u);
    else
      EXPECT_EQ(refused, 0u);
  }
};

TEST_P(evaluation, counts_as_defined) { play_many(false); }

TEST_P(evaluation, counts_as_defined_when_virtual_processors_end_early) { play_many(true); }

TEST_P(evaluation, gives_the_same_for_the_same_program) {
  std::mt19937_64 random(testing::UnitTest::GetInstance()->random_seed());
  const program_steps p = random_program(GetParam(), random, false);
  const auto run = [&] {
    return pleat::evaluate(p.size(), [&](vp& me) { return play(me, p[me.rank()]); });
  };
  EXPECT_EQ(first_difference(run(), run()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(of_machines, evaluation,
                         testing::Values(1u, 2u, 3u, 4u, 5u, 16u, 37u, 64u, 256u),
                         [](const auto& p) { return "M" + std::to_string(p.param); });

TEST(evaluations, of_prefix_sums_are_as_by_hand) {
  std::vector<long> x(8, 1);
  const cost_trace t = pleat::evaluate(x.size(), [&](vp& me) -> task<> {
    long& mine = x[me.rank()];
    for (std::size_t d = 1; d < me.size(); d *= 2) {
      if (me.rank() + d < me.size()) me.send(me.rank() + d, mine);
      co_await me.sync(0);
      if (auto m = me.receive()) mine += m->get<long>();
    }
  });
  EXPECT_EQ(x, (std::vector<long>{1, 2, 3, 4, 5, 6, 7, 8}));
  using degrees = std::vector<std::uint64_t>;
  ASSERT_EQ(t.supersteps().size(), 3u);
  EXPECT_EQ(t.supersteps()[0].h, (degrees{0, 1, 1, 1}));
  EXPECT_EQ(t.supersteps()[1].h, (degrees{0, 2, 2, 1}));
  EXPECT_EQ(t.supersteps()[2].h, (degrees{0, 4, 2, 1}));
  EXPECT_EQ(t.messages(), 7u + 6u + 4u);
  EXPECT_EQ(t.H(1, 10), 7 + 30);
  EXPECT_EQ(t.H(2, 10), 5 + 30);
  EXPECT_EQ(t.H(3, 10), 3 + 30);
}

TEST(evaluations, of_exchanges_in_ever_larger_clusters_are_as_by_hand) {
  for (const std::size_t v : {2u, 16u, 64u}) {
    SCOPED_TRACE(v);
    const cost_trace t = pleat::evaluate(v, [](vp& me) -> task<> {
      for (unsigned label = me.labels(); label-- > 0;) {
        me.send(me.rank() ^ (me.size() >> (label + 1)), me.rank());
        co_await me.sync(label);
      }
    });
    for (unsigned j = 0; j <= t.labels(); ++j) {
      const std::uint64_t block = v >> j;
      for (unsigned i = 0; i < t.labels(); ++i) {
        EXPECT_EQ(t.S(i), 1u);
        EXPECT_EQ(t.F(i, j), i < j ? block : 0);
      }
      EXPECT_EQ(t.H(j, 3), static_cast<double>(j * (block + 3)));
      EXPECT_EQ(t.wiseness(j), 1);
      EXPECT_EQ(t.fullness(j),
                j == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(block));
    }
  }
}

TEST(evaluations, tell_the_full_program_that_is_not_wise) {
  constexpr std::size_t n = 64;
  const cost_trace t = pleat::evaluate(n, [](vp& me) -> task<> {
    for (std::size_t i = 0; me.rank() == 0 && i < n; ++i) me.send(n / 2, i);
    co_await me.sync(0);
  });
  EXPECT_EQ(t.messages(), n);
  for (unsigned j = 1; j <= t.labels(); ++j) {
    const double p = static_cast<double>(1 << j);
    EXPECT_EQ(t.H(j, 0), n);
    EXPECT_EQ(t.wiseness(j), 2 / p);
    EXPECT_EQ(t.fullness(j), 2 * n / p);
    EXPECT_GE(t.fullness(j), 2);
  }
}

TEST(evaluations, count_dummies_on_request_and_deliver_them_never) {
  for (const bool dummies : {false, true}) {
    std::size_t received = 0;
    const auto counted = [&](vp& me) -> task<> {
      me.send(me.rank() ^ 1, 1);
      me.dummy(me.rank() ^ 2, 3);
      me.dummy(me.rank());     // to itself: no communication
      me.dummy(me.rank(), 0);  // none
      co_await me.sync(0);
      while (me.receive()) ++received;
    };
    const cost_trace t = pleat::evaluate(4, counted, {.dummies = dummies});
    EXPECT_EQ(received, 4u);
    EXPECT_EQ(t.messages(), dummies ? 16u : 4u);
    EXPECT_EQ(t.F(0, 1), dummies ? 6u : 0u);
    EXPECT_EQ(t.F(0, 2), dummies ? 4u : 1u);
  }
}

TEST(evaluations, tell_runs_with_other_destinations_apart) {
  // Both are permutations: the degrees are the same.
  const auto shift_by = [](std::size_t d) {
    return pleat::evaluate(16, [d](vp& me) -> task<> {
      me.send((me.rank() + d) % me.size(), 1);
      co_await me.sync(0);
    });
  };
  EXPECT_EQ(first_difference(shift_by(8), shift_by(8)), std::nullopt);
  EXPECT_EQ(first_difference(shift_by(8), pleat::evaluate(16,
                                                          [](vp& me) -> task<> {
                                                            me.send(15 - me.rank(), 1);
                                                            co_await me.sync(0);
                                                          })),
            "superstep 0: the same degrees, but other sources or destinations of messages");
}

// ---------------------------------------------------------------- what cannot be counted

std::string complaint(std::size_t v, const auto& run) {
  try {
    (void)pleat::evaluate(v, run);
  } catch (const pleat::usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(evaluations, name_the_first_difference_between_labels) {
  std::size_t ended = 0;
  const std::string what = complaint(8, [&](vp& me) -> task<> {
    co_await me.sync(0);
    if (me.rank() >= 6) co_await me.sync(2);
    co_await me.sync(1);
    co_await me.sync(0);
    ++ended;
  });
  EXPECT_EQ(what,
            "no costs: in superstep 1 VP 0 performs sync(1) and VP 6 sync(2); a program is counted "
            "if all VPs perform the same sequence of labels");
  EXPECT_EQ(ended, 8u) << "the program should have been finished";
}

/// The superstep that cannot be counted: the first in which the labels of two VPs differ, else the
/// first in which one ends after it has sent while others go on.
std::optional<std::size_t> first_disagreement(const model::script& all) {
  std::optional<std::size_t> unfinished;
  for (std::size_t s = 0;; ++s) {
    std::set<unsigned> labels;
    bool sent = false;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (s >= all[rank].size()) continue;
      const model::scripted_step& step = all[rank][s];
      if (step.label) labels.insert(*step.label);
      for (const model::scripted_send& m : step.sends) sent |= !step.label && m.destination != rank;
    }
    if (labels.empty()) return unfinished;
    if (labels.size() > 1) return s;
    if (sent && !unfinished) unfinished = s;
  }
}

TEST(evaluations, count_exactly_the_programs_whose_labels_agree) {
  const std::uint64_t seed = testing::UnitTest::GetInstance()->random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::size_t agree = 0, disagree = 0;
  for (int n = 0; n < 300; ++n) {
    const std::size_t v = 1 + random() % (n % 2 == 0 ? 4 : 40);
    const model::script script = model::random_script(
        v, random, {.inside_clusters = true, .early_ends = n % 3 == 0, .leave_messages = true});
    const auto first = first_disagreement(script);
    const std::string what = complaint(v, [&](vp& me) -> task<> {
      for (const model::scripted_step& s : script[me.rank()]) {
        for (const model::scripted_send& m : s.sends) me.send(m.destination, m.seed);
        if (s.label) co_await me.sync(*s.label);
      }
    });
    if (!first) {
      ++agree;
      ASSERT_EQ(what, "") << "script " << n << " on M(" << v << ")";
    } else {
      ++disagree;
      ASSERT_NE(what.find("in superstep " + std::to_string(*first) + " VP"), std::string::npos)
          << what << "; superstep " << *first;
    }
  }
  EXPECT_GT(agree, 10u);
  EXPECT_GT(disagree, 10u);
}

TEST(evaluations, do_not_count_what_is_sent_after_the_last_sync) {
  const cost_trace t = pleat::evaluate(4, [](vp& me) -> task<> {
    me.send(me.rank() ^ 1, 1);
    co_await me.sync(1);
    me.send(me.rank() ^ 2, 1);
  });
  EXPECT_EQ(t.messages(), 4u);
  EXPECT_EQ(t.supersteps().size(), 1u);
  EXPECT_EQ(t.F(0, 2), 0u);
}

TEST(evaluations, name_who_ends_after_a_message_while_others_go_on) {
  const std::string what = complaint(4, [](vp& me) -> task<> {
    co_await me.sync(1);
    me.send(me.rank() ^ 1, 1);
    if (me.rank() == 2) co_return;
    co_await me.sync(0);
  });
  EXPECT_EQ(what,
            "no costs: in superstep 1 VP 2 ends after it has sent, and VP 0 performs sync(0); a "
            "program is counted if every VP performs a sync after its last message");
}

TEST(evaluations, survive_a_message_out_of_the_cluster_by_one_who_ends) {
  const std::size_t v = std::size_t{1} << 20;
  const std::string what = complaint(v, [](vp& me) -> task<> {
    if (me.rank() == me.size() - 2) {
      me.send(0, 1);  // strict mode checks at the sync, and there is none
      co_return;
    }
    co_await me.sync(me.labels() - 1);
  });
  EXPECT_NE(what.find("VP 1048574 ends after it has sent"), std::string::npos) << what;
}

}  // namespace
