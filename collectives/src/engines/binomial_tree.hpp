// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/engine_promise.hpp>
#include <pleat/runtime/task.hpp>

/// Collectives of a few words a rank on one binomial tree: p − 1 rings in one direction, ⌈log2 p⌉
/// rounds, whatever the number of ranks.
///
/// The parent of a rank is the rank without its lowest bit that is set, so its subtree is a range
/// of ranks. Rank 0 is the root. Each of the tasks is one that all ranks of the segment await.
namespace pleat::detail {

/// Base of an entry that a rank gives to gather_list.
struct list_entry {
  std::uint32_t rank;
  list_entry* next = nullptr;
};

/// Gathers a list: rank 0 finds the entries of all ranks behind its own, in the order of the ranks.
/// The entries stay where they are; their owners do not touch them until no rank reads them any
/// more.
task<> gather_list(endpoint& on, list_entry& mine);
/// Gathers values where ranks have no memory in common: rank 0 finds `each` bytes of all ranks in
/// `all`, in the order of the ranks. Another rank gives its own in the front of `all`, which has
/// room for those of its subtree: subtree_of(on).
task<> gather_values(endpoint& on, std::byte* all, std::size_t each);
/// Number of ranks in the subtree of this one.
[[nodiscard]] std::size_t subtree_of(const endpoint& on) noexcept;
/// Broadcasts the pointer of rank 0. When it arrives, all that rank 0 did before has happened.
task<> broadcast_pointer(endpoint& on, const void*& pointer);
/// Waits for arrivals: rank 0 until all ranks have called this, another rank until its subtree has.
task<> gather_arrivals(endpoint& on);

}  // namespace pleat::detail
