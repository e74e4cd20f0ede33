// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/collectives/detail/tree_rounds.hpp>
#include <pleat/collectives/tree_scatter.hpp>

namespace pleat::bench {

/// Block of an operation on the circulant graph {block, root}; of an index operation {destination,
/// source}; unit of a concatenation {unit, rank it is from}; flit of a message {flit, processor
/// whose message it is}.
using carried = std::pair<std::size_t, std::size_t>;

/// One message of a schedule.
struct scheduled_message {
  std::size_t round;  ///< from 0; of trees: the step, less 1
  std::size_t from, to;
  std::vector<carried> what;
};

/// All messages of a schedule, round by round.
struct schedule_messages {
  std::string kind;
  std::size_t processors = 0;
  std::size_t rounds = 0;
  std::string bound;      ///< what is known of the number of rounds, in words
  bool in_parts = false;  ///< blocks have several units, messages several flits
  std::vector<scheduled_message> messages;
};

/// Throws, all of them: pleat::usage_error for numbers that make no sense, and for more than two
/// million blocks altogether; std::bad_alloc.

/// A broadcast of `blocks` blocks from `root` over a circulant graph, or of one down trees, or a
/// reduction to it; an all-gather, which is such broadcasts from all ranks at once, a
/// reduce-scatter, reductions to all, or an all-reduce, the latter with the former behind it. Of a
/// reduction, {block, root} is a sum for the root.
[[nodiscard]] schedule_messages collective_messages(const std::string& kind, std::size_t processors,
                                                    std::size_t blocks, std::size_t root,
                                                    const detail::schedule_form& form);
/// The form that --schedule and --group ask for, the latter as parse_place takes it. Throws:
/// pleat::usage_error for others, for groups of the circulant graph, and for several blocks of
/// trees.
[[nodiscard]] detail::schedule_form parsed_form(const std::string& schedule,
                                                const std::string& group, std::size_t blocks);
/// Names of the schedules that can be asked for, in the order of collective_schedule.
inline constexpr std::array<std::string_view, 3> schedule_names{"circulant", "binomial",
                                                                "negabinary"};

/// An all-to-all by Bruck's index algorithm.
[[nodiscard]] schedule_messages index_messages(std::size_t processors, std::size_t radix,
                                               std::size_t ports);
/// An all-gather of blocks of `units` units.
[[nodiscard]] schedule_messages concatenation_messages(std::size_t processors, std::size_t units,
                                                       std::size_t ports);

/// A tree of processors, and the numbers that the user gave them.
struct named_tree {
  processor_tree tree;
  std::vector<std::size_t> names;  ///< [processor of the tree]
};

/// The tree that a word describes: `path:8`, `star:8`, `binary:8`, `binomial:8`; the parents of 1,
/// 2, 3, …, each a smaller number: `0,0,1,1`; or `edges:FILE`, a graph with two numbers a line, of
/// which the shortest paths from `root` are the tree.
/// Throws: pleat::usage_error for other words, for a graph that does not hang together, and for a
/// root of another tree than a graph that is not 0.
[[nodiscard]] named_tree tree_of(const std::string& word, std::size_t root);

/// The steps of a scatter from the root, or of a gather to it, of one flit a processor or of
/// `flits`, a number for each processor but the root, in the order of their names. A gather on a
/// path is by wake-up calls, on another tree by certificates.
/// Throws: pleat::usage_error for another number of lengths; and as messages.hpp.
[[nodiscard]] schedule_messages scatter_messages(const named_tree& tree,
                                                 const std::vector<std::size_t>& flits);
[[nodiscard]] schedule_messages gather_messages(const named_tree& tree,
                                                const std::vector<std::size_t>& flits);

}  // namespace pleat::bench
