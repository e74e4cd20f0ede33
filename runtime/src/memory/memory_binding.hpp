// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::detail {

/// NUMA nodes on which the kernel places the pages that a thread touches first.
class PLEAT_API page_placement {
 public:
  /// Reads the placement of the calling thread. Throws environment_error.
  [[nodiscard]] static page_placement current();
  /// Returns the placement of each worker under `policy`; empty if the policy leaves placement to
  /// the kernel, or the topology is not the host's. Throws: as nodes_of_pages.
  [[nodiscard]] static std::vector<page_placement> of_workers(const memory_policy& policy,
                                                              const topology& on,
                                                              const placement& where);
  /// Returns the placement of worker i. Requires: the policy does not leave placement to the
  /// kernel, and the topology is the host's.
  [[nodiscard]] static page_placement of_worker(const memory_policy& policy, const topology& on,
                                                const placement& where, std::size_t i);

  /// Sets the placement of the calling thread. Throws environment_error with the kernel's reason.
  void apply() const;
  /// Indices of the only nodes that may be used; empty if the kernel may use other nodes.
  [[nodiscard]] const std::vector<unsigned>& required() const noexcept { return required_; }
  /// Tells whether no policy is set: a page goes to the node of the thread that touches it first.
  [[nodiscard]] bool is_the_kernels() const noexcept;

  friend bool operator==(const page_placement&, const page_placement&) = default;

 private:
  static constexpr std::size_t bits = 8 * sizeof(unsigned long);

  page_placement(int mode, const std::vector<unsigned>& nodes);

  int mode_;
  std::vector<unsigned long> mask_;
  std::vector<unsigned> required_;
};

/// Sets the page placement of the calling thread, and restores the previous one on destruction.
class PLEAT_API page_placement_scope {
 public:
  explicit page_placement_scope(const page_placement& wanted);
  ~page_placement_scope();
  page_placement_scope(const page_placement_scope&) = delete;
  page_placement_scope& operator=(const page_placement_scope&) = delete;

 private:
  page_placement before_;
};

/// Checks whether `bytes`, of which each worker touches an equal part, fit on the nodes to which
/// the workers' pages are bound. The kernel reports this too late: it kills a process whose page
/// has no place. Throws environment_error that names the node.
PLEAT_API void require_free_memory(std::span<const page_placement> of_workers, std::size_t bytes,
                                   memory_policy::pages size);

}  // namespace pleat::detail
