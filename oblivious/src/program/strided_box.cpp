// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail {
namespace {

using distances = interval<std::ptrdiff_t>;

/// Number of intervals, 16 MiB of them, beyond which arrays are taken to overlap.
constexpr std::size_t most_intervals = std::size_t{1} << 20;

/// Distances 0, step, …, most·step.
struct multiples {
  std::ptrdiff_t step, most;
};

/// Σ ⌊(a·i + b)/m⌋ over 0 ≤ i < n, modulo 2^64, by Euclid's algorithm: O(log m). Requires: m > 0;
/// a·n + b < 2^64.
std::uint64_t sum_of_quotients(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (;;) {
    sum += (n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n) * (a / m) + n * (b / m);
    const std::uint64_t end = a % m * n + b % m;
    if (end < m) return sum;
    n = end / m;
    a = std::exchange(m, a % m);
    b = end % a;
  }
}

/// Range of the multiples of `one` that sums with any distance of 0 … reach take to the target.
/// Requires: one.step > 0; target.last > 0.
distances range_of(const multiples& one, const distances& target, std::ptrdiff_t reach) {
  const std::ptrdiff_t short_by = target.first - reach;
  return {short_by <= 0 ? 0 : (short_by - 1) / one.step + 1,
          std::min(one.most, (target.last - 1) / one.step) + 1};
}

/// Tells whether some i·a.step + j·b.step lies in the target. Counts integers j for each i of the
/// range: if there is one, there is one in 0 … b.most too. Requires: steps > 0; a target that is
/// not empty, with last > 0.
bool reaches(const multiples& a, const multiples& b, const distances& target) {
  const distances range = range_of(a, target, b.most * b.step);
  if (range.empty()) return false;
  const auto n = static_cast<std::uint64_t>(range.size());
  const std::ptrdiff_t below = target.last - 1 - (range.last - 1) * a.step;
  const std::ptrdiff_t shift = target.size() / b.step + 1;
  const auto count_to = [&](std::ptrdiff_t end) {
    return sum_of_quotients(n, static_cast<std::uint64_t>(b.step),
                            static_cast<std::uint64_t>(a.step), static_cast<std::uint64_t>(end));
  };
  return count_to(below) + n * static_cast<std::uint64_t>(shift) !=
         count_to(below - target.size() + shift * b.step);
}

/// Distances left for shorter steps to reach once a multiple of the longest one is taken from a
/// target, as intervals that do not touch. Nothing if these are more than most_intervals.
std::optional<std::vector<distances>> left_by(const multiples& longest,
                                              const std::vector<distances>& targets,
                                              std::ptrdiff_t reach) {
  std::vector<distances> all;
  for (const distances& from : targets) {
    const distances range = range_of(longest, from, reach);
    if (!range.empty() && static_cast<std::size_t>(range.size()) > most_intervals - all.size())
      return {};
    for (std::ptrdiff_t i = range.first; i < range.last; ++i)
      all.push_back({std::max<std::ptrdiff_t>(0, from.first - i * longest.step),
                     std::min(reach + 1, from.last - i * longest.step)});
  }
  std::ranges::sort(all, {}, &distances::first);
  std::size_t apart = 0;
  for (const distances& one : all) {
    if (apart != 0 && one.first <= all[apart - 1].last)
      all[apart - 1].last = std::max(all[apart - 1].last, one.last);
    else
      all[apart++] = one;
  }
  all.resize(apart);
  return all;
}

/// Tells whether a sum of one of each of these multiples lies in the target, or may, if more than
/// most_intervals would have to be compared. Requires: a target
/// that is not empty; steps in ascending order. Changes the multiples.
bool a_sum_lies_in(distances target, std::span<multiples> all) {
  std::ptrdiff_t reach = 0;
  for (const multiples& one : all) reach += one.most * one.step;
  if (target.last <= 0 || reach < target.first) return false;
  std::size_t steps = 0;
  for (const multiples& one : all) {
    if (one.step <= target.size()) {  // targets that far apart leave no gap
      target.first -= one.most * one.step;
      reach -= one.most * one.step;
    } else if (steps != 0 && all[steps - 1].step == one.step) {
      all[steps - 1].most += one.most;
    } else {
      all[steps++] = one;
    }
  }
  const auto last_two_reach = [&](const distances& one) {
    const auto step = [&](std::size_t i) { return i < steps ? all[i] : multiples{1, 0}; };
    return reaches(step(1), step(0), one);
  };
  if (steps <= 2) return last_two_reach(target);
  std::vector<distances> targets{target};
  while (steps > 2) {
    const multiples longest = all[--steps];
    reach -= longest.most * longest.step;
    auto left = left_by(longest, targets, reach);
    if (!left) return true;
    targets = std::move(*left);
  }
  return std::ranges::any_of(targets, last_two_reach);
}

}  // namespace

strided_box::strided_box(const void* first, std::size_t element_bytes)
    : lowest_(reinterpret_cast<std::intptr_t>(first)),
      element_bytes_(static_cast<std::ptrdiff_t>(element_bytes)) {}

strided_box& strided_box::along(std::size_t indices, std::ptrdiff_t stride) {
  const std::size_t number = added_++;
  if (indices == 0) empty_ = true;
  if (indices <= 1) return *this;
  assert(count_ < dimensions_.size());
  const auto last = static_cast<std::ptrdiff_t>(indices - 1);
  if (stride < 0) lowest_ += last * stride;
  const dimension one{stride < 0 ? -stride : stride, last, number};
  std::size_t i = count_++;
  for (; i > 0 && dimensions_[i - 1].stride > one.stride; --i) dimensions_[i] = dimensions_[i - 1];
  dimensions_[i] = one;
  return *this;
}

bool overlap(const strided_box& a, const strided_box& b) {
  if (a.empty_ || b.empty_) return false;
  // Distance of an element of b from one of a, whose indices are counted backwards.
  std::ptrdiff_t reach_of_a = 0;
  std::array<multiples, 2 * strided_box::most_dimensions> steps{};
  std::size_t count = 0;
  for (const strided_box* box : {&a, &b}) {
    for (std::size_t i = 0; i < box->count_; ++i) {
      const auto& [stride, last, number] = box->dimensions_[i];
      steps[count++] = {stride, last};
      if (box == &a) reach_of_a += stride * last;
    }
  }
  std::ranges::sort(std::span(steps).first(count), {}, &multiples::step);
  const std::ptrdiff_t none = a.lowest_ + reach_of_a - b.lowest_;
  return a_sum_lies_in({none - b.element_bytes_ + 1, none + a.element_bytes_},
                       std::span(steps).first(count));
}

std::optional<std::size_t> strided_box::colliding_dimension() const {
  if (empty_) return {};
  // Two elements whose indices differ by 1 … last in a dimension, and in those of shorter strides
  // by −last … last: differences that are counted from the least.
  for (std::size_t k = 0; k < count_; ++k) {
    const auto& [stride, last, number] = dimensions_[k];
    std::array<multiples, most_dimensions> steps{};
    std::ptrdiff_t none = -stride;
    for (std::size_t i = 0; i < k; ++i) {
      none += dimensions_[i].stride * dimensions_[i].last;
      steps[i] = {dimensions_[i].stride, 2 * dimensions_[i].last};
    }
    steps[k] = {stride, last - 1};
    if (a_sum_lies_in({none - element_bytes_ + 1, none + element_bytes_},
                      std::span(steps).first(k + 1)))
      return number;
  }
  return {};
}

}  // namespace pleat::detail
