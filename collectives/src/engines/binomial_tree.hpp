// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/engine_promise.hpp>
#include <pleat/runtime/task.hpp>

/// All ranks on one list, through a tree: p − 1 rings to one direction, ⌈log2 p⌉ rounds, and a few
/// words a rank, however many ranks there are.
///
/// The parent of a rank is the rank without its lowest bit that is set, so its subtree is a range
/// of ranks. Each of the tasks is one that all ranks of the segment await.
namespace pleat::detail {

/// What a rank brings begins with this.
struct roll_entry {
  std::uint32_t rank;
  roll_entry* next = nullptr;
};

/// Afterwards rank 0 finds the entries of all behind its own, in the order of the ranks. They stay
/// where they are, and are not touched by their owners till they know that nobody reads them.
task<> call_roll(endpoint& on, roll_entry& mine);
/// `what` of rank 0 becomes everybody's. When it arrives, all that rank 0 did before has happened.
task<> tell_all(endpoint& on, const void*& what);
/// Rank 0 returns when all have come here; the others do not wait for anybody but their subtree.
task<> report_back(endpoint& on);

}  // namespace pleat::detail
