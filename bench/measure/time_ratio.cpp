// SPDX-License-Identifier: Apache-2.0
#include "time_ratio.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rank_sum.hpp"

namespace pleat::bench {
namespace {

// All ratios after / before, in order, without making them: m * n may be too many.
class ordered_ratios {
 public:
  ordered_ratios(std::span<const double> before, std::span<const double> after)
      : before_(before.begin(), before.end()), after_(after.begin(), after.end()) {
    std::ranges::sort(before_);
    std::ranges::sort(after_);
  }

  [[nodiscard]] std::size_t size() const { return before_.size() * after_.size(); }

  // The one of that rank, counted from 1: the smallest double that so many ratios do not exceed.
  // Doubles above zero are ordered as their bits are.
  [[nodiscard]] double at(std::size_t rank) const {
    auto low = std::bit_cast<std::uint64_t>(after_.front() / before_.back());
    auto high = std::bit_cast<std::uint64_t>(after_.back() / before_.front());
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (not_above(std::bit_cast<double>(middle)) >= rank) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return std::bit_cast<double>(low);
  }

 private:
  [[nodiscard]] std::size_t not_above(double bound) const {
    std::size_t count = 0;
    std::size_t fitting = 0;  // of after_: the more, the larger the divisor is
    for (const double divisor : before_) {
      while (fitting < after_.size() && after_[fitting] / divisor <= bound) ++fitting;
      count += fitting;
    }
    return count;
  }

  std::vector<double> before_;
  std::vector<double> after_;
};

}  // namespace

time_ratio ratio_of_times(std::span<const double> before, std::span<const double> after,
                          double confidence) {
  assert(!before.empty() && !after.empty());
  const ordered_ratios ratios(before, after);
  const std::size_t pairs = ratios.size();
  time_ratio result;
  result.value = (ratios.at((pairs + 1) / 2) + ratios.at(pairs / 2 + 1)) / 2;
  const std::size_t rank = rank_of_shift(before.size(), after.size(), confidence);
  if (rank > 0) result.range = interval{ratios.at(rank), ratios.at(pairs + 1 - rank)};
  return result;
}

}  // namespace pleat::bench
