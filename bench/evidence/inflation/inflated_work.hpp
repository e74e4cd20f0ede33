// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// Time that a piece of work took: on the wall, and of all of the process's threads on processors.
/// p threads that are busy all the time take p seconds of the latter in one of the former.
struct spent {
  double elapsed = 0;
  double cpu = 0;
};

/// One run of a work.
struct work_run {
  spent took;
  run_report report;
};

/// A run, and what it took.
[[nodiscard]] work_run timed_run(const std::function<run_report()>& run);

/// A program with its data, to be run on machines with different numbers of workers. What there is
/// to do is the same on all of them.
class inflated_work {
 public:
  inflated_work() = default;
  inflated_work(const inflated_work&) = delete;
  inflated_work& operator=(const inflated_work&) = delete;
  virtual ~inflated_work() = default;

  /// Prepares afresh, which is not counted, and runs it once: by so many virtual processors, or as
  /// many as it takes on that machine. The report has costs if the machine traces.
  [[nodiscard]] virtual work_run run(machine& on, std::optional<std::size_t> vps = {}) = 0;
  /// Runs it once. Throws: pleat::error if the result is wrong.
  virtual void verify(machine& on, std::optional<std::size_t> vps = {}) = 0;
};

/// A work that can be asked for by its name.
struct named_work {
  std::string name;
  std::string_view type;          ///< of its elements
  std::size_t element_bytes = 0;  ///< what a message of the model carries
  /// Made for about n elements, with pages where the policy of `on` puts them.
  std::function<std::unique_ptr<inflated_work>(machine& on, std::size_t n)> make;
};

/// sort, fft, matmul, stencil1, stencil2, stencil3.
[[nodiscard]] std::vector<named_work> inflated_programs();

/// The collective operations with equal shares, a virtual processor on each worker unless their
/// number is given. The work is equal in the bytes that must move: messages are as large as makes
/// the least that must be read and written, every rank's input and result once, about n elements of
/// 8 bytes whatever the number of ranks. So few ranks have large messages, many have small ones, on
/// pages of the same size. What grows with the ranks beyond that (messages, meetings, what is read
/// again) is the inflation.
[[nodiscard]] std::vector<named_work> inflated_collectives();

}  // namespace pleat::bench
