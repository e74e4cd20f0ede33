// SPDX-License-Identifier: Apache-2.0
#include "pinned_threads.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "host/binding.hpp"

namespace pleat::bench {
namespace {

// Barrier at which all threads wait until every one of them is bound.
class start_line {
 public:
  explicit start_line(std::size_t threads) : threads_(threads) {}

  void failed(std::exception_ptr why) {
    const std::lock_guard<std::mutex> only(mutex_);
    if (!failure_) failure_ = std::move(why);
  }

  void arrive() { arrived_.fetch_add(1, std::memory_order_acq_rel); }

  /// Waits for all. Returns whether all may start. The acq_rel increments of `arrive` pair with the
  /// acquire loads, so that everybody sees the failures of all who came before.
  bool wait() {
    arrive();
    while (arrived_.load(std::memory_order_acquire) < threads_) std::this_thread::yield();
    return failure_ == nullptr;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t threads_;
  std::atomic<std::size_t> arrived_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void run_pinned(std::span<const unsigned> pus, const std::function<void(std::size_t)>& work) {
  const detail::affinity_scope restored;
  start_line start(pus.size());
  std::vector<std::exception_ptr> thrown(pus.size());
  const auto play = [&](std::size_t i) {
    try {
      detail::affinity::only(pus[i]).apply();
    } catch (...) {
      start.failed(std::current_exception());
    }
    try {
      if (start.wait()) work(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(pus.size());
  for (std::size_t i = 1; i < pus.size(); ++i) {
    try {
      others.emplace_back(play, i);
    } catch (...) {  // the system has no thread left
      start.failed(std::current_exception());
      start.arrive();  // in its place
    }
  }
  play(0);
  for (auto& other : others) other.join();
  start.rethrow();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace pleat::bench
