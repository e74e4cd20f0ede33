// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/cost_recorder.hpp>
#include <pleat/runtime/detail/parking.hpp>
#include <pleat/runtime/detail/run_plan.hpp>
#include <pleat/runtime/detail/termination_detector.hpp>
#include <pleat/runtime/routing.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/wait_policy.hpp>

namespace pleat {
class machine;
class vp;
}  // namespace pleat

namespace pleat::detail {

class worker;
class vp_channels;

/// A user's program: makes the outermost task of one virtual processor.
struct program_ref {
  void* object = nullptr;
  task<> (*make)(void* object, vp& me) = nullptr;
};

/// Something a library above keeps with a virtual processor until the run's end, or with a machine.
struct attachment {
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;
  /// At the end of a run that nothing has ended early: what is wrong with how it was left, or null.
  [[nodiscard]] virtual std::exception_ptr left_over() const { return nullptr; }
};
struct shared_attachment {
  std::mutex mutex;
  std::unique_ptr<attachment> content;
};

/// What the workers of one run share; and from run to run, what the next one can use again.
struct run_state {
  run_state(machine& m, std::size_t workers);
  ~run_state();

  machine& owner;
  wait_policy waiting = wait_policy::automatic;
  bool strict = false;
  routing route = routing::direct;
  bool times = true;
  bool timeline = false;
  bool small_pages = false;  // for what the workers map themselves
  std::chrono::steady_clock::time_point start;
  std::unique_ptr<cost_recorder> recorder;  // of a machine that traces
  program_ref program;
  std::size_t active = 0;  // workers that take part in this run
  std::unique_ptr<run_plan> plan;
  std::vector<std::unique_ptr<worker>> workers;
  std::unique_ptr<vp_channels> channels;

  shared_attachment attached;

  parking sleepers;
  termination_detector termination;

  /// A run of `what` on M(v) begins; no worker is running.
  void prepare(std::size_t v, program_ref what, std::chrono::steady_clock::time_point now);
  /// All workers have stopped: frees what the run has left. Returns why it failed, if it did.
  [[nodiscard]] std::exception_ptr finish() noexcept;
  /// Of the run just finished: counts, costs and times. Throws usage_error if the costs were to be
  /// counted and there is no common sequence of supersteps.
  [[nodiscard]] run_report report();

  /// Ends the run with `cause`, unless it has a cause already. Every worker sees it at its next
  /// look and unwinds its virtual processors.
  void poison(std::exception_ptr cause) noexcept;
  [[nodiscard]] bool poisoned() const noexcept {
    return poisoned_.flag.load(std::memory_order_acquire);  // pairs with the release in poison
  }

 private:
  struct alignas(destructive_distance) poison_flag {
    std::atomic<bool> flag{false};
  };
  poison_flag poisoned_;
  std::mutex cause_mutex_;
  std::exception_ptr cause_;
};

/// Why nobody goes on: a label_mismatch if there is one, else a deadlock. Requires that all workers
/// are idle and stay so.
[[nodiscard]] std::exception_ptr diagnose(const run_state& run);

}  // namespace pleat::detail
