// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <pleat/runtime/detail/local_vps.hpp>
#include <pleat/runtime/detail/outbox.hpp>

#include "costs/time_account.hpp"

namespace pleat::detail {

struct membership;

/// Interface to the part that other processes have in a cluster, for the mail of this process. The
/// other processes together are the last member of the cluster's barrier.
///
/// Thread safety: pack and unpack by each member's worker, for itself; begin while no worker runs.
class remote_part {
 public:
  remote_part() = default;
  remote_part(const remote_part&) = delete;
  remote_part& operator=(const remote_part&) = delete;
  virtual ~remote_part() = default;

  /// Begins a run.
  virtual void begin() = 0;
  /// Packs what the barrier delivers to other processes from a worker's outboxes, before the worker
  /// arrives there. Returns whether there may have been something. Throws: std::bad_alloc.
  virtual bool pack(const membership& p, const local_vps& vps, std::vector<outbox>& from,
                    time_account& times) = 0;
  /// Packs when all VPs of the worker that could have come to the barrier have ended.
  virtual bool leave_behind(const membership& p, const local_vps& vps,
                            std::vector<outbox>& from) = 0;
  /// Unpacks what a barrier that has been passed delivers to a member's worker from processes
  /// before this one, or behind it: `to` has that and nothing else. Throws: std::bad_alloc.
  virtual void unpack_before(std::size_t member, outbox& to) = 0;
  virtual void unpack_behind(std::size_t member, outbox& to) = 0;
};

/// Makes the part of others in a cluster. `first`, `last`: the workers of all processes that have a
/// part in it; `members`: those of this process.
using remote_part_maker = std::function<std::unique_ptr<remote_part>(
    std::size_t first, std::size_t last, std::size_t members)>;

}  // namespace pleat::detail
