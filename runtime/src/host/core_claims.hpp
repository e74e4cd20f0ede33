// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::detail {

/// Claims of PUs by the machines of this user, in all processes: a file in the user's runtime
/// directory, with a lock on one record for each PU on which a machine has workers. The kernel
/// frees the locks of a process that has ended for any reason. If the process has not destroyed its
/// machine, and has forked children meanwhile, the locks are freed when the last of these ends.
///
/// Locks are used instead of load, because a machine between two runs has no load, two processes
/// that start together see the same idle core, and measuring load takes time. Programs without
/// Pleat, of other users, or in other containers are not seen.
///
/// The file is `pleat-cores` in $XDG_RUNTIME_DIR, else in /run/user/UID, else in /tmp/pleat-UID. If
/// it cannot be opened, no other machine is seen, and all machines start at the first core.
class core_claims {
 public:
  /// `takes_part`: if false, it sees no other machines, and they do not see its own.
  explicit core_claims(bool takes_part);
  ~core_claims();
  core_claims(const core_claims&) = delete;
  core_claims& operator=(const core_claims&) = delete;

  /// Places workers beside those of other machines, and claims their PUs until destruction.
  /// Throws: what pleat::place throws.
  [[nodiscard]] placement place(const topology& machine, const placement_request& request,
                                std::optional<unsigned> processors);

  /// PUs of this placement that machines of other processes also use, as far as known.
  [[nodiscard]] const std::vector<unsigned>& shared_with_others() const noexcept { return shared_; }

 private:
  [[nodiscard]] std::vector<unsigned> taken(const topology& machine) const;
  [[nodiscard]] std::vector<unsigned> of_other_processes(std::span<const unsigned> pus) const;
  void hold(const placement& placed);
  void release() const noexcept;

  int file_ = -1;
  pid_t owner_;
  std::vector<unsigned> held_;
  std::vector<unsigned> shared_;
};

}  // namespace pleat::detail
