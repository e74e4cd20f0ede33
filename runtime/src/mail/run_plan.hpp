// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <pleat/runtime/barrier.hpp>
#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/detail/vp_host.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs/time_account.hpp"
#include "mail/mailboxes.hpp"

namespace pleat::detail {

/// Distribution of a machine's workers over its processes. The workers of a process follow those of
/// the previous process, and so do its virtual processors.
class process_layout {
 public:
  /// Layout of a machine of one process.
  [[nodiscard]] static process_layout alone(std::size_t workers) { return {0, {workers}}; }

  /// `workers`: number of workers of each process, at least one.
  process_layout(std::size_t self, const std::vector<std::size_t>& workers) : self_(self) {
    for (const std::size_t count : workers) first_.push_back(first_.back() + count);
  }

  [[nodiscard]] std::size_t self() const noexcept { return self_; }
  [[nodiscard]] std::size_t processes() const noexcept { return first_.size() - 1; }
  /// Number of workers of all processes together.
  [[nodiscard]] std::size_t workers() const noexcept { return first_.back(); }
  [[nodiscard]] std::size_t first_worker(std::size_t process) const noexcept {
    return first_[process];
  }
  [[nodiscard]] std::size_t workers_of(std::size_t process) const noexcept {
    return first_[process + 1] - first_[process];
  }
  [[nodiscard]] std::size_t process_of(std::size_t worker) const noexcept {
    const auto behind = std::upper_bound(first_.begin(), first_.end(), worker);
    return static_cast<std::size_t>(behind - first_.begin()) - 1;
  }
  /// VPs of a process. If there are fewer VPs than workers, the last workers have none.
  [[nodiscard]] rank_range vps_of(std::size_t process, const fold& folding) const noexcept {
    const std::size_t most = folding.processors();
    return {folding.ranks(std::min(first_[process], most)).first,
            folding.ranks(std::min(first_[process + 1], most)).first};
  }

 private:
  std::size_t self_;
  std::vector<std::size_t> first_{0};  // [process], and behind the last
};

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
  /// Unpacks the messages that a passed barrier delivers to a member's worker: those from processes
  /// before this one, and behind it. Throws: std::bad_alloc.
  virtual void unpack(std::size_t member, outbox& before, outbox& behind) = 0;
};

/// Makes the part of other processes in a cluster. `first`, `last`: range of the workers of all
/// processes in the cluster; `members`: number of those of this process.
using remote_part_maker = std::function<std::unique_ptr<remote_part>(
    std::size_t first, std::size_t last, std::size_t members)>;

/// Cluster whose VPs are on several workers, which meet at its barrier. If other processes have a
/// part in it, all of them together are one more member, the last one.
struct shared_cluster {
  shared_cluster(unsigned label_, rank_range ranks_, std::size_t first, std::size_t last,
                 std::unique_ptr<remote_part> others)
      : label(label_),
        ranks(ranks_),
        first_worker(first),
        last_worker(last),
        barrier(last - first + (others == nullptr ? 0 : 1)),
        boxes(last - first),
        beyond(std::move(others)) {}

  unsigned label;
  rank_range ranks;
  std::size_t first_worker, last_worker;  // workers of the members, last excluded
  pleat::barrier barrier;
  mailboxes boxes;                      // by the numbers of the members
  std::unique_ptr<remote_part> beyond;  // null if the cluster is inside this process
};

/// Number of epochs of a run. The barriers of a plan continue to count from run to run, so that
/// nothing has to be reset between two runs. The last epoch of a run is for members that have left.
inline constexpr std::uint64_t epochs_of_run = std::uint64_t{1} << 48;

/// Part of one worker in a shared_cluster, as a member of its barrier.
struct membership {
  shared_cluster* where = nullptr;
  rank_range ranks;         // VPs of the worker in the cluster
  std::size_t member = 0;   // the worker's number among the members of the barrier
  std::uint64_t epoch = 0;  // epoch of its last arrival; increases by one at each
  std::size_t live = 0;     // number of its VPs that have not ended
  bool waiting = false;     // arrived, and not yet released
  std::uint64_t end = 0;    // the run's last epoch, announced when its VPs have ended

  /// Number of arrivals in this run.
  [[nodiscard]] std::uint64_t arrivals() const noexcept { return epoch + epochs_of_run - end; }
  /// Begins a run whose first arrival is `first` + 1.
  void begin(std::uint64_t first) noexcept {
    epoch = first;
    live = ranks.size();
    waiting = false;
    end = first + epochs_of_run;
  }
};

/// Clusters that one worker shares with others. Its VPs are consecutive, so there are at most two
/// of each label: one that begins before its first VP, one that ends behind its last.
struct memberships {
  std::vector<membership> all;
  // [label]: index in `all` of the cluster that extends below, or above, the worker's VPs; or −1
  std::array<std::int16_t, most_labels> lower, upper;

  /// Last arrivals of the worker's VPs, for what they leave. Throws: std::bad_alloc.
  [[nodiscard]] std::vector<last_arrival> last_arrivals() const {
    std::vector<last_arrival> last;
    for (const membership& p : all) {
      const auto first = static_cast<std::uint32_t>(p.where->ranks.first);
      last.push_back({p.where->label, first, p.arrivals()});
    }
    return last;
  }

  /// Finds the membership in the label-cluster of `rank`; null if the cluster is inside the worker.
  [[nodiscard]] membership* find(std::size_t rank, unsigned label) noexcept {
    for (const std::int16_t index : {lower[label], upper[label]}) {
      if (index < 0) continue;
      membership& found = all[static_cast<std::size_t>(index)];
      if (found.ranks.contains(rank)) return &found;
    }
    return nullptr;
  }
};

/// Folding of M(v) onto the workers, with the clusters that span several of them. Made once for a v
/// and used again by the next runs with the same v. Clusters that lie inside one worker need no
/// barrier and do not appear.
struct run_plan {
  /// Folds M(v) onto the workers of one process.
  run_plan(std::size_t v, std::size_t workers_) : run_plan(v, process_layout::alone(workers_)) {}
  /// Makes this process's part of M(v) folded onto the workers of several processes.
  run_plan(std::size_t v, const process_layout& all, const remote_part_maker& make_part = {});
  /// Begins a run, while no worker takes part in one. Returns the epoch of the barriers at which
  /// the run starts to count.
  [[nodiscard]] std::uint64_t begin_run();

  /// Messages to a worker of this process, left by VPs that have ended.
  [[nodiscard]] leftovers<leftover>& left(std::size_t to) noexcept { return left_[to]; }

  /// VPs of a worker of this process.
  [[nodiscard]] rank_range ranks_of(std::size_t worker) const noexcept {
    const std::size_t processor = first_worker + worker;
    if (processor >= folding.processors()) return {folding.vps(), folding.vps()};
    return folding.ranks(processor);
  }
  /// VPs of this process.
  [[nodiscard]] rank_range ranks_here() const noexcept {
    return {ranks_of(0).first, ranks_of(workers.size() - 1).last};
  }

  fold folding;                  // onto the workers of all processes
  std::size_t first_worker = 0;  // this process's first worker among these
  std::vector<std::unique_ptr<shared_cluster>> clusters;
  std::vector<memberships> workers;        // [worker of this process]
  std::vector<shared_cluster*> crossings;  // the clusters in which other processes have a part

 private:
  std::vector<leftovers<leftover>> left_;  // [to]
  std::uint64_t first_epoch_ = 0;          // of the next run
};

}  // namespace pleat::detail
