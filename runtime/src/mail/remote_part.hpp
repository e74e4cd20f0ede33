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

/// Interface of this process's mail to the part of other processes in a cluster. The other
/// processes together are the last member of the cluster's barrier.
///
/// Thread safety: pack and unpack by the worker of each member; begin while no worker runs.
class remote_part {
 public:
  remote_part() = default;
  remote_part(const remote_part&) = delete;
  remote_part& operator=(const remote_part&) = delete;
  virtual ~remote_part() = default;

  /// Begins a run.
  virtual void begin() = 0;
  /// Packs the messages that the barrier delivers to other processes from a worker's outboxes,
  /// before the worker arrives there. Returns whether there may have been messages. Throws:
  /// std::bad_alloc.
  virtual bool pack(const membership& p, const local_vps& vps, std::vector<outbox>& from,
                    time_account& times) = 0;
  /// Packs when all VPs of the worker in the cluster have ended.
  virtual bool leave_behind(const membership& p, const local_vps& vps,
                            std::vector<outbox>& from) = 0;
  /// Unpacks the messages that a passed barrier delivers to a member's worker from processes before
  /// this one, or behind it. Afterwards `to` has exactly these messages. Throws: std::bad_alloc.
  virtual void unpack_before(std::size_t member, outbox& to) = 0;
  virtual void unpack_behind(std::size_t member, outbox& to) = 0;
};

/// Makes the part of other processes in a cluster. `first`, `last`: range of the workers of all
/// processes in the cluster; `members`: number of those of this process.
using remote_part_maker = std::function<std::unique_ptr<remote_part>(
    std::size_t first, std::size_t last, std::size_t members)>;

}  // namespace pleat::detail
