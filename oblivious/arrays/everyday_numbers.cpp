// SPDX-License-Identifier: Apache-2.0
#include "everyday_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <functional>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/exact_sum.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/top_k.hpp>

namespace pleat::arrays {
namespace {

template <class T>
concept ranked =
    (std::integral<T> && sizeof(T) == 8) || std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept summed =
    ranked<T> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

// The type in which numbers are added: integers wrap, as NumPy's.
template <class F> void with_sums(const number_type& type, const F& f) {
  with_number(type, [&]<class T>() {
    if constexpr (summed<T>)
      f.template operator()<std::conditional_t<std::integral<T>, std::uint64_t, T>>();
  });
}

// The indices of the k least ones. Of floating-point numbers by a word that is greater where they
// are less, and 0 for NaN: by std::greater NaN would come first.
template <class T>
std::vector<std::size_t> least(machine& on, std::span<const T> numbers, std::size_t k,
                               const range_options& options) {
  if constexpr (std::floating_point<T>) {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto rank = [](T number) -> word {
      if (std::isnan(number)) return 0;
      constexpr word sign = word(1) << (8 * sizeof(T) - 1);
      const word bits = std::bit_cast<word>(number + T(0));  // −0 is 0
      return bits >= sign ? bits : sign - 1 - bits;
    };
    return pleat::top_k(on, numbers, k, std::ranges::less(), rank, options);
  } else {
    return pleat::top_k(on, numbers, k, std::ranges::greater(), options);
  }
}

}  // namespace

bool is_ranked(const number_type& type) {
  return with_number(type, []<class T>() { return ranked<T>; });
}

bool has_sums(const number_type& type) {
  return with_number(type, []<class T>() { return summed<T>; });
}

run_report sum_along_rows(machine& on, const typed_array& array, const typed_array& sums) {
  run_report report;
  with_sums(array.type, [&]<class T>() {
    const std::span<const T> from = array.as<T>();
    const std::span<T> to = sums.as<T>();
    const std::size_t length = array.row();
    for (std::size_t first = 0; first < array.elements(); first += length)
      pleat::inclusive_scan(on, from.subspan(first, length), to.subspan(first, length),
                            std::plus<>(), {.report = &report});
  });
  return report;
}

run_report total_of_rows(machine& on, const typed_array& array, bool exactly,
                         const typed_array& sums) {
  run_report report;
  const range_options options{.report = &report};
  with_sums(array.type, [&]<class T>() {
    const std::span<const T> from = array.as<T>();
    for (std::size_t row = 0; row < array.rows(); ++row) {
      const auto numbers = from.subspan(row * array.row(), array.row());
      if constexpr (std::floating_point<T>) {
        if (exactly) {
          sums.as<double>()[row] =
              pleat::reduce(on, numbers, exact_sum(), std::plus<>(), options).value();
          continue;
        }
      }
      sums.as<T>()[row] = pleat::reduce(on, numbers, T{}, std::plus<>(), options);
    }
  });
  return report;
}

run_report best_of_rows(machine& on, const typed_array& array, bool greatest,
                        const typed_array& indices) {
  run_report report;
  with_number(array.type, [&]<class T>() {
    if constexpr (ranked<T>) {
      const std::span<const T> all = array.as<T>();
      const auto found = indices.as<std::int64_t>();
      for (std::size_t row = 0; row < array.rows(); ++row) {
        const auto numbers = all.subspan(row * array.row(), array.row());
        const std::size_t k = indices.row();
        const range_options options{.report = &report};
        const auto best = greatest ? pleat::top_k(on, numbers, k, std::ranges::less(), options)
                                   : least<T>(on, numbers, k, options);
        std::ranges::transform(best, found.begin() + static_cast<std::ptrdiff_t>(row * k),
                               [](std::size_t i) { return static_cast<std::int64_t>(i); });
      }
    }
  });
  return report;
}

}  // namespace pleat::arrays
