// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace pleat {

/// Processor time that the kernel grants the control group of this process: `runtime_us` of it in
/// each `period_us` of wall time, whichever processors it runs on.
struct PLEAT_API cpu_quota {
  std::uint64_t runtime_us = 0;
  std::uint64_t period_us = 1;
  std::string source;  ///< the file that says so

  /// Workers that can run without being throttled: runtime/period rounded down, at least 1.
  ///
  /// Down, because a throttled worker holds up every barrier: three workers on a quota of 2.5
  /// processors run at the speed of the one that is stopped.
  [[nodiscard]] unsigned processors() const noexcept;

  friend bool operator==(const cpu_quota&, const cpu_quota&) = default;
};

/// The tightest processor quota on this process, or none.
///
/// Reads `proc/self/cgroup` and `proc/self/mountinfo` below `root`, then `cpu.max` (control groups
/// version 2) or `cpu.cfs_quota_us` and `cpu.cfs_period_us` (version 1) of the group itself and of
/// every group above it, as far up as the mount shows. What is missing, unlimited or unreadable
/// limits nothing: a kernel without control groups is not an error.
///
/// \param root where `/` is: tests lay out a file system of their own
/// Cost: a few small files. Throws nothing but std::bad_alloc. Thread-safe.
/// Source: Linux kernel documentation, admin-guide/cgroup-v2 and scheduler/sched-bwc.
[[nodiscard]] PLEAT_API std::optional<cpu_quota> read_cpu_quota(const std::string& root = "/");

}  // namespace pleat
