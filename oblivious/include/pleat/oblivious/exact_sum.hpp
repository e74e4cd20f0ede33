// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>

#include <pleat/collectives/commutes.hpp>

namespace pleat {

/// Sum of numbers without any rounding; value() rounds it once. So it does not depend on the order
/// of the numbers, nor on how they are divided among virtual processors, ranks and calls.
///
/// ```cpp
/// const double sum = pleat::reduce(machine, samples, pleat::exact_sum()).value();
/// const pleat::exact_sum all = co_await pleat::all_reduce(me, mine, std::plus<>{});
/// ```
///
/// Use it as the type of a sum in reduce and transform_reduce of arrays and of distributed arrays,
/// and as a value that collectives combine.
///
/// With an infinity or a NaN among the numbers, the sum is the one of IEEE 754: infinities of both
/// signs give NaN. A sum of nothing, or one that is 0, is +0. A sum beyond the greatest number is
/// infinite; partial sums beyond it do no harm.
///
/// Memory: 560 bytes, 68 words of 32 bits with room for carries, from 2^−1074 on. Cost: up
/// to twice that of a plain sum from memory, with AVX2 or AVX-512, where the magnitudes of 512
/// neighbours lie within 2^80; else some 3 ns a number more.
/// Requires: at most 2^63 numbers; a processor that does not flush subnormal numbers to 0, as
/// programs linked with -ffast-math make it do. Thread safety: as a value.
///
/// Source: Radford M. Neal, Fast Exact Summation Using Small and Large Superaccumulators, 2015,
/// doi:10.48550/arXiv.1505.05571, for the words; Siegfried M. Rump, Takeshi Ogita, Shin'ichi Oishi,
/// Accurate Floating-Point Summation Part I, 2008, doi:10.1137/050645671, section 3, for splitting
/// many numbers at once.
class PLEAT_API exact_sum {
 public:
  exact_sum() = default;
  /// Holds one number. Types with values that a double cannot hold do not compile.
  template <class Number>
  requires(std::is_arithmetic_v<Number>&& std::numeric_limits<Number>::digits <=
           53) explicit exact_sum(Number x) {
    add(static_cast<double>(x));
  }

  void add(double x);
  /// Adds x[0] … x[n − 1]. Throws: usage_error if PLEAT_KERNELS is invalid.
  void add(const double* x, std::size_t n);
  exact_sum& operator+=(const exact_sum& other);
  [[nodiscard]] friend exact_sum operator+(exact_sum a, const exact_sum& b) { return a += b; }

  /// Rounds the sum to the nearest double or float, ties to even.
  template <std::floating_point T = double>
  requires(sizeof(T) <= sizeof(double)) [[nodiscard]] T value() const {
    using limits = std::numeric_limits<T>;
    return static_cast<T>(rounded(limits::digits, limits::min_exponent - limits::digits));
  }

 private:
  static constexpr std::size_t words = 68;

  void add_all_of(const double* x, std::size_t n);
  void carry();
  /// Rounds to `digits` bits, none of them below 2^lowest.
  [[nodiscard]] double rounded(int digits, int lowest) const;

  std::int64_t words_[words] = {};  ///< word i times 2^(32 i − 1074)
  std::uint64_t added_ = 0;         ///< numbers since the last carry(), each below 2^32 in a word
  double not_finite_ = 0;           ///< the sum of infinities and NaNs
};

template <class U> struct commutes<std::plus<U>, exact_sum> : std::true_type {};

namespace detail::everyday {

/// Returns get(first) + … + get(last − 1); from the array get.numbers(), if `get` has it.
template <class Get>
[[nodiscard]] exact_sum sum_exactly(std::size_t first, std::size_t last, const Get& get) {
  exact_sum sum;
  if constexpr (requires { get.numbers(); }) {
    sum.add(get.numbers() + first, last - first);
    return sum;
  }
  double numbers[512];
  while (first < last) {
    const std::size_t n = std::min(std::size(numbers), last - first);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(get(first + i));
    sum.add(numbers, n);
    first += n;
  }
  return sum;
}

}  // namespace detail::everyday

}  // namespace pleat
