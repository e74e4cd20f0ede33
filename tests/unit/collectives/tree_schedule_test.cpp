// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/tree_gather.hpp>
#include <pleat/collectives/tree_scatter.hpp>
#include <pleat/runtime/error.hpp>

namespace tree_schedule_test {

using pleat::gather_on_path, pleat::gather_on_tree, pleat::processor_tree, pleat::scatter_on_tree;

using lengths_type = std::vector<std::size_t>;

/// A tree of single-port processors, flit by flit: which port is busy in which step.
class flit_network {
 public:
  explicit flit_network(const processor_tree& tree) : tree_(tree) {}

  /// One flit, or call, or order, from a processor to a neighbour. False if a port is busy.
  bool hop(std::size_t from, std::size_t to, std::size_t step) {
    if (step == 0) return false;
    return sends_.emplace(from, step).second && receives_.emplace(to, step).second;
  }

  /// A message from the root to a processor, its first flit sent in step dispatch + 1.
  bool scatter(std::size_t destination, std::size_t length, std::size_t dispatch) {
    for (std::size_t flit = 1; flit <= length; ++flit) {
      std::size_t step = dispatch + flit + tree_.depth(destination) - 1;
      last_ = step > last_ ? step : last_;
      for (std::size_t at = destination; at != 0; at = tree_.parent(at), --step) {
        if (!hop(tree_.parent(at), at, step)) return false;
      }
    }
    return true;
  }

  /// A message from a processor to the root, its first flit sent in step dispatch + 1.
  bool gather(std::size_t source, std::size_t length, std::size_t dispatch) {
    for (std::size_t flit = 1; flit <= length; ++flit) {
      std::size_t step = dispatch + flit;
      for (std::size_t at = source; at != 0; at = tree_.parent(at), ++step) {
        if (!hop(at, tree_.parent(at), step)) return false;
      }
      last_ = step - 1 > last_ ? step - 1 : last_;
    }
    return true;
  }

  /// The step in which the last flit so far arrives.
  [[nodiscard]] std::size_t last() const { return last_; }

