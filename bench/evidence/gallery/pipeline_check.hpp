// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// Results that each step of the pipeline must have made; T::x, T::y are a house, T::length a joint.
namespace pleat::bench {

inline std::size_t column_of(float x, std::size_t side) {
  return std::min(side - 1, static_cast<std::size_t>(x * static_cast<float>(side)));
}

template <class House>
bool cells_right(std::vector<House> before, std::vector<House> after,
                 const std::vector<std::uint32_t>& begins, std::size_t side) {
  if (begins.size() != side * side + 1 || begins.back() != after.size()) return false;
  for (std::size_t cell = 0; cell < side * side; ++cell)
    for (std::size_t i = begins[cell]; i < begins[cell + 1]; ++i)
      if (column_of(after[i].y, side) * side + column_of(after[i].x, side) != cell) return false;
  const auto place = [](const House& a) { return std::pair(a.x, a.y); };
  std::ranges::sort(before, {}, place);
  std::ranges::sort(after, {}, place);
  return std::ranges::equal(before, after, {}, place, place);
}

/// Compares the joints of some houses with what a look at all houses finds.
template <class House, class Joint>
bool joints_right(const std::vector<House>& houses, const std::vector<Joint>& joints,
                  std::size_t side, std::size_t every = 1) {
  if (houses.empty()) return joints.empty();
  const std::size_t each = joints.size() / houses.size();
  const auto beside = [side](float a, float b) {
    const std::size_t i = column_of(a, side), j = column_of(b, side);
    return i <= j + 1 && j <= i + 1;
  };
  for (std::size_t i = 0; i < houses.size(); i += every) {
    std::vector<float> wanted(each, std::numeric_limits<float>::infinity());
    for (std::size_t j = 0; j < houses.size(); ++j)
      if (j != i && beside(houses[i].x, houses[j].x) && beside(houses[i].y, houses[j].y))
        wanted.push_back(std::hypot(houses[i].x - houses[j].x, houses[i].y - houses[j].y));
    std::sort(wanted.begin(), wanted.end());
    for (std::size_t k = 0; k < each; ++k) {
      const Joint& one = joints[i * each + k];
      const bool none = std::isinf(one.length) && std::isinf(wanted[k]);
      const float apart =
          std::hypot(houses[one.from].x - houses[one.to].x, houses[one.from].y - houses[one.to].y);
      if (!none && (one.from != i || !(std::abs(one.length - wanted[k]) <= 1e-5f) ||
                    !(std::abs(one.length - apart) <= 1e-5f)))
        return false;
    }
  }
  return true;
}

template <class Joint>
bool order_right(std::vector<Joint> before, const std::vector<Joint>& after) {
  const auto all = [](const Joint& a) {
    return std::pair(a.length, (std::uint64_t{a.from} << 32) + a.to);
  };
  if (!std::ranges::is_sorted(after, {}, &Joint::length)) return false;
  std::vector<Joint> same = after;
  std::ranges::sort(before, {}, all);
  std::ranges::sort(same, {}, all);
  return std::ranges::equal(before, same, {}, all, all);
}

template <class Joint>
bool totals_right(const std::vector<Joint>& joints, const std::vector<double>& totals) {
  if (totals.size() != joints.size()) return false;
  double sum = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    sum += joints[i].length;
    if (totals[i] != sum && !(std::abs(totals[i] - sum) <= 1e-9 * sum)) return false;
  }
  return true;
}

/// Compares the noise of all cells, which does not leave the map.
inline bool noise_right(const std::vector<std::uint32_t>& begins, std::size_t side,
                        std::size_t steps, const std::vector<double>& noise) {
  std::vector<double> now(side * side), next(side * side);
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = begins[i + 1] - begins[i];
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        const double here = now[y * side + x];
        const double above = y > 0 ? now[(y - 1) * side + x] : here;
        const double below = y + 1 < side ? now[(y + 1) * side + x] : here;
        const double left = x > 0 ? now[y * side + x - 1] : here;
        const double right = x + 1 < side ? now[y * side + x + 1] : here;
        next[y * side + x] = here / 2 + (above + below + left + right) / 8;
      }
    std::swap(now, next);
  }
  if (noise.size() != now.size()) return false;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (!(std::abs(noise[i] - now[i]) <= 1e-9 * (1 + now[i]))) return false;
  return true;
}

/// Compares the streets between districts: the least of all joints, one after the other.
template <class House, class Joint>
bool streets_right(const std::vector<House>& houses, const std::vector<Joint>& joints,
                   std::size_t side, const std::vector<float>& streets) {
  const std::size_t n = side * side;
  std::vector<float> wanted(n * n, std::numeric_limits<float>::infinity());
  const auto district = [&](std::size_t i) {
    return column_of(houses[i].y, side) * side + column_of(houses[i].x, side);
  };
  for (const Joint& one : joints) {
    const std::size_t u = district(one.from), v = district(one.to);
    const float length = 1 / static_cast<float>(side) + one.length;
    wanted[u * n + v] = std::min(wanted[u * n + v], length);
    wanted[v * n + u] = std::min(wanted[v * n + u], length);
  }
  for (std::size_t u = 0; u < n; ++u) wanted[u * n + u] = 0;
  return streets == wanted;
}

}  // namespace pleat::bench
