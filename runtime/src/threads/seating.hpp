// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <sched.h>
#include <utility>
#include <vector>

#include "host/binding.hpp"

namespace pleat::detail {

/// How firmly threads are held at their PUs.
enum class hold {
  pinned,  ///< bound: the kernel lets them run there only
  kept,    ///< moved there where they are found elsewhere; they may run on all of a wider set
  free,    ///< not at all: they are where the kernel, or their owner, has put them
};

/// Where the threads of a machine belong.
///
/// What a thread starts inherits its affinity mask. So a thread that is kept has the mask of the
/// process all the time but for the moment in which it is moved, and whatever the application
/// starts on it may run anywhere. The kernel moves threads that are awake only away from others
/// that want the same PU; a thread that has slept or yielded looks where it is.
///
/// Thread safety: take_seat and settle by the thread that is meant.
class PLEAT_API seating {
 public:
  /// `pus`: of each thread, number 0 the one that calls run. `rest`: what those that are kept may
  /// run on besides.
  seating(hold how, std::vector<unsigned> pus, affinity rest)
      : how_(how), pus_(std::move(pus)), rest_(std::move(rest)) {}

  [[nodiscard]] hold how() const noexcept { return how_; }
  [[nodiscard]] std::size_t size() const noexcept { return pus_.size(); }
  [[nodiscard]] unsigned pu(std::size_t thread) const noexcept { return pus_[thread]; }

  /// The calling thread is that one from now on. Throws environment_error if the kernel does not
  /// let it be there.
  void take_seat(std::size_t thread) const;

  /// The calling thread, which is that one, may have been moved. Cost: some ns if it was not.
  void settle(std::size_t thread) const noexcept {
    if (how_ == hold::kept && ::sched_getcpu() != static_cast<int>(pus_[thread])) [[unlikely]]
      go_back(thread);
  }

 private:
  void go_back(std::size_t thread) const noexcept;

  hold how_;
  std::vector<unsigned> pus_;
  affinity rest_;
};

}  // namespace pleat::detail
