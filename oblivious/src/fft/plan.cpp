// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

namespace {
/// Those with a butterfly, in the order of their stages: the last stage is the cheapest.
constexpr std::array odd_primes{61U, 59U, 53U, 47U, 43U, 41U, 37U, 31U, 29U,
                                23U, 19U, 17U, 13U, 11U, 7U,  5U,  3U};
static_assert(odd_primes.front() == largest_prime);
}  // namespace

bool is_smooth(std::size_t n) noexcept {
  for (const unsigned prime : odd_primes)
    while (n % prime == 0) n /= prime;
  return std::has_single_bit(n);
}

std::size_t middle_divisor(std::size_t n) noexcept {
  auto divisor = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (divisor * divisor > n) --divisor;
  while (n % divisor != 0) --divisor;
  return divisor;
}

std::size_t convolution_size(std::size_t n, std::size_t lanes) noexcept {
  const auto tiles = [lanes](std::size_t size) {
    const std::size_t rows = middle_divisor(size);
    return ((rows + lanes - 1) / lanes) * ((size / rows + lanes - 1) / lanes);
  };
  // A power of two, or an odd number of up to 63 times one, whichever takes the fewest tiles, and
  // of those the least.
  std::pair best(tiles(std::bit_ceil(n)), std::bit_ceil(n));
  for (const std::size_t odd : {3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 49, 63}) {
    std::size_t candidate = odd;
    while (candidate < n) candidate *= 2;
    best = std::min(best, std::pair(tiles(candidate), candidate));
  }
  return best.second;
}

std::vector<unsigned> radices_of(std::size_t n) {
  std::vector<unsigned> radices;
  for (const unsigned prime : odd_primes) {
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  }
  if (!std::has_single_bit(n)) return {};
  auto bits = static_cast<unsigned>(std::countr_zero(n));
  for (; bits > 4 || bits == 3; bits -= 3) radices.push_back(8);
  for (; bits >= 2; bits -= 2) radices.push_back(4);
  if (bits == 1) radices.push_back(2);
  return radices;
}

namespace {

template <class T> column_plan<T> make_column_plan(std::size_t m) {
  column_plan<T> plan{m, {}, {}, {}, {}, {}};
  std::size_t points = m;
  for (const unsigned radix : radices_of(m)) {
    const bool repeated = !plan.stages.empty() && plan.stages.back().radix == radix;
    const std::size_t circle = repeated ? plan.stages.back().circle : plan.circles.size();
    plan.stages.push_back({radix, points, plan.twiddles.size(), circle});
    for (std::size_t k = 0; k < radix && radix > 8 && !repeated; ++k) {
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
    std::size_t k = 0;
    std::size_t weight = 1;
    std::size_t rest = at;
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

}  // namespace

/// w^(k·l) for the lanes l: re of all, im of all.
template <class T>
void append_lane_powers(std::vector<T>& to, std::size_t k, std::size_t n, std::size_t lane_count) {
  for (std::size_t l = 0; l < lane_count; ++l)
    to.push_back(static_cast<T>(root_of_unity(k * l, n).re));
  for (std::size_t l = 0; l < lane_count; ++l)
    to.push_back(static_cast<T>(root_of_unity(k * l, n).im));
}

/// Beyond this, a matrix: its passes stay in the caches, one column would not.
inline constexpr std::size_t largest_direct = std::size_t{1} << 13;

template <class T>
std::shared_ptr<transform_plan<T>> make_matrix_plan(std::size_t n, std::size_t lane_count) {
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lane_count;
  plan->method = method::matrix;
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
template std::shared_ptr<transform_plan<float>> make_matrix_plan(std::size_t, std::size_t);
template std::shared_ptr<transform_plan<double>> make_matrix_plan(std::size_t, std::size_t);

template <class T>
std::shared_ptr<transform_plan<T>> make_smooth_plan(std::size_t n, std::size_t lane_count) {
  if (n % lane_count != 0 || n / lane_count < lane_count || n > largest_direct)
    return make_matrix_plan<T>(n, lane_count);
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lane_count;
  plan->method = method::direct;
  plan->rows = n / lane_count;
  plan->columns = make_column_plan<T>(plan->rows);
  for (std::size_t k = 0; k < plan->rows; ++k) append_lane_powers(plan->twist, k, n, lane_count);
  return plan;
}
template std::shared_ptr<transform_plan<float>> make_smooth_plan(std::size_t, std::size_t);
template std::shared_ptr<transform_plan<double>> make_smooth_plan(std::size_t, std::size_t);

template <class T> std::shared_ptr<real_plan<T>> make_real_plan(std::size_t n) {
  auto plan = std::make_shared<real_plan<T>>();
  plan->size = n;
  plan->lanes = lanes<T>();
  plan->half = plan_for<T>(n / 2);
  plan->block = std::size_t{1} << std::bit_width(n / 4) / 2;
  for (std::size_t k = 0; k <= n / 4; k += plan->block) plan->coarse.push_back(root_of_unity(k, n));
  for (std::size_t k = 0; k < plan->block; ++k) {
    const root w = root_of_unity(k, n);
    plan->fine_re.push_back(static_cast<T>(w.re));
    plan->fine_im.push_back(static_cast<T>(w.im));
  }
  return plan;
}
template std::shared_ptr<real_plan<float>> make_real_plan(std::size_t);
template std::shared_ptr<real_plan<double>> make_real_plan(std::size_t);

template <class T> std::shared_ptr<plane_plan<T>> make_plane_plan(std::size_t n) {
  auto plan = std::make_shared<plane_plan<T>>();
  plan->size = n;
  plan->lanes = lanes<T>();
  if (is_smooth(n))
    plan->columns = make_column_plan<T>(n);
  else
    plan->one = plan_for<T>(n);
  return plan;
}
template std::shared_ptr<plane_plan<float>> make_plane_plan(std::size_t);
template std::shared_ptr<plane_plan<double>> make_plane_plan(std::size_t);

template <class T> std::size_t transform_plan<T>::bytes() const noexcept {
  const std::size_t numbers = columns.twiddles.size() + across.twiddles.size() + twist.size() +
                              lane_powers.size() + chirp.size() + response.size();
  return numbers * sizeof(T) + 16 * (columns.size + across.size) + (inner ? inner->bytes() : 0);
}
template struct transform_plan<float>;
template struct transform_plan<double>;

}  // namespace pleat::detail::fourier
