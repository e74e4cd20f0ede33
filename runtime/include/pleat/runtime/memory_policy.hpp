// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat {

/// Policy for the NUMA nodes of a machine's memory, and for the size of its pages.
///
/// Notation in `PLEAT_MEMORY` and on the command line:
///
///     first-touch   on the node of the worker that writes to a page first, which is the owner of
///                   the block (the default); a policy set by numactl stays in force
///     local         the same, but a policy set by numactl has no effect
///     interleave    pages in turn on all nodes this process may use, also memory-only ones
///     weighted-interleave
///                   the same with as many consecutive pages on a node as its weight, which the
///                   kernel has (Linux 6.9; /sys/kernel/mm/mempolicy/weighted_interleave)
///     bind:N        on node N alone (operating system's index, as numactl counts)
///     dram, hbm, cxl, nvm
///                   on a node of that memory_kind: the worker's own, else one that is local to
///                   the worker, else the nearest; of equals, the next after its own by index
///     remote        on the node that is farthest from the worker that writes to a page first, and
///                   not local to it; of equals, the next after its own by index. It shows what
///                   distance costs
///     master        on the node of worker 0, as if it alone had initialised the data, which is
///                   the most frequent mistake
///
/// A page size may follow ("bind:1/hugetlb"), or stand alone ("/4k"):
///
///     thp           2 MiB where the kernel has them ready, else 4 KiB (the default)
///     4k            4 KiB (the processor's smallest, whatever that is)
///     hugetlb       2 MiB from the kernel's reserve, for blocks of at least that size
///
/// A policy governs the pages that a worker touches first while it carries out a program: scratch
/// memory, coroutines, messages, and memory that the program itself allocates and writes to. Memory
/// that was touched before stays on its node. For arrays to work on see placed_memory.
///
/// Messages are in memory of an allocator that keeps freed blocks. A machine with a policy other
/// than first-touch has the allocator return all free memory to the kernel first, so that new pages
/// are placed as the policy says. But a buffer that passes from one worker to another stays on the
/// node where the first worker has touched it, and so do pages that small blocks share.
/// observed::pages counts the pages.
///
/// Source: the kernel's set_mempolicy(2), on which each policy is built.
struct memory_policy {
  enum class nodes : std::uint8_t {
    first_touch,
    local,
    interleave,
    weighted_interleave,
    bind,
    of_kind,
    remote,
    master
  };
  enum class pages : std::uint8_t { transparent, small, reserved };

  nodes where = nodes::first_touch;
  unsigned node = 0;  ///< nodes::bind
  pages size = pages::transparent;
  memory_kind kind = memory_kind::unknown;  ///< nodes::of_kind

  friend bool operator==(const memory_policy&, const memory_policy&) = default;
};

/// Reads the notation above. Throws usage_error that shows the notation if `text` does not follow
/// it.
[[nodiscard]] PLEAT_API memory_policy parse_memory_policy(std::string_view text);

/// Returns the notation above, with the page size only if it is not the default.
/// parse_memory_policy converts it back. Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_string(const memory_policy& policy);

/// Returns "4k", "thp" or "hugetlb".
[[nodiscard]] PLEAT_API std::string_view to_string(memory_policy::pages size) noexcept;

/// Returns the NUMA nodes, ascending, of the pages that worker `i` of a placement touches first:
/// several, with equal shares, for interleave; several, by their weights, for weighted-interleave;
/// else one. For first-touch it is the worker's own node, as without numactl. The topology may also
/// be a description.
///
/// Throws: environment_error if the policy names no node that this process may use (the node of
/// bind, one of the kind, a remote one); std::bad_alloc.
[[nodiscard]] PLEAT_API std::vector<unsigned> nodes_of_pages(const memory_policy& policy,
                                                             const topology& on,
                                                             const placement& where, std::size_t i);

}  // namespace pleat
