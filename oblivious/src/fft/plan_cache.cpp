// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/fft_plan.hpp>
#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/detail/watch.hpp>

namespace pleat::detail::fourier {

template <class T>
std::shared_ptr<transform_plan<T>> make_plan(std::size_t n, std::size_t lane_count);
template <class T> std::shared_ptr<real_plan<T>> make_real_plan(std::size_t n);
template <class T> std::shared_ptr<plane_plan<T>> make_plane_plan(std::size_t n);

namespace {

/// The latest plans of a kind, newest first.
template <class Plan> class plan_cache {
 public:
  using pointer = std::shared_ptr<const Plan>;

  /// Finds the plan for n points, or makes it by `make`.
  template <class Make> pointer find(std::size_t n, std::size_t lane_count, const Make& make) {
    if (auto plan = known(n, lane_count)) return plan;
    // Made outside the lock: two threads may both make one, which only costs time.
    pointer plan = make();
    if (!given_up()) keep(plan);  // else it may be of kernels that returned early
    return plan;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    plans_.clear();
    bytes_ = 0;
  }

 private:
  pointer known(std::size_t n, std::size_t lane_count) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) {
      return plan->size == n && plan->lanes == lane_count;
    });
    if (found == plans_.end()) return nullptr;
    plans_.splice(plans_.begin(), plans_, found);
    return plans_.front();
  }
  void keep(pointer plan) {
    const std::lock_guard lock(mutex_);
    plans_.push_front(std::move(plan));
    bytes_ += plans_.front()->bytes();
    while (plans_.size() > plans_kept || (bytes_ > most_bytes && plans_.size() > 1)) {
      bytes_ -= plans_.back()->bytes();
      plans_.pop_back();
    }
  }

  static constexpr std::size_t most_bytes = std::size_t{1} << 28;
  std::mutex mutex_;
  std::list<pointer> plans_;
  std::size_t bytes_ = 0;
};

template <class Plan> plan_cache<Plan>& cache_of() {
  static constinit each_process<plan_cache<Plan>> caches;
  return caches.get();
}

template <class T> void clear_caches() {
  cache_of<transform_plan<T>>().clear();
  cache_of<real_plan<T>>().clear();
  cache_of<plane_plan<T>>().clear();
}

}  // namespace

template <class T> std::shared_ptr<const transform_plan<T>> plan_for(std::size_t n) {
  return cache_of<transform_plan<T>>().find(n, lanes<T>(),
                                            [n] { return make_plan<T>(n, lanes<T>()); });
}
template <class T> std::shared_ptr<const real_plan<T>> real_plan_for(std::size_t n) {
  return cache_of<real_plan<T>>().find(n, lanes<T>(), [n] { return make_real_plan<T>(n); });
}
template <class T> std::shared_ptr<const plane_plan<T>> plane_plan_for(std::size_t n) {
  return cache_of<plane_plan<T>>().find(n, lanes<T>(), [n] { return make_plane_plan<T>(n); });
}
template std::shared_ptr<const transform_plan<float>> plan_for(std::size_t);
template std::shared_ptr<const transform_plan<double>> plan_for(std::size_t);
template std::shared_ptr<const real_plan<float>> real_plan_for(std::size_t);
template std::shared_ptr<const real_plan<double>> real_plan_for(std::size_t);
template std::shared_ptr<const plane_plan<float>> plane_plan_for(std::size_t);
template std::shared_ptr<const plane_plan<double>> plane_plan_for(std::size_t);

}  // namespace pleat::detail::fourier

void pleat::release_fft_plans() {
  detail::fourier::clear_caches<float>();
  detail::fourier::clear_caches<double>();
}
