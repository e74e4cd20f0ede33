// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/histogram_program.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

/// counts[b] becomes the number of elements x of all ranks with bin_of(x) == b, on every rank.
///
/// ```cpp
/// std::vector<std::size_t> digits(16);                          // on all ranks
/// pleat::histogram(machine, distributed_keys, digits, [](auto key) { return key % 16; });
/// ```
///
/// Requires: as many counts on all ranks; bin_of gives an integer from 0 to their number − 1.
/// Collective, see distributed. Cost, on R ranks: as histogram of a block; three 0-supersteps, in
/// which each rank sends all bins' counts once, and 1/R of them to each other rank. Memory: a count
/// of 8 bytes for each bin, twice. Throws: what bin_of throws on any rank; usage_error for a bin
/// that does not exist (see also distributed); std::bad_alloc. If it throws, on several ranks, the
/// counts are as they were.
template <class T, class C, class BinOf = std::identity>
requires detail::everyday::counts_to<std::span<const T>, C, BinOf>
void histogram(machine& on, const distributed<T>& data, C&& counts, BinOf bin_of = {}) {
  const auto bins = static_cast<std::size_t>(std::ranges::size(counts));
  using number = std::ranges::range_value_t<C>;
  detail::distribution::collective_call call =
      data.collective(on, "histogram", sizeof(number), bins);
  if (call.alone()) {
    const machine::rank_turn here(on);
    return pleat::histogram(on, data.local(), counts, std::ref(bin_of));
  }
  std::vector<std::uint64_t> all;
  call.here([&] {
    all.resize(bins);
    pleat::histogram(on, data.local(), all, std::ref(bin_of));
  });
  call.run([&](vp& me, const detail::distribution::rank_places& places) {
    return detail::distribution::add_counts(me, places, data.rank(), all);
  });
  auto to = std::ranges::begin(counts);
  for (const std::uint64_t count : all) *to++ = static_cast<number>(count);
}

}  // namespace pleat
