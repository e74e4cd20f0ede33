// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include <pleat/runtime/run_report.hpp>

namespace pleat::detail {

/// Number of bytes between two workers below which communication is not stamped.
inline constexpr std::size_t worth_a_stamp = 8192;

/// Time of one worker in a run, by activity: waiting and communication are stamped, computation is
/// the rest. Reading the clock twice takes long compared with a barrier without a wait, so such
/// short waits are not stamped, unless a timeline is kept. Thread safety: one thread.
class time_account {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts the account. `run_start`: time 0 of the timeline; `now`: when the worker begins.
  /// Without `keep_times` nothing is stamped. Requires keep_times if keep_timeline.
  void start(clock::time_point run_start, clock::time_point now, bool keep_times,
             bool keep_timeline) {
    run_start_ = run_start;
    begin_ = now;
    keeps_times_ = keep_times;
    keeps_timeline_ = keep_timeline;
    sums_ = {};
    spans_.clear();
    lost_ = 0;
  }
  void stop() { end_ = clock::now(); }

  [[nodiscard]] bool keeps_timeline() const noexcept { return keeps_timeline_; }
  [[nodiscard]] processor_times times() const noexcept {
    const auto waiting = sums_[static_cast<std::size_t>(activity::waiting)];
    const auto communication = sums_[static_cast<std::size_t>(activity::communication)];
    return {seconds(begin_ - run_start_), seconds(end_ - begin_ - waiting - communication),
            seconds(waiting), seconds(communication)};
  }
  [[nodiscard]] std::vector<timeline_span> take_timeline() { return std::exchange(spans_, {}); }
  [[nodiscard]] std::size_t lost() const noexcept { return lost_; }

 private:
  friend class timed;

  static constexpr std::size_t most_spans = std::size_t{1} << 16;

  static double seconds(clock::duration d) noexcept {
    return std::chrono::duration<double>(d).count();
  }
  // Not inlined, to keep the code of short waits small.
  [[gnu::noinline]] void add(activity what, unsigned label, clock::time_point from,
                             clock::time_point to) {
    sums_[static_cast<std::size_t>(what)] += to - from;
    if (!keeps_timeline_) return;
    try {
      if (spans_.size() == most_spans)
        ++lost_;
      else
        spans_.push_back({what, label, seconds(from - run_start_), seconds(to - run_start_)});
    } catch (const std::bad_alloc&) {
      ++lost_;
    }
  }

  clock::time_point run_start_, begin_, end_;
  std::array<clock::duration, activities> sums_{};
  std::vector<timeline_span> spans_;
  std::size_t lost_ = 0;
  bool keeps_times_ = false;
  bool keeps_timeline_ = false;
};

/// Stamp of an activity: from its start to its stop or end the worker does `what`.
class timed {
 public:
  explicit timed(time_account& account) noexcept : account_(&account) {}
  timed(const timed&) = delete;
  timed& operator=(const timed&) = delete;
  ~timed() { stop(); }

  /// Starts the stamp, unless it has started already or the account keeps no times.
  void start(activity what, unsigned label) {
    if (running_ || !account_->keeps_times_) return;
    what_ = what;
    label_ = label;
    running_ = true;
    from_ = time_account::clock::now();
  }
  void stop() {
    if (!running_) return;
    running_ = false;
    account_->add(what_, label_, from_, time_account::clock::now());
  }

 private:
  time_account* account_;
  time_account::clock::time_point from_;
  activity what_{};
  unsigned label_ = 0;
  bool running_ = false;
};

}  // namespace pleat::detail
