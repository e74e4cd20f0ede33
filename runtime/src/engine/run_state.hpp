// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/wait_policy.hpp>

#include "costs/cost_recorder.hpp"
#include "mail/run_plan.hpp"
#include "threads/parking.hpp"
#include "threads/termination_detector.hpp"
#include "threads/thread_environment.hpp"
#include "threads/worker_affinity.hpp"

namespace pleat {
class machine;
class vp;
}  // namespace pleat

namespace pleat::detail {

class other_processes;
class worker;
struct vp_rings;

/// State that the workers of a run share, with memory that the next run can reuse.
struct run_state {
  /// Makes a worker for each element of `where`.
  run_state(machine& m, worker_affinity where);
  ~run_state();

  machine& owner;
  wait_policy waiting = wait_policy::automatic;
  bool strict = false;
  bool times = true;
  bool timeline = false;
  bool small_pages = false;                 // for memory that the workers map themselves
  std::unique_ptr<cost_recorder> recorder;  // set if the machine traces
  std::unique_ptr<run_plan> plan;
  std::vector<std::unique_ptr<worker>> workers;
  std::unique_ptr<vp_rings> rings;
  std::unique_ptr<other_processes> others;  // null on a machine of one process

  shared_attachment attached;
  watch* watching = nullptr;  // of the thread that called run

  /// Order to the workers, written for every run and read by every worker. Its members are
  /// together, because each cache line costs a transfer to every worker.
  struct alignas(destructive_distance) order {
    std::chrono::steady_clock::time_point start;
    program_ref program;
    run_plan* plan = nullptr;
    std::uint32_t active = 0;       // number of workers in this run
    thread_environment caller;      // environment of the caller's thread
    std::uint64_t first_epoch = 0;  // first epoch of the plan's barriers
    std::uint64_t number = 0;       // number of the run in the termination detector
  };
  static_assert(sizeof(order) == destructive_distance || destructive_distance != 64);
  order now;

  const worker_affinity affinities;
  caller_binding caller;
  parking sleepers;
  termination_detector termination;

  /// Begins a run of `what` on M(v), with the first `present` workers. Requires that no worker is
  /// running. If it throws, the run is over in all processes.
  void prepare(std::size_t v, std::size_t present, program_ref what,
               std::chrono::steady_clock::time_point start);
  /// Marks the floating-point exceptions of the run's workers as raised by the calling thread.
  void give_exceptions_back() const noexcept;
  /// Moves the thread of that worker, which calls this, back to its PU if it was moved meanwhile.
  void restore_affinity(std::size_t worker) noexcept {
    if (worker == 0)
      caller.restore();
    else
      affinities.restore(worker);
  }
  /// Returns the error if virtual processors have left something unfinished, such as a message of a
  /// collective operation that was never taken; else null. Requires: all workers have stopped.
  [[nodiscard]] std::exception_ptr left_over() const noexcept;
  /// Ends a run after all workers have stopped: frees what the run has left, and waits for other
  /// processes. Returns the cause if it failed, else null. If it has not failed here,
  /// `make_report()` is called before the other processes are told; an exception of make_report
  /// ends the run in all of them.
  [[nodiscard]] std::exception_ptr finish(const std::function<void()>& make_report) noexcept;
  /// Returns the report of this process: counts and times, and on a machine of one process also
  /// costs. Throws usage_error if costs were to be counted and there is no common sequence of
  /// supersteps.
  [[nodiscard]] run_report report();
  /// Adds the figures of other processes to a report, after finish. Allocates only if costs were
  /// counted; throws then as report does.
  void add_other_processes(run_report& report);

  /// Poisons the run if its watch is over; for worker 0.
  void look() noexcept;
  /// Ends the run with `cause`, unless it has a cause already. Every worker sees the flag at its
  /// next check and unwinds its virtual processors.
  void poison(std::exception_ptr cause) noexcept;
  [[nodiscard]] bool poisoned() const noexcept {
    // seq_cst: pairs with the store in poison; see there for workers that retire meanwhile.
    return poisoned_.flag.load(std::memory_order_seq_cst);
  }
  [[nodiscard]] const std::atomic<bool>& poison_mark() const noexcept { return poisoned_.flag; }

 private:
  struct alignas(destructive_distance) poison_flag {
    std::atomic<bool> flag{false};
  };
  void plan_run(std::size_t v, std::size_t present, program_ref what,
                std::chrono::steady_clock::time_point start);

  poison_flag poisoned_;
  std::mutex cause_mutex_;
  std::exception_ptr cause_;
  // Lists of the last report, which the next run reuses if no report refers to them.
  shared_list<std::uint64_t> supersteps_;
  shared_list<processor_times> times_;
};

}  // namespace pleat::detail
