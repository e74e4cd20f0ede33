// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>

#include <pleat/oblivious/exact_sum.hpp>

#include "vector_targets.hpp"

namespace pleat::detail::exact {

// Many numbers at once. If |x| ≤ 2^e, then (x + s) − s with s = 1.5·2^(e + 8) is x rounded to a
// multiple of 2^(e − 44). 512 such parts add up without rounding, and what is left of each x is at
// most 2^(e − 45). Three times that leaves nothing of a number without bits below 2^(e − 134).

[[maybe_unused]] constexpr std::size_t at_once = 512, most_lanes = 8;
[[maybe_unused]] constexpr int folds = 3, kept_bits = 44;
// All that is computed is normal.
[[maybe_unused]] constexpr int least_of_folds = -889, greatest_of_folds = 1000;

/// Takes `folds` parts off each of n numbers; sums[k] is the sum of the k-th parts. Returns false
/// if something is left of a number, as of one that is not finite. Bound: 13 additions and
/// comparisons a vector, at one or two vectors a cycle less time than 8 bytes a number from memory.
/// Requires: n ≤ at_once, a multiple of most_lanes.
template <class T> bool add_parts(const T* x, std::size_t n, T* sums);

}  // namespace pleat::detail::exact

#define PLEAT_EXACT_KERNELS                                                                        \
  PLEAT_KERNEL(bool, add_parts, f64, (const double* x, std::size_t n, double* sums), (x, n, sums), \
               double)

#ifdef PLEAT_TARGET
HWY_BEFORE_NAMESPACE();
namespace pleat::detail::exact::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T> bool add_parts_of(const T* x, std::size_t n, T* sums) {
  const hn::ScalableTag<T> d;
  using vector = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  vector sizes = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += lanes) sizes = hn::Max(sizes, hn::Abs(hn::LoadU(d, x + i)));
  // A NaN may be missed here; then something is left of it below.
  const T greatest = hn::GetLane(hn::MaxOfLanes(d, sizes));
  const int exponent =
      greatest == 0 ? 0 : static_cast<int>(std::bit_cast<std::uint64_t>(greatest) >> 52) - 1022;
  if (exponent <= least_of_folds || exponent >= greatest_of_folds) return false;
  vector shift[folds], sum[folds], left = hn::Zero(d);
  for (int k = 0; k < folds; ++k) {
    shift[k] = hn::Set(d, std::ldexp(T(1.5), exponent + 8 - k * (kept_bits + 1)));
    sum[k] = hn::Zero(d);
  }
  for (std::size_t i = 0; i < n; i += lanes) {
    hwy::Prefetch(x + i + n);  // what comes next, while this is computed
    vector rest = hn::LoadU(d, x + i);
    for (int k = 0; k < folds; ++k) {
      const vector part = hn::Sub(hn::Add(rest, shift[k]), shift[k]);
      sum[k] = hn::Add(sum[k], part);
      rest = hn::Sub(rest, part);
    }
    left = hn::Or(left, rest);
  }
  for (int k = 0; k < folds; ++k) sums[k] = hn::GetLane(hn::SumOfLanes(d, sum[k]));
  return hn::AllTrue(d, hn::Eq(hn::Abs(left), hn::Zero(d)));
}

}  // namespace pleat::detail::exact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::exact, PLEAT_EXACT_KERNELS)

#ifndef PLEAT_TARGET
namespace pleat {

namespace {

__extension__ using two_words = unsigned __int128;
constexpr std::int64_t below_word = 0xffffffff;
constexpr std::uint64_t most_added = std::uint64_t{1} << 30;
constexpr int least_exponent = -1074;

}  // namespace

namespace exact = detail::exact;

void exact_sum::carry() {
  std::int64_t over = 0;
  for (std::size_t i = 0; i + 1 < words; ++i) {
    const std::int64_t all = words_[i] + over;
    words_[i] = all & below_word;
    over = all >> 32;
  }
  words_[words - 1] += over;  // which alone has the sign
  added_ = 1;
}

void exact_sum::add(double x) {
  if (!std::isfinite(x)) {
    not_finite_ += x;
    return;
  }
  const auto image = std::bit_cast<std::uint64_t>(x);
  const unsigned exponent = image >> 52 & 0x7ff;
  std::uint64_t digits = image & (~std::uint64_t{0} >> 12);
  if (exponent != 0) digits |= std::uint64_t{1} << 52;
  const unsigned place = exponent == 0 ? 0 : exponent - 1;  // of the lowest digit, above 2^−1074
  const two_words placed = two_words{digits} << place % 32;
  std::int64_t* const to = words_ + place / 32;
  const std::int64_t sign = image >> 63 != 0 ? -1 : 1;
  to[0] += sign * static_cast<std::int64_t>(placed & below_word);
  to[1] += sign * static_cast<std::int64_t>(placed >> 32 & below_word);
  to[2] += sign * static_cast<std::int64_t>(placed >> 64);
  if (++added_ == most_added) carry();
}

void exact_sum::add_all_of(const double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) add(x[i]);
}

void exact_sum::add(const double* x, std::size_t n) {
  constexpr std::size_t few = 16;
  for (; n > few; x += std::min(n, exact::at_once), n -= std::min(n, exact::at_once)) {
    const std::size_t some = std::min(n, exact::at_once), whole = some - some % exact::most_lanes;
    add_all_of(x + whole, some - whole);
    double sums[exact::folds];
    const bool folded = exact::add_parts(x, whole, sums);
    folded ? add_all_of(sums, exact::folds) : add_all_of(x, whole);
  }
  add_all_of(x, n);
}

exact_sum& exact_sum::operator+=(const exact_sum& other) {
  if (added_ + other.added_ >= most_added) {
    carry();
    if (other.added_ >= most_added - 1) {
      exact_sum carried = other;
      carried.carry();
      return *this += carried;
    }
  }
  for (std::size_t i = 0; i < words; ++i) words_[i] += other.words_[i];
  added_ += other.added_;
  not_finite_ += other.not_finite_;
  return *this;
}

double exact_sum::rounded(int digits, int lowest) const {
  if (not_finite_ != 0) return not_finite_;  // also a NaN
  exact_sum sum = *this;
  sum.carry();
  const bool negative = sum.words_[words - 1] < 0;
  if (negative) {
    for (std::int64_t& word : sum.words_) word = -word;
    sum.carry();
  }
  const auto bit = [&sum](int place) -> std::uint64_t {
    return place < 0 ? 0 : sum.words_[place / 32] >> place % 32 & 1;
  };
  int top = 32 * static_cast<int>(words) - 1;
  while (top >= 0 && bit(top) == 0) --top;
  if (top < 0) return 0;
  const int last = std::max(top - digits + 1,
                            lowest - least_exponent);  // place of the last digit
  std::uint64_t kept = 0;
  for (int place = top; place >= last; --place) kept = kept << 1 | bit(place);
  bool more = false;  // below the bit that decides
  for (int place = 0; place < last - 1 && !more; ++place) more = bit(place) != 0;
  if (bit(last - 1) != 0 && (more || (kept & 1) != 0)) ++kept;
  const double size = std::ldexp(static_cast<double>(kept), last + least_exponent);
  return negative ? -size : size;
}

}  // namespace pleat
#endif
