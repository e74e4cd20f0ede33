// SPDX-License-Identifier: Apache-2.0
#include "everyday_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <functional>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/top_k.hpp>

namespace pleat::arrays {
namespace {

template <class F> void with_everyday(const number_type& type, const F& f) {
  if (type.kind == number_kind::signed_integer) return f.template operator()<std::int64_t>();
  if (type.kind == number_kind::unsigned_integer) return f.template operator()<std::uint64_t>();
  if (type.bytes == 4) return f.template operator()<float>();
  return f.template operator()<double>();
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

bool is_everyday(const number_type& type) {
  switch (type.kind) {
    case number_kind::signed_integer:
    case number_kind::unsigned_integer:
      return type.bytes == 8;
    case number_kind::floating:
      return type.bytes == 4 || type.bytes == 8;
    default:
      return false;
  }
}

run_report sum_along_rows(machine& on, const typed_array& array) {
  run_report report;
  with_everyday(array.type, [&]<class T>() {
    const auto all = array.as<T>();
    for (std::size_t row = 0; row < array.rows(); ++row) {
      const auto numbers = all.subspan(row * array.row(), array.row());
      if constexpr (std::signed_integral<T>) {  // whose sums wrap, as NumPy's
        const std::span<std::uint64_t> bits(reinterpret_cast<std::uint64_t*>(numbers.data()),
                                            numbers.size());
        pleat::inclusive_scan(on, bits, bits, std::plus<>(), {.report = &report});
      } else {
        pleat::inclusive_scan(on, numbers, numbers, std::plus<>(), {.report = &report});
      }
    }
  });
  return report;
}

run_report best_of_rows(machine& on, const typed_array& array, bool greatest,
                        const typed_array& indices) {
  run_report report;
  with_everyday(array.type, [&]<class T>() {
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
  });
  return report;
}

}  // namespace pleat::arrays
