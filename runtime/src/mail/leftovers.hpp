// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Holds the messages that virtual processors which have ended leave for another worker, until that
/// worker collects them.
///
/// Memory ordering: `empty` is relaxed, because a worker that puts an element in arrives at a
/// barrier afterwards, and the collector passes that barrier before it needs the element. The mutex
/// orders the elements. Thread safety: any thread; `clear` while no worker runs.
template <class T> class alignas(destructive_distance) leftovers {
 public:
  /// Throws: std::bad_alloc.
  void put(T one) {
    const std::scoped_lock lock(mutex_);
    content_.push_back(std::move(one));
    empty_.store(false, std::memory_order_relaxed);
  }
  [[nodiscard]] bool empty() const noexcept { return empty_.load(std::memory_order_relaxed); }
  /// Removes the elements for which `take(T&)` returns true.
  template <class Take> void collect(Take&& take) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(content_, take);
    empty_.store(content_.empty(), std::memory_order_relaxed);
  }
  void clear() noexcept {
    content_.clear();
    empty_.store(true, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> empty_{true};
  std::mutex mutex_;
  std::vector<T> content_;
};

}  // namespace pleat::detail
