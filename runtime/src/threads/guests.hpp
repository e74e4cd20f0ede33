// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "threads/crew.hpp"

namespace pleat::detail {

/// Threads of the application that serve as members 1 … of a crew: those that join while the door
/// is open, until it is closed.
///
/// Thread safety: all of it, but close only while the crew has no job and will get none.
class PLEAT_API guests {
 public:
  guests(crew& of, std::size_t members) : crew_(of), most_(members - 1), threads_(members) {}

  /// Members that can be given jobs, member 0 among them. Grows while the door is open.
  [[nodiscard]] std::size_t there() const noexcept {
    // acquire: pairs with the release in come_in, after which the member serves
    return 1 + joined_.load(std::memory_order_acquire);
  }
  /// The member that the calling thread is from now on, and as which it must serve; 0 if the door
  /// is closed, if it was closed since its opening of that number, or if all members are there.
  [[nodiscard]] std::size_t come_in(std::optional<std::uint64_t> opening);
  /// Serves as that member until the door is closed. Returns how many jobs it did.
  std::size_t serve(std::size_t self);
  /// Whether one of those who serve is joining the calling thread.
  [[nodiscard]] bool one_joins_this_thread() const noexcept;
  /// The number of this opening, from 1 on; none if it is open already.
  [[nodiscard]] std::optional<std::uint64_t> open();
  /// Returns when all who had joined have left.
  void close() noexcept;

 private:
  crew& crew_;
  const std::size_t most_;
  std::vector<std::atomic<pid_t>> threads_;  // of each member, 0 where nobody serves
  std::mutex mutex_;
  std::condition_variable all_gone_;
  bool open_ = false;
  std::uint64_t openings_ = 0;
  std::size_t inside_ = 0;  // who have joined and not left yet
  std::atomic<std::size_t> joined_{0};
};

}  // namespace pleat::detail