 private:
  const processor_tree& tree_;
  std::set<std::pair<std::size_t, std::size_t>> sends_;     // processor, step
  std::set<std::pair<std::size_t, std::size_t>> receives_;  // processor, step
  std::size_t last_ = 0;
};

// All trees of n processors, and all lengths from 0 to `longest`, the root's 0.
void for_all(std::size_t n, std::size_t longest,
             const std::function<void(const processor_tree&, const lengths_type&)>& visit) {
  std::vector<std::size_t> parents(n, 0);
  lengths_type lengths(n, 0);
  const std::function<void(const processor_tree&, std::size_t)> choose_lengths =
      [&](const processor_tree& tree, std::size_t i) {
        if (i == n) return visit(tree, lengths);
        for (lengths[i] = 0; lengths[i] <= longest; ++lengths[i]) choose_lengths(tree, i + 1);
      };
  const std::function<void(std::size_t)> choose_parents = [&](std::size_t i) {
    if (i == n) return choose_lengths(processor_tree(parents), 1);
    for (parents[i] = 0; parents[i] < i; ++parents[i]) choose_parents(i + 1);
  };
  choose_parents(1);
}

processor_tree path_of(std::size_t n) {
  std::vector<std::size_t> parents(n, 0);
  for (std::size_t i = 1; i < n; ++i) parents[i] = i - 1;
  return processor_tree(parents);
}

TEST(scatter_on_tree, takes_no_more_steps_than_any_order) {
  for (std::size_t n = 1; n <= 5; ++n) {
    for_all(n, 2, [&](const processor_tree& tree, const lengths_type& lengths) {
      const auto schedule = scatter_on_tree(tree, lengths);
      flit_network network(tree);
      for (const std::size_t i : schedule.order) {
        ASSERT_TRUE(network.scatter(i, lengths[i], schedule.dispatch[i]));
      }
      ASSERT_EQ(network.last(), schedule.steps);

      auto order = schedule.order;
      std::ranges::sort(order);
      ASSERT_EQ(static_cast<std::size_t>(
                    std::ranges::count_if(lengths, [](std::size_t length) { return length > 0; })),
                order.size());
      do {
        flit_network other(tree);
        std::size_t sent = 0;
        for (const std::size_t i : order) {
          ASSERT_TRUE(other.scatter(i, lengths[i], sent));
          sent += lengths[i];
        }
        ASSERT_LE(schedule.steps, other.last());
      } while (std::ranges::next_permutation(order).found);
    });
  }
}

TEST(scatter_on_tree, sends_the_farthest_first) {
  const auto schedule =
      scatter_on_tree(processor_tree({0, 0, 1, 2, 0}), std::vector<std::size_t>{0, 4, 0, 2, 3});
  EXPECT_EQ(schedule.order, (std::vector<std::size_t>{3, 1, 4}));
  EXPECT_EQ(schedule.dispatch[1], 2u);
  EXPECT_EQ(schedule.dispatch[4], 6u);
  EXPECT_EQ(schedule.steps, 9u);
}

// The wake-up calls and the messages of a path, if their ports are free: the last step.
bool path_carries(const processor_tree& path, const lengths_type& lengths,
                  const std::vector<std::size_t>& dispatch, flit_network& network) {
  std::size_t farthest = 0;
  for (std::size_t i = 1; i < lengths.size(); ++i) farthest = lengths[i] > 0 ? i : farthest;
  for (std::size_t i = 1; i <= farthest; ++i) {
    if (!network.hop(i - 1, i, i)) return false;  // called in step i
  }
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (lengths[i] == 0) continue;
    if (dispatch[i] < i || !network.gather(i, lengths[i], dispatch[i])) return false;
  }
  return true;
}

TEST(gather_on_path, takes_no_more_steps_than_any_times_of_dispatch) {
  for (std::size_t n = 1; n <= 4; ++n) {
    const auto path = path_of(n);
    for_all(n, 3, [&](const processor_tree& tree, const lengths_type& lengths) {
      for (std::size_t i = 1; i < n; ++i) {
        if (tree.parent(i) != i - 1) return;
      }
      const auto schedule = gather_on_path(lengths);
      flit_network network(path);
      ASSERT_TRUE(path_carries(path, lengths, schedule.dispatch, network));
      ASSERT_EQ(network.last(), schedule.steps);

      std::size_t found = 0;
      std::vector<std::size_t> dispatch(n, 0);
      const std::function<void(std::size_t)> search = [&](std::size_t i) {
        if (i == n) {
          flit_network other(path);
          if (path_carries(path, lengths, dispatch, other)) {
            ASSERT_LE(schedule.steps, other.last());
            ++found;
          }
          return;
        }
        if (lengths[i] == 0) return search(i + 1);
        // Any later, and the message alone would arrive later than the schedule ends.
        for (dispatch[i] = i; dispatch[i] + lengths[i] + i - 1 <= schedule.steps; ++dispatch[i]) {
          search(i + 1);
        }
      };
      search(1);
      ASSERT_GT(found, 0u);  // the schedule itself
    });
  }
}

TEST(gather_on_path, follows_the_recurrence) {
  const lengths_type lengths{0, 3, 0, 1, 0, 2, 0};
  const auto schedule = gather_on_path(lengths);
  EXPECT_EQ(schedule.order, (std::vector<std::size_t>{1, 3, 5}));
  EXPECT_EQ(schedule.dispatch[1], 2u);
  EXPECT_EQ(schedule.dispatch[3], 4u);
  EXPECT_EQ(schedule.dispatch[5], 5u);
  EXPECT_EQ(schedule.steps, 11u);
}

