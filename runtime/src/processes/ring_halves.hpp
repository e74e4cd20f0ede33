// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pleat::detail {

/// This process's halves, of one kind, of channels or rings between processes, by their ends. Any
/// thread finds or makes them; worker 0 lists them, which costs a load if none is new. Their
/// addresses do not change until clear.
template <class Ends, class Half> class ring_halves {
 public:
  /// Finds the half between these ends, or makes it as Half(of, arguments…).
  template <class... Arguments>
  [[nodiscard]] Half& find(const Ends& of, const Arguments&... arguments) {
    const std::scoped_lock lock(mutex_);
    auto& made = made_[of];
    if (made == nullptr) {
      auto one = std::make_unique<Half>(of, arguments...);
      new_.push_back(one.get());
      made = std::move(one);
      some_new_.store(true, std::memory_order_release);  // pairs with the acquire in all
    }
    return *made;
  }

  /// Lists all halves. Called by worker 0.
  [[nodiscard]] const std::vector<Half*>& all() {
    // acquire: pairs with the release in find
    if (some_new_.load(std::memory_order_acquire)) {
      const std::scoped_lock lock(mutex_);
      known_.insert(known_.end(), new_.begin(), new_.end());
      new_.clear();
      some_new_.store(false, std::memory_order_relaxed);  // under the mutex, where find sets it
    }
    return known_;
  }

  /// Requires: no other thread is here.
  void clear() noexcept {
    const std::scoped_lock lock(mutex_);
    some_new_.store(false, std::memory_order_relaxed);
    new_.clear();
    known_.clear();
    made_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<Ends, std::unique_ptr<Half>> made_;
  std::vector<Half*> new_;  // new since worker 0's last call of all
  std::atomic<bool> some_new_{false};
  std::vector<Half*> known_;
};

}  // namespace pleat::detail
