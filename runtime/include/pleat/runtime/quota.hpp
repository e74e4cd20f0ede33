// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace pleat {

/// Processor time that the kernel grants to the control group of this process: `runtime_us` in each
/// `period_us` of wall time, on all processors together.
struct PLEAT_API cpu_quota {
  std::uint64_t runtime_us = 0;
  std::uint64_t period_us = 1;
  std::string source;  ///< file that contains the quota

  /// Workers that can run without being throttled: runtime/period rounded down, at least 1.
  ///
  /// It is rounded down because a throttled worker delays every barrier: three workers on a quota
  /// of 2.5 processors run at the speed of the worker that is stopped.
  [[nodiscard]] unsigned processors() const noexcept;

  friend bool operator==(const cpu_quota&, const cpu_quota&) = default;
};

/// Returns the tightest processor quota on this process, or nullopt.
///
/// Reads `proc/self/cgroup` and `proc/self/mountinfo` below `root`, then `cpu.max` (control groups
/// version 2) or `cpu.cfs_quota_us` and `cpu.cfs_period_us` (version 1) of the group itself and of
/// every group above it, as far up as the mount shows. Files that are missing, unlimited or
/// unreadable limit nothing: a kernel without control groups is not an error.
///
/// \param root directory that is read in place of `/`, for tests
/// Cost: a few small files. Throws only std::bad_alloc. Thread-safe.
/// Source: Linux kernel documentation, admin-guide/cgroup-v2 and scheduler/sched-bwc.
[[nodiscard]] PLEAT_API std::optional<cpu_quota> read_cpu_quota(const std::string& root = "/");

/// Returns how many bytes of memory this process can have: those that it has and those that are
/// free, with swap, but at most the tightest limit of its control groups. If nothing is known,
/// returns the greatest number.
///
/// Reads `proc/meminfo` and `proc/self/statm` below `root`, then `memory.max` (control groups
/// version 2) or `memory.limit_in_bytes` (version 1), as read_cpu_quota does. Cost and exceptions:
/// as read_cpu_quota. Thread-safe.
[[nodiscard]] PLEAT_API std::uint64_t usable_memory(const std::string& root = "/");

}  // namespace pleat