// The least lag of any order in which a processor could send its streams, by trying all.
std::size_t least_lag(const processor_tree& tree, const lengths_type& lengths, std::size_t i,
                      std::size_t& flits) {
  struct stream {
    std::size_t earliest, flits;
  };
  std::vector<stream> all;
  for (std::size_t child = i + 1; child < tree.size(); ++child) {
    if (tree.parent(child) != i) continue;
    std::size_t below = 0;
    const std::size_t lag = least_lag(tree, lengths, child, below);
    if (below > 0) all.push_back({lag, below});
  }
  const std::size_t orders = all.size();
  for (auto& one : all) one.earliest += orders + 1;
  if (lengths[i] > 0) all.push_back({orders + 1, lengths[i]});
  std::vector<std::size_t> order(all.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::size_t least = all.empty() ? 1 : ~std::size_t{0};
  do {
    std::size_t start = 1, before = 0;
    for (const std::size_t k : order) {
      if (all[k].earliest > before) start = std::max(start, all[k].earliest - before);
      before += all[k].flits;
    }
    if (!all.empty()) least = std::min(least, start);
    flits = before;
  } while (std::ranges::next_permutation(order).found);
  return least;
}

TEST(gather_on_tree, arrives_without_a_gap_and_as_early_as_any_order_of_streams) {
  for (std::size_t n = 1; n <= 6; ++n) {
    for_all(n, n < 6 ? 3 : 1, [&](const processor_tree& tree, const lengths_type& lengths) {
      const auto schedule = gather_on_tree(tree, lengths);
      flit_network network(tree);
      std::size_t all = 0;
      for (std::size_t i = 1; i < n; ++i) {
        all += lengths[i];
        if (schedule.certificates[i].flits == 0) {
          ASSERT_EQ(schedule.ordered[i], 0u);
          continue;
        }
        // Nobody passes an order on before it has it.
        ASSERT_GT(schedule.ordered[i], tree.parent(i) == 0 ? 0 : schedule.ordered[tree.parent(i)]);
        ASSERT_TRUE(network.hop(tree.parent(i), i, schedule.ordered[i]));
        if (lengths[i] == 0) continue;
        ASSERT_GE(schedule.when.dispatch[i], schedule.ordered[i]);
        ASSERT_TRUE(network.gather(i, lengths[i], schedule.when.dispatch[i]));
      }
      ASSERT_EQ(network.last(), schedule.when.steps);
      if (all > 0) {
        ASSERT_EQ(schedule.when.steps - schedule.first + 1, all);
      }
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t flits = 0;
        ASSERT_EQ(schedule.certificates[i].lag, least_lag(tree, lengths, i, flits));
        ASSERT_EQ(schedule.certificates[i].flits, flits);
      }
    });
  }
}

TEST(gather_on_tree, certifies_a_leaf_after_one_step) {
  const auto schedule = gather_on_tree(processor_tree({0, 0, 1, 1}), lengths_type{0, 2, 5, 0});
  EXPECT_EQ(schedule.certificates[2], (pleat::transmission_certificate{1, 5}));
  EXPECT_EQ(schedule.certificates[1], (pleat::transmission_certificate{2, 7}));
  EXPECT_EQ(schedule.certificates[3], (pleat::transmission_certificate{1, 0}));
}

TEST(processor_tree, refuses_what_is_none) {
  EXPECT_THROW(processor_tree({}), pleat::usage_error);
  EXPECT_THROW(processor_tree({0, 1}), pleat::usage_error);
  const processor_tree tree({0, 0});
  EXPECT_THROW(static_cast<void>(scatter_on_tree(tree, lengths_type{0})), pleat::usage_error);
  EXPECT_THROW(static_cast<void>(gather_on_tree(tree, lengths_type{1, 0})), pleat::usage_error);
  EXPECT_THROW(static_cast<void>(gather_on_path(lengths_type{})), pleat::usage_error);
}

}  // namespace tree_schedule_test
