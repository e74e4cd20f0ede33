// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pleat/channels/line_ring.hpp>
#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/detail/vp_host.hpp>

#include "costs/cost_recorder.hpp"
#include "costs/counted_run.hpp"
#include "mail/run_plan.hpp"

namespace pleat::detail {

class link;
struct ring_ends;
struct run_state;

/// States of the virtual processors of a run when none of them can continue.
struct wait_states {
  static constexpr std::size_t most_named = 6;

  std::vector<std::uint8_t> states;      // by rank: vp_state::waits_at; nowhere if it has ended
  std::vector<std::string> at_channels;  // texts for the first VPs that wait at channels
  std::size_t waiting_at_channels = 0;   // number of all VPs that wait at channels
  std::exception_ptr left_over;          // error about data never received, if all VPs have ended

  /// Appends the states of another process, whose ranks follow.
  void append(const wait_states& behind);
};

/// Takes the wait states of this process. Requires that all workers are idle and remain idle.
[[nodiscard]] wait_states take_wait_states(const run_state& run);

/// Makes the error that says why no VP continues: all.left_over if set, a label_mismatch if there
/// is one, else a deadlock. `all`: states of all processes.
[[nodiscard]] std::exception_ptr diagnose(const wait_states& all);

/// Interface of the engine to the other processes of a machine, which the component ranks
/// implements. A machine of one process has none, so each of these calls costs only a branch that
/// is not taken.
///
/// Thread safety: calls by worker 0 of a run, and by the caller of run; all_idle, and the calls for
/// channels and rings, by any worker.
class other_processes {
 public:
  other_processes() = default;
  other_processes(const other_processes&) = delete;
  other_processes& operator=(const other_processes&) = delete;
  virtual ~other_processes() = default;

  /// Workers of each process, including this one.
  [[nodiscard]] const process_layout& layout() const noexcept { return *layout_; }
  /// Number of processors of the machine, in all processes.
  [[nodiscard]] std::size_t processors() const noexcept { return processors_; }
  /// Cost of messages between processes, measured when the machine was made.
  [[nodiscard]] const process_message_cost& message_cost() const noexcept { return message_cost_; }

  // ---------------------------------------------------------------- the beginning of a run

  /// Prepares the calling thread for a run. Throws: usage_error if the calling thread may not send
  /// to other processes.
  virtual void enter() = 0;
  /// Begins a run on M(v) in this process. If it throws std::bad_alloc, the run has begun, and must
  /// be concluded.
  virtual void begin(std::size_t v) = 0;
  /// Makes the part of other processes in a cluster, see remote_part_maker.
  [[nodiscard]] virtual std::unique_ptr<remote_part> part_in(std::size_t first, std::size_t last,
                                                             std::size_t members) = 0;

  // ---------------------------------------------------------------- in a run

  /// Processes received packets and sends pending ones. `idle`: the caller has waited for a while,
  /// and none of its virtual processors can run. Returns whether something has changed for which a
  /// worker may wait. Throws: std::bad_alloc; usage_error if other processes run something else.
  virtual bool drive(bool idle) = 0;
  /// Reports that all workers of this process are idle, and none can continue by itself, in that
  /// generation of the termination detector.
  virtual void all_idle(std::uint64_t generation) noexcept = 0;
  /// Reports the messages of this process's part of a cluster when it comes to a barrier, or that
  /// it will not come to the barrier again. Requires: the run is counted. Throws: std::bad_alloc.
  virtual void report_costs(const part_of_barrier& part,
                            std::span<const counted_messages> messages) = 0;
  /// Ends all reading of memory that virtual processors have lent to other processes, after a run
  /// has failed here. Does not wait for other processes.
  virtual void take_back_loans() noexcept = 0;

  /// The halves of rings to and from virtual processors of other processes. Throw: std::bad_alloc.
  [[nodiscard]] virtual remote_ring& ring_to(const ring_ends& of) = 0;
  [[nodiscard]] virtual line_ring& ring_from(const ring_ends& of) = 0;
  /// Tells whether this process has credits for all messages of rings that were taken. Requires:
  /// the run is over.
  [[nodiscard]] virtual bool rings_settled() const noexcept = 0;

  // ---------------------------------------------------------------- the end of a run

  /// Concludes the run, when all virtual processors have ended here or it has failed. Waits until
  /// it has ended in all processes, and returns the cause of its failure, the same in all of them,
  /// or null. If some message of a ring was never taken, the cause is that of run_state::left_over.
  [[nodiscard]] virtual std::exception_ptr conclude(std::exception_ptr cause) noexcept = 0;
  /// Totals of the last run over all processes.
  struct totals {
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t untaken = 0;  // messages of rings
    std::array<std::uint64_t, most_labels> supersteps{};
  };
  [[nodiscard]] virtual const totals& of_run() const noexcept = 0;
  /// Returns the costs of a counted run that has not failed. Throws: std::bad_alloc.
  [[nodiscard]] virtual counted_run take_costs() = 0;

 protected:
  std::optional<process_layout> layout_;
  std::size_t processors_ = 0;
  process_message_cost message_cost_;
};

/// Data about each process that the others know.
struct process_share {
  std::size_t workers;     // number of threads that carry out virtual processors
  std::size_t processors;  // number of processors of the machine in this process
  bool strict;
  bool traces, dummies;   // see tracing
  std::uint64_t between;  // see tracing::processors
};
/// Makes a machine together with all other processes. Returns when all take part.
/// Throws: usage_error if options that must be equal differ; the error that prevented a process
/// from taking part.
[[nodiscard]] std::unique_ptr<other_processes> take_part(run_state& run, std::shared_ptr<link> to,
                                                         const process_share& mine);
/// Notifies the other processes that this one cannot make a machine. Throws the error that all of
/// them throw: the first cause that process 0 has received.
void stay_away(link& from, const std::exception_ptr& why);

}  // namespace pleat::detail
