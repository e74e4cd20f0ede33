// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>

#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

// The bodies of list_rank and connected_components, for numbers of 32 and 64 bits.
namespace pleat::detail::graphs {

template <class I> inline constexpr bool is_number = sizeof(I) == 4 || sizeof(I) == 8;

template <class I>
PLEAT_API run_report rank_lists(machine& named, std::span<const I> next, std::span<I> ranks,
                                const std::optional<std::size_t>& vps);
template <class I>
PLEAT_API run_report join(machine& named, std::span<const std::array<I, 2>> edges,
                          std::span<I> labels, const std::optional<std::size_t>& vps);

}  // namespace pleat::detail::graphs

namespace pleat {

/// Options of list_rank and connected_components.
struct graph_options {
  /// Number of virtual processors. Unset: one for each processor, fewer for little data.
  std::optional<std::size_t> vps = {};
};

/// Computes how many steps each element of linked lists is from the end of its list: 0 for the last
/// one, whose `next` is itself. Any number of lists may share the arrays.
///
/// ```cpp
/// std::vector<std::uint32_t> next{2, 1, 1, 0}, steps(4);   // 3 → 0 → 2 → 1
/// pleat::list_rank(machine, next, steps);                  // 2, 0, 1, 3
/// ```
///
/// Requires: two contiguous ranges of n numbers, std::uint32_t or std::uint64_t, which do not
/// overlap.
/// Cost: O(n/P) expected: three passes over the lists, in sublists that begin at random places; a
/// VP follows many of them at once, so that it waits for memory once for all of them. Four
/// supersteps; reads of shared memory are not counted. Memory: 1 byte an element, and some 50 for
/// each list and each random place.
/// Throws: usage_error (sizes, overlap, 0 VPs; a `next` that is no element, or elements that lie on
/// a cycle or have several predecessors: ranks are then unspecified); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: Helman, JáJá, Designing Practical Efficient Algorithms for Symmetric Multiprocessors,
/// 1999; the problem: Chowdhury, Ramachandran, Silvestri, Blakeley, Oblivious Algorithms for
/// Multicores and Networks of Processors, 2013.
template <std::ranges::contiguous_range Next, std::ranges::contiguous_range Ranks>
run_report list_rank(machine& on, const Next& next, Ranks&& ranks,
                     const graph_options& options = {}) {
  using I = std::ranges::range_value_t<Next>;
  static_assert(std::same_as<I, std::uint32_t> || std::same_as<I, std::uint64_t>,
                "pleat::list_rank: numbers of elements are std::uint32_t or std::uint64_t");
  static_assert(std::same_as<std::ranges::range_value_t<Ranks>, I>,
                "pleat::list_rank: ranks have the type of the numbers of elements");
  return detail::graphs::rank_lists<I>(on, {std::ranges::data(next), std::ranges::size(next)},
                                       {std::ranges::data(ranks), std::ranges::size(ranks)},
                                       options.vps);
}

/// Finds the connected components of a graph: vertices are 0, 1, … labels.size() − 1, and the label
/// of each becomes the least vertex of its component.
///
/// ```cpp
/// std::vector<std::array<std::uint32_t, 2>> edges{{0, 3}, {4, 3}};
/// std::vector<std::uint32_t> labels(5);
/// pleat::connected_components(machine, edges, labels);      // 0, 1, 2, 0, 0
/// ```
///
/// Requires: contiguous ranges of pairs and of numbers, std::uint32_t or std::uint64_t. Edges have
/// no direction, may join a vertex to itself, and may occur twice.
/// Guarantees: the same labels for any number of VPs.
/// Cost: O((n + m·α)/P) expected for m edges that come in any order: VPs join the trees of
/// components in shared memory, without locks; accesses to it are not counted. Two supersteps.
/// Memory: a quarter byte for each edge.
/// Throws: usage_error (a vertex that does not exist, 0 VPs), std::bad_alloc; labels are then
/// unspecified.
/// Thread safety: calls on one machine take turns.
///
/// Source: Jayanti, Tarjan, A Randomized Concurrent Algorithm for Disjoint Set Union, 2016 (trees
/// without locks, whose paths are split); the problem: Chowdhury et al., as above.
template <std::ranges::contiguous_range Edges, std::ranges::contiguous_range Labels>
run_report connected_components(machine& on, const Edges& edges, Labels&& labels,
                                const graph_options& options = {}) {
  using I = std::ranges::range_value_t<Labels>;
  static_assert(std::same_as<I, std::uint32_t> || std::same_as<I, std::uint64_t>,
                "pleat::connected_components: vertices are std::uint32_t or std::uint64_t");
  static_assert(std::same_as<std::ranges::range_value_t<Edges>, std::array<I, 2>>,
                "pleat::connected_components: an edge is a std::array of two vertices");
  return detail::graphs::join<I>(on, {std::ranges::data(edges), std::ranges::size(edges)},
                                 {std::ranges::data(labels), std::ranges::size(labels)},
                                 options.vps);
}

/// Run on the default machine.
template <std::ranges::contiguous_range Next, std::ranges::contiguous_range Ranks>
run_report list_rank(const Next& next, Ranks&& ranks, const graph_options& options = {}) {
  return pleat::list_rank(*detail::call_machine(), next, ranks, options);
}
template <std::ranges::contiguous_range Edges, std::ranges::contiguous_range Labels>
run_report connected_components(const Edges& edges, Labels&& labels,
                                const graph_options& options = {}) {
  return pleat::connected_components(*detail::call_machine(), edges, labels, options);
}

}  // namespace pleat
