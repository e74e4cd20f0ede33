// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/attachment.hpp>
#include <pleat/runtime/detail/program_ref.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/wait_policy.hpp>

#include "costs/cost_recorder.hpp"
#include "mail/run_plan.hpp"
#include "threads/caller_binding.hpp"
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
class vp_rings;

/// State that the workers of one run share; and from run to run, what the next one can use again.
struct PLEAT_API run_state {
  /// Makes a worker for each element of `where`.
  run_state(machine& m, worker_affinity where);
  ~run_state();

  machine& owner;
  wait_policy waiting = wait_policy::automatic;
  bool strict = false;
  bool times = true;
  bool timeline = false;
  bool small_pages = false;                 // for what the workers map themselves
  std::unique_ptr<cost_recorder> recorder;  // of a machine that traces
  std::unique_ptr<run_plan> plan;
  std::vector<std::unique_ptr<worker>> workers;
  std::unique_ptr<vp_rings> rings;
  std::unique_ptr<other_processes> others;  // null on a machine of one process

  shared_attachment attached;

  /// Order to the workers, written for every run and read by every worker: together, as each line
  /// of it is a transfer to each of them.
  struct alignas(destructive_distance) order {
    std::chrono::steady_clock::time_point start;
    program_ref program;
    run_plan* plan = nullptr;
    std::uint32_t active = 0;       // workers that take part in this run
    thread_environment caller;      // of the caller's thread
    std::uint64_t first_epoch = 0;  // of the plan's barriers
    std::uint64_t number = 0;       // as the termination detector counts
  };
  static_assert(sizeof(order) == destructive_distance || destructive_distance != 64);
  order now;

  const worker_affinity affinities;
  caller_binding caller;
  parking sleepers;
  termination_detector termination;

  /// Begins a run of `what` on M(v), with the first `present` of the workers; none is running. If
  /// it throws, and there are other processes, the run is over in all of them.
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
  /// Ends a run when all workers have stopped: frees what the run has left, and waits for other
  /// processes. Returns why it failed, if it did. If it has not failed here, `make_report()` is
  /// called before other processes hear so: what it throws ends the run in all of them.
  [[nodiscard]] std::exception_ptr finish(const std::function<void()>& make_report) noexcept;
  /// Reports what this process has done in the run: counts and times, and if it is alone, costs.
  /// Throws usage_error if costs were to be counted and there is no common sequence of supersteps.
  [[nodiscard]] run_report report();
  /// Completes a report, behind finish, by what other processes have done. Takes no memory, unless
  /// costs were counted; throws then as report does.
  void add_other_processes(run_report& report);

  /// Ends the run with `cause`, unless it has a cause already. Every worker sees it at its next
  /// look and unwinds its virtual processors.
  void poison(std::exception_ptr cause) noexcept;
  [[nodiscard]] bool poisoned() const noexcept {
    // Pairs with the store in poison; seq_cst for the sake of a worker that retires meanwhile.
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
  // Lists of the last report, which the next run writes again if no report holds them any more.
  shared_list<std::uint64_t> supersteps_;
  shared_list<processor_times> times_;
};

}  // namespace pleat::detail
