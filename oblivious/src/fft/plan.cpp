// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>
#include <utility>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/fft_plan.hpp>
#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/detail/watch.hpp>

#include "fft/costs.hpp"

namespace pleat::detail::fourier {

root root_of_unity(std::size_t k, std::size_t n) noexcept {
  // The angle is folded into the first eighth of the circle, where it is as exact as can be.
  k %= n;
  const std::size_t eighths = 8 * k / n;  // n < 2^60
  const bool mirrored = eighths % 2 == 1;
  const std::size_t quarter = eighths / 2;
  // 4k/n − quarter quarters of the circle, in units of 1/(4n)-th … exact in integers.
  std::size_t within = 4 * k - quarter * n;  // of n: [0, n/2] or (n/2, n)
  if (mirrored) within = n - within;
  const long double angle = std::numbers::pi_v<long double> / 2 * static_cast<long double>(within) /
                            static_cast<long double>(n);
  auto c = static_cast<double>(std::cos(angle));
  auto s = static_cast<double>(std::sin(angle));
  if (mirrored) std::swap(c, s);
  switch (quarter) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

root_table::root_table(std::size_t n) : order_(n) {
  const auto bits = static_cast<unsigned>(std::bit_width(n - 1));
  shift_ = (bits + 1) / 2;
  mask_ = (std::size_t{1} << shift_) - 1;
  fine_.clear();
  coarse_.clear();
  for (std::size_t i = 0; i <= mask_; ++i) fine_.push_back(root_of_unity(i, n));
  for (std::size_t i = 0; i << shift_ < n; ++i) coarse_.push_back(root_of_unity(i << shift_, n));
}

template <class T> column_plan<T> make_column_plan(std::size_t m) {
  column_plan<T> plan{m, {}, {}, {}, {}, {}, {}};
  std::size_t points = m;
  for (const unsigned radix : radices_of(m)) {
    const bool repeated = !plan.stages.empty() && plan.stages.back().radix == radix;
    const bool convolved = radix > largest_prime;
    const std::size_t next = convolved ? plan.convolutions.size() : plan.circles.size();
    const std::size_t circle = repeated ? plan.stages.back().circle : next;
    plan.stages.push_back({radix, points, plan.twiddles.size(), circle});
    if (convolved && !repeated) plan.convolutions.push_back(make_prime_convolution<T>(radix));
    for (std::size_t k = 0; k < radix && radix > 8 && !convolved && !repeated; ++k) {
      const root w = root_of_unity(k, radix);
      plan.circles.push_back(static_cast<T>(w.re));
      plan.circles.push_back(static_cast<T>(-w.im));
    }
    for (std::size_t p = 0; p < points / radix && points > radix; ++p) {
      for (std::size_t k = 1; k < radix; ++k) {
        const root w = root_of_unity(p * k, points);
        plan.twiddles.push_back(static_cast<T>(w.re));
        plan.twiddles.push_back(static_cast<T>(w.im));
      }
    }
    points /= radix;
  }
  plan.place.resize(m);
  std::vector<std::uint32_t> result(m);  // result[place]
  for (std::size_t at = 0; at < m; ++at) {
    std::size_t k = 0, weight = 1, rest = at;
    for (const auto& s : plan.stages) {
      const std::size_t block = s.points / s.radix;
      k += rest / block * weight;
      rest %= block;
      weight *= s.radix;
    }
    plan.place[k] = static_cast<std::uint32_t>(at);
    result[at] = static_cast<std::uint32_t>(k);
  }
  if (!plan.stages.empty()) {
    const std::size_t last = plan.stages.back().radix;
    for (std::size_t at = 0; at < m; at += last) plan.last_at.push_back(result[at]);
  }
  return plan;
}
template column_plan<float> make_column_plan(std::size_t);
template column_plan<double> make_column_plan(std::size_t);

template <class T> std::size_t column_plan<T>::work_rows() const noexcept {
  std::size_t most = 0;
  for (const auto& convolution : convolutions) most = std::max(most, convolution.block_rows());
  return size + 2 * most;
}
template <class T> std::size_t column_plan<T>::bytes() const noexcept {
  std::size_t sum = twiddles.size() * sizeof(T) + 16 * size;
  for (const auto& convolution : convolutions)
    sum += convolution.inner.bytes() + convolution.response.size() * sizeof(T) +
           8 * std::size_t{convolution.prime};
  return sum;
}
template struct column_plan<float>;
template struct column_plan<double>;

template <class T>
std::shared_ptr<transform_plan<T>> new_plan(std::size_t n, std::size_t lane_count, method how) {
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lane_count;
  plan->method = how;
  return plan;
}

/// Bluestein's: jk = (j² + k² − (k − j)²)/2, so the transform is a convolution with a chirp.
template <class T>
std::shared_ptr<transform_plan<T>> make_chirp_matrix(std::size_t n, std::size_t lane_count) {
  auto plan = new_plan<T>(n, lane_count, method::chirp);
  plan->inner = make_matrix_plan<T>(convolution_size(2 * n - 1, lane_count), lane_count);
  return plan;
}

template <class T>
std::shared_ptr<transform_plan<T>> make_chirp_plan(std::size_t n, std::size_t lane_count) {
  auto plan = make_chirp_matrix<T>(n, lane_count);
  const transform_plan<T>& matrix = *plan->inner;
  const std::size_t m = matrix.size;
  std::vector<T> chirp(2 * n), response(2 * m);
  std::size_t square = 0;  // j² mod 2n
  for (std::size_t j = 0; j < n; ++j) {
    const root w = root_of_unity(square, 2 * n);
    const T re = static_cast<T>(w.re), im = static_cast<T>(w.im);
    chirp[2 * j] = re;
    chirp[2 * j + 1] = im;
    for (const std::size_t at : {j, (m - j) % m}) {
      response[2 * at] = re;
      response[2 * at + 1] = -im;
    }
    square = (square + 2 * j + 1) % (2 * n);
  }
  // Row i, column l of a matrix of so many numbers.
  const auto vectors = [lane_count](const std::vector<T>& numbers, std::size_t rows,
                                    std::size_t columns) {
    const std::size_t groups = (columns + lane_count - 1) / lane_count;
    std::vector<T> all(2 * rows * groups * lane_count);
    write_vectors<T>(
        {0, groups}, rows, columns, lane_count,
        [&](std::size_t i, std::size_t l) {
          const std::size_t at = 2 * (i * columns + l);
          return at < numbers.size() ? root{numbers[at], numbers[at + 1]} : root{};
        },
        all.data());
    return all;
  };
  // No more at a time than a transform takes later, with its plan.
  plan->chirp = vectors(chirp, plan->chirped_rows(), matrix.width());
  std::vector<T>().swap(chirp);
  const mode<T> divided{.scale = static_cast<T>(1 / static_cast<double>(m))};
  transform_alone<T>(matrix, response.data(), divided, response.data());
  // Result k of the inner transform is in row k mod `rows`, column k / `rows` of its matrix.
  plan->response = vectors(response, matrix.width(), matrix.rows);
  return plan;
}

/// w^(k·l) for the numbers l in the lanes: re of all, im of all.
template <class T>
void append_lane_powers(std::vector<T>& to, std::size_t k, std::size_t n, std::size_t lane_count) {
  const auto power = [&](std::size_t lane) {
    return root_of_unity(k * number_in_lane(lane, lane_count), n);
  };
  for (std::size_t l = 0; l < lane_count; ++l) to.push_back(static_cast<T>(power(l).re));
  for (std::size_t l = 0; l < lane_count; ++l) to.push_back(static_cast<T>(power(l).im));
}

/// Bytes of as many transforms as a vector has lanes, which a cache of a core is to hold.
inline constexpr std::size_t most_side_by_side = std::size_t{1} << 19;

template <class T>
std::shared_ptr<transform_plan<T>> make_matrix_plan(std::size_t n, std::size_t lane_count) {
  auto plan = new_plan<T>(n, lane_count, method::matrix);
  plan->rows = middle_divisor(n);
  plan->columns = make_column_plan<T>(plan->rows);
  plan->across = make_column_plan<T>(n / plan->rows);
  plan->roots = root_table(n);
  for (std::size_t k = 0; k < lane_count; ++k)
    append_lane_powers(plan->lane_powers, k, n, lane_count);
  for (std::size_t k = 0; k < plan->rows; k += lane_count)
    append_lane_powers(plan->lane_powers, k, n, lane_count);
  return plan;
}

namespace {

template <class T>
std::shared_ptr<transform_plan<T>> make_direct_plan(std::size_t n, std::size_t lane_count,
                                                    std::size_t columns) {
  auto plan = new_plan<T>(n, lane_count, method::direct);
  plan->rows = n / columns;
  plan->columns = make_column_plan<T>(plan->rows);
  for (std::size_t k = 0; k < plan->rows; ++k) append_lane_powers(plan->twist, k, n, lane_count);
  return plan;
}

}  // namespace

template <class T>
std::shared_ptr<transform_plan<T>> make_plan(std::size_t n, std::size_t lane_count) {
  const std::size_t row_bytes = 2 * lane_count * sizeof(T);
  const chosen_method chosen = method_of(n, lane_count, row_bytes);
  std::shared_ptr<transform_plan<T>> plan;
  switch (chosen.method) {
    case method::direct:
      plan = make_direct_plan<T>(n, lane_count, chosen.columns);
      break;
    case method::matrix:
      plan = make_matrix_plan<T>(n, lane_count);
      break;
    case method::chirp:
      plan = make_chirp_plan<T>(n, lane_count);
      break;
  }
  const bool fills_vectors = chosen.columns == lane_count && n / lane_count >= lane_count;
  if (!fills_vectors && n * row_bytes <= most_side_by_side && convolves_in_cache(n, row_bytes))
    plan->each_lane = make_column_plan<T>(n);
  return plan;
}

template <class T> std::shared_ptr<const transform_plan<T>> plan_over_ranks(std::size_t n) {
  constexpr std::size_t always_a_matrix = std::size_t{1} << 14;  // if it is one, and is kept
  const std::size_t lane_count = lanes<T>();
  if (method_of(n, lane_count, 2 * lane_count * sizeof(T)).method == method::chirp)
    return make_chirp_matrix<T>(n, lane_count);
  return n < always_a_matrix ? make_matrix_plan<T>(n, lane_count) : plan_for<T>(n);
}

template <class T> std::shared_ptr<real_plan<T>> make_real_roots(std::size_t n) {
  auto plan = std::make_shared<real_plan<T>>();
  plan->size = n;
  plan->lanes = lanes<T>();
  plan->block = std::size_t{1} << std::bit_width(n / 4) / 2;
  for (std::size_t k = 0; k <= n / 4; k += plan->block) plan->coarse.push_back(root_of_unity(k, n));
  for (std::size_t k = 0; k < plan->block; ++k) {
    const root w = root_of_unity(k, n);
    plan->fine_re.push_back(static_cast<T>(w.re));
    plan->fine_im.push_back(static_cast<T>(w.im));
  }
  return plan;
}

template <class T> std::shared_ptr<real_plan<T>> make_real_plan(std::size_t n) {
  auto plan = make_real_roots<T>(n);
  plan->half = plan_for<T>(n / 2);
  return plan;
}

template <class T> std::shared_ptr<plane_plan<T>> make_plane_plan(std::size_t n) {
  auto plan = std::make_shared<plane_plan<T>>();
  plan->size = n;
  plan->lanes = lanes<T>();
  if (convolves_in_cache(n, 2 * plan->lanes * sizeof(T)))
    plan->columns = make_column_plan<T>(n);
  else
    plan->one = plan_for<T>(n);
  return plan;
}

template <class T> std::size_t transform_plan<T>::bytes() const noexcept {
  const std::size_t numbers = twist.size() + lane_powers.size() + chirp.size() + response.size();
  return numbers * sizeof(T) + columns.bytes() + across.bytes() + each_lane.bytes() +
         (inner ? inner->bytes() : 0);
}
template struct transform_plan<float>;
template struct transform_plan<double>;

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

#define PLEAT_PLANS(T)                                        \
  template decltype(make_matrix_plan<T>) make_matrix_plan<T>; \
  template decltype(plan_over_ranks<T>) plan_over_ranks<T>;   \
  template decltype(make_real_roots<T>) make_real_roots<T>;   \
  template decltype(plan_for<T>) plan_for<T>;                 \
  template decltype(real_plan_for<T>) real_plan_for<T>;       \
  template decltype(plane_plan_for<T>) plane_plan_for<T>;
PLEAT_PLANS(float)
PLEAT_PLANS(double)
#undef PLEAT_PLANS

}  // namespace pleat::detail::fourier

void pleat::release_fft_plans() {
  detail::fourier::clear_caches<float>();
  detail::fourier::clear_caches<double>();
}
