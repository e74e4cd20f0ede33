// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/costs.hpp"
#include "fft/prime_convolution.hpp"

namespace pleat::detail::fourier {

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
std::shared_ptr<transform_plan<T>> make_chirp_matrix(std::size_t n, std::size_t lane_count);
template <class T>
std::shared_ptr<transform_plan<T>> make_chirp_plan(std::size_t n, std::size_t lane_count);

namespace {

template <class T>
std::shared_ptr<transform_plan<T>> make_direct_plan(std::size_t n, std::size_t lane_count,
                                                    std::size_t columns) {
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lane_count;
  plan->method = method::direct;
  plan->rows = n / columns;
  plan->columns = make_column_plan<T>(plan->rows);
  for (std::size_t k = 0; k < plan->rows; ++k) append_lane_powers(plan->twist, k, n, lane_count);
  return plan;
}

}  // namespace

template <class T>
std::shared_ptr<transform_plan<T>> make_plan(std::size_t n, std::size_t lane_count) {
  const std::size_t row_bytes = 2 * lane_count * sizeof(T);
  const chosen_way chosen = way_of(n, lane_count, row_bytes);
  std::shared_ptr<transform_plan<T>> plan;
  switch (chosen.way) {
    case way::direct:
      plan = make_direct_plan<T>(n, lane_count, chosen.columns);
      break;
    case way::matrix:
      plan = make_matrix_plan<T>(n, lane_count);
      break;
    case way::chirp:
      plan = make_chirp_plan<T>(n, lane_count);
      break;
  }
  const bool fills_vectors = chosen.columns == lane_count && n / lane_count >= lane_count;
  if (!fills_vectors && n * row_bytes <= most_side_by_side && convolves_in_cache(n, row_bytes))
    plan->each_lane = make_column_plan<T>(n);
  return plan;
}
template std::shared_ptr<transform_plan<float>> make_plan(std::size_t, std::size_t);
template std::shared_ptr<transform_plan<double>> make_plan(std::size_t, std::size_t);

template <class T> std::shared_ptr<const transform_plan<T>> plan_over_ranks(std::size_t n) {
  constexpr std::size_t always_a_matrix = std::size_t{1} << 14;  // if it is one, and is kept
  const std::size_t lane_count = lanes<T>();
  if (way_of(n, lane_count, 2 * lane_count * sizeof(T)).way == way::chirp)
    return make_chirp_matrix<T>(n, lane_count);
  return n < always_a_matrix ? make_matrix_plan<T>(n, lane_count) : plan_for<T>(n);
}
template std::shared_ptr<const transform_plan<float>> plan_over_ranks(std::size_t);
template std::shared_ptr<const transform_plan<double>> plan_over_ranks(std::size_t);

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
template std::shared_ptr<real_plan<float>> make_real_roots(std::size_t);
template std::shared_ptr<real_plan<double>> make_real_roots(std::size_t);

template <class T> std::shared_ptr<real_plan<T>> make_real_plan(std::size_t n) {
  auto plan = make_real_roots<T>(n);
  plan->half = plan_for<T>(n / 2);
  return plan;
}
template std::shared_ptr<real_plan<float>> make_real_plan(std::size_t);
template std::shared_ptr<real_plan<double>> make_real_plan(std::size_t);

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
template std::shared_ptr<plane_plan<float>> make_plane_plan(std::size_t);
template std::shared_ptr<plane_plan<double>> make_plane_plan(std::size_t);

template <class T> std::size_t transform_plan<T>::bytes() const noexcept {
  const std::size_t numbers = twist.size() + lane_powers.size() + chirp.size() + response.size();
  return numbers * sizeof(T) + columns.bytes() + across.bytes() + each_lane.bytes() +
         (inner ? inner->bytes() : 0);
}
template struct transform_plan<float>;
template struct transform_plan<double>;

}  // namespace pleat::detail::fourier
