// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/everyday/counting.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Result of BinOf; for elements behind proxies, as those of vector<bool>, their values.
template <class R, class BinOf>
using bin_t = std::conditional_t<
    std::is_same_v<BinOf, std::identity>, std::ranges::range_value_t<R>,
    std::remove_cvref_t<std::indirect_result_t<BinOf&, std::ranges::iterator_t<R>>>>;

/// Does BinOf give an integer for what R holds, and are integers in C?
template <class R, class C, class BinOf>
concept counts_to =
    divisible_range<R> && divisible_range<C> && std::integral<std::ranges::range_value_t<C>> &&
    std::indirectly_writable<std::ranges::iterator_t<C>, std::ranges::range_value_t<C>> &&
    std::indirectly_unary_invocable<BinOf, std::ranges::iterator_t<R>> &&
    std::integral<bin_t<R, BinOf>>;

/// Out of the loop, which it would make longer.
template <std::integral Bin>
[[noreturn]] [[gnu::noinline]] void refuse_bin(Bin bin, std::size_t bins) {
  throw usage_error("histogram: there is no bin " + std::to_string(+bin) + " of " +
                    std::to_string(bins) + "; give it as many counts as there are bins");
}

template <divisible_range R, divisible_range C, class BinOf>
void histogram(venue& where, R& range, C& counts, BinOf& bin_of, const range_options& options) {
  using number = std::ranges::range_value_t<C>;
  const auto first = begin_of(range);
  const auto to = changeable_begin_of(counts);
  const std::size_t bins = size_of(counts);
  for (std::size_t b = 0; b < bins; ++b) at(to, b) = number{0};
  count(
      where, options, size_of(range), bins,
      [first, bins, &bin_of](std::size_t i) {
        const bin_t<R, BinOf> bin = shown(first, i, bin_of);
        bool exists = static_cast<std::uint64_t>(bin) < bins;
        if constexpr (std::is_signed_v<bin_t<R, BinOf>>) exists = exists && bin >= 0;
        if (!exists) [[unlikely]]
          refuse_bin(bin, bins);
        return static_cast<std::size_t>(bin);
      },
      [to](std::size_t b, std::uint64_t n) {
        at(to, b) = static_cast<number>(at(to, b) + static_cast<number>(n));
      });
}

}  // namespace detail::everyday

/// counts[b] becomes the number of elements x with bin_of(x) == b.
///
/// ```cpp
/// std::vector<std::size_t> digits(16);
/// pleat::histogram(machine, keys, digits, [](auto key) { return key % 16; });
/// ```
///
/// Requires: bin_of gives an integer from 0 to the number of counts − 1; counts share no memory
/// with the range. What all everyday algorithms have in common: range_options.hpp.
///
/// Cost: n calls; one 0-superstep, in which each VP adds 1/P of the bins of all. P · bins counts of
/// 8 bytes in memory of the machine. Throws: usage_error for a bin that does not exist; what bin_of
/// throws; std::bad_alloc.
template <class R, class C, class BinOf = std::identity>
requires detail::everyday::counts_to<R, C, BinOf>
void histogram(machine& on, R&& range, C&& counts, BinOf bin_of = {},
               const range_options& options = {}) {
  detail::everyday::venue where(on);
  detail::everyday::histogram(where, range, counts, bin_of, options);
}
template <class R, class C, class BinOf = std::identity>
requires detail::everyday::counts_to<R, C, BinOf>
void histogram(R&& range, C&& counts, BinOf bin_of = {}, const range_options& options = {}) {
  detail::everyday::venue where;
  detail::everyday::histogram(where, range, counts, bin_of, options);
}

}  // namespace pleat
