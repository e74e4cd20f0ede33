// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs/counted_run.hpp"

namespace pleat::detail {

/// Barrier of a cluster that several processes share, as one of them reports it.
struct part_of_barrier {
  std::uint64_t label = 0, first = 0;  // label and first virtual processor of the cluster
  std::uint64_t epoch = 0;             // of the barrier, from 1
  std::uint64_t superstep = 0;         // valid if there are messages
  std::uint64_t leaves = 0;            // not 0: all VPs of the part have ended
};

/// Counts the messages of a run, superstep by superstep, for all foldings at once.
///
/// A VP's supersteps are numbered by its syncs, and superstep s is the same for all VPs. Clusters
/// run depth-first, so one cluster may be many supersteps ahead of another, to which it may have
/// sent messages that the other receives much later. So messages are first logged, and counted when
/// the barrier that ends their superstep is passed. If other processes share the cluster, the
/// messages are instead handed to process 0, when this process's part has come to the barrier.
///
/// Invariant: the log holds, for every VP that has not ended, its messages since the last barrier
/// that was counted or handed over; a message is of the VP that sends it, or reads it from memory
/// of another one in its cluster. The VPs of a cluster inside this process run one after the
/// other, and no other VP in between, so the messages of the superstep that the cluster completes
/// are the last ones in the log. The parts of clusters that other processes share wait for these,
/// and may run in any order. After a VP has waited at a channel, all VPs may run in any order;
/// messages that a waiting VP has sent in its superstep are out of the log until its next sync.
///
/// A round of a collective operation is a superstep without a barrier. Its messages are counted at
/// the end of the run, when all are known and with them the label.
///
/// Thread safety: none; a run that counts has one worker in each process.
class cost_recorder {
 public:
  /// The arguments are those of tracing.
  explicit cost_recorder(bool dummies, std::size_t processors = 0,
                         bool keeps_messages = false) noexcept
      : dummies_(dummies), keeps_messages_(keeps_messages), processors_(processors) {}

  [[nodiscard]] bool counts_dummies() const noexcept { return dummies_; }
  /// Number of processors from the constructor.
  [[nodiscard]] std::size_t processors() const noexcept { return processors_; }

  /// Begins a run on M(v).
  void start(std::size_t v);
  /// Logs messages in the superstep of VP `rank`, which sends or reads them.
  void message(std::size_t rank, std::size_t source, std::size_t destination, std::uint64_t count) {
    if (source == destination || count == 0) return;
    if (keeps_messages_) [[unlikely]]
      keep(rank, source, destination, count);
    if (log_.size() > synced_ && log_.back().source == source &&
        log_.back().destination == destination) {
      log_.back().count += count;
      return;
    }
    log_.push_back(
        {static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination), count});
  }
  [[nodiscard]] bool holds_messages() const noexcept { return !log_.empty(); }
  /// Records that VP `rank` has come to sync(label).
  void sync(std::size_t rank, unsigned label) {
    if (any_order_) [[unlikely]]
      take_back(rank);
    synced_ = log_.size();
    end_superstep(rank, label);
  }
  /// Records that VP `rank` begins a round of a collective operation.
  void begin_round(std::size_t rank) { end_superstep(rank, counted_run::round); }
  /// Records messages of the round that VP `source` is in; 0: an empty block, which joins the VPs.
  void message_of_round(std::size_t source, std::size_t destination, std::uint64_t count) {
    counted_.add_to_round(
        supersteps_done_[source] - std::size_t{1},
        {static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination), count});
  }
  /// Records that VP `source` has pushed a value: a message of its superstep.
  void pushed(std::size_t source, std::size_t destination);
  /// Records that VP `rank` waits at a channel, while others run.
  void suspended(std::size_t rank);
  /// Counts a superstep of a label-cluster. Requires that all of its VPs that have not ended have
  /// come to their sync(label), and that its messages stay inside the cluster.
  void completed(rank_range cluster, unsigned label);

  /// Messages of this process's part of a cluster in a superstep, which process 0 counts.
  struct part_of_superstep {
    std::size_t superstep = 0;  // valid if there are messages
    std::vector<counted_messages> messages;
  };
  [[nodiscard]] part_of_superstep take_sent_by(rank_range part);

  /// Records that VP `rank` has ended. Messages that it has sent since its last sync belong to no
  /// superstep.
  void ended(std::size_t rank);
  /// Counts of the run that is over.
  [[nodiscard]] counted_run& counted() noexcept { return counted_; }
  /// Takes the log of the run that is over; null if messages are not kept. Requires: the counts
  /// have not been taken. Throws: std::bad_alloc.
  [[nodiscard]] std::shared_ptr<const message_log> take_log();
  void release_memory() noexcept;

 private:
  void end_superstep(std::size_t rank, unsigned label) {
    const std::uint32_t superstep = supersteps_done_[rank]++;
    if (superstep == counted_.supersteps.size())
      return counted_.begin_superstep(rank, label, labels_);
    if (counted_.supersteps[superstep].label != label) [[unlikely]]
      counted_.differ(superstep, rank, label);
  }
  /// Returns to the log the messages of VP `rank` that are aside, at its sync. Tells whether it has
  /// pushed values since the last one.
  bool take_back(std::size_t rank);
  /// Superstep that a message's VP has completed; the other VP may have ended before.
  [[nodiscard]] std::size_t superstep_of(const counted_messages& one) const noexcept;
  void keep(std::size_t rank, std::size_t source, std::size_t destination, std::uint64_t count);
  void add_rounds_to_kept();

  bool dummies_;
  bool keeps_messages_;
  std::size_t processors_;
  unsigned labels_ = 1;
  std::vector<counted_messages> log_;
  std::size_t synced_ = 0;  // number of those in the log whose VP has come to its sync
  std::vector<std::uint32_t> supersteps_done_;  // [rank]
  std::vector<message_log::message> kept_;      // in the order they were sent
  bool any_order_ = false;                      // VPs have used channels
  // [rank]: messages of VPs that wait at channels, or have waited since their last sync
  std::unordered_map<std::size_t, std::vector<counted_messages>> aside_;
  std::vector<bool> has_pushed_;  // [rank]: since its last sync; empty before the first push
  counted_run counted_;
  degree_counter degrees_;
};

}  // namespace pleat::detail
