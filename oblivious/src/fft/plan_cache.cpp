// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

template <class T>
std::shared_ptr<transform_plan<T>> make_smooth_plan(std::size_t n, std::size_t lane_count);
template <class T> std::shared_ptr<real_plan<T>> make_real_plan(std::size_t n);
template <class T> std::shared_ptr<plane_plan<T>> make_plane_plan(std::size_t n);

namespace {

/// Complex numbers of a matrix of `rows` rows, row by row, `size` of them, then zeros: groups of as
/// many columns as a vector has lanes, row by row, as vectors: re of all lanes, im.
template <class T>
std::vector<T> as_vectors(const std::vector<T>& numbers, std::size_t size, std::size_t rows,
                          std::size_t columns) {
  const std::size_t lane_count = lanes<T>();
  std::vector<T> vectors;
  vectors.reserve(2 * rows * ((columns + lane_count - 1) / lane_count * lane_count));
  for (std::size_t c = 0; c < columns; c += lane_count) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t part = 0; part < 2; ++part) {
        for (std::size_t l = c; l < c + lane_count; ++l) {
          const std::size_t j = i * columns + l;
          vectors.push_back(l < columns && j < size ? numbers[2 * j + part] : T{0});
        }
      }
    }
  }
  return vectors;
}

/// Bluestein's: jk = (j² + k² − (k − j)²)/2, so the transform is a convolution with a chirp.
template <class T> std::shared_ptr<transform_plan<T>> make_chirp_plan(std::size_t n) {
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lanes<T>();
  plan->method = method::chirp;
  const std::size_t m = convolution_size(2 * n - 1, lanes<T>());
  plan->inner = make_matrix_plan<T>(m, lanes<T>());
  std::vector<T> chirp(2 * n);
  std::vector<T> response(2 * m);
  std::size_t square = 0;  // j² mod 2n
  for (std::size_t j = 0; j < n; ++j) {
    const root w = root_of_unity(square, 2 * n);
    const T re = static_cast<T>(w.re);
    const T im = static_cast<T>(w.im);
    chirp[2 * j] = re;
    chirp[2 * j + 1] = im;
    for (const std::size_t at : {j, (m - j) % m}) {
      response[2 * at] = re;
      response[2 * at + 1] = -im;
    }
    square = (square + 2 * j + 1) % (2 * n);
  }
  // No more at a time than a transform takes later, with its plan.
  plan->chirp = as_vectors(chirp, n, plan->chirped_rows(), plan->inner->width());
  std::vector<T>().swap(chirp);
  const ends<T> divided{.scale = static_cast<T>(1 / static_cast<double>(m))};
  transform_alone<T>(*plan->inner, response.data(), divided, response.data());
  // Result k of the inner transform is in row k mod `rows`, column k / `rows` of its matrix.
  plan->response = as_vectors(response, m, plan->inner->width(), plan->inner->rows);
  return plan;
}

/// The latest plans of a kind, newest first.
/// Not to be destroyed: destructors of static objects may transform too.
template <class Plan> class plan_cache {
 public:
  using pointer = std::shared_ptr<const Plan>;

  /// The plan for n points, by `make` if it is not here.
  template <class Make> pointer find(std::size_t n, std::size_t lane_count, const Make& make) {
    if (auto plan = known(n, lane_count)) return plan;
    // Made outside the lock: two threads may both make one, which only costs time.
    pointer plan = make();
    keep(plan);
    return plan;
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

}  // namespace

template <class T> std::shared_ptr<const transform_plan<T>> plan_for(std::size_t n) {
  static auto& cache = *new plan_cache<transform_plan<T>>;  // never destroyed, see above
  return cache.find(n, lanes<T>(), [n] {
    return is_smooth(n) ? make_smooth_plan<T>(n, lanes<T>()) : make_chirp_plan<T>(n);
  });
}
template <class T> std::shared_ptr<const real_plan<T>> real_plan_for(std::size_t n) {
  static auto& cache = *new plan_cache<real_plan<T>>;  // never destroyed, see above
  return cache.find(n, lanes<T>(), [n] { return make_real_plan<T>(n); });
}
template <class T> std::shared_ptr<const plane_plan<T>> plane_plan_for(std::size_t n) {
  static auto& cache = *new plan_cache<plane_plan<T>>;  // never destroyed, see above
  return cache.find(n, lanes<T>(), [n] { return make_plane_plan<T>(n); });
}
template std::shared_ptr<const transform_plan<float>> plan_for(std::size_t);
template std::shared_ptr<const transform_plan<double>> plan_for(std::size_t);
template std::shared_ptr<const real_plan<float>> real_plan_for(std::size_t);
template std::shared_ptr<const real_plan<double>> real_plan_for(std::size_t);
template std::shared_ptr<const plane_plan<float>> plane_plan_for(std::size_t);
template std::shared_ptr<const plane_plan<double>> plane_plan_for(std::size_t);

}  // namespace pleat::detail::fourier
