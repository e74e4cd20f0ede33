// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Histograms: each VP counts for itself, then each adds up what all have counted in its bins.
namespace pleat {

namespace detail::everyday {

/// Program of a VP of a histogram. It counts its part of the elements, and in one 0-superstep lends
/// each other VP the counts of that VP's bins. `mine`: a count for each bin.
template <class CountPart, class AddTo>
task<> histogram_program(vp& me, interval<> part, std::span<std::uint64_t> mine,
                         const CountPart& count_part, const AddTo& add_to) {
  const interval<> bins{0, mine.size()};
  std::ranges::fill(mine, std::uint64_t{0});
  count_part(part, mine);
  for (std::size_t q = 0; q < me.size(); ++q) {
    const interval<> theirs = bins.share(q, me.size());
    const std::span<const std::uint64_t> counts = mine.subspan(theirs.first, theirs.size());
    if (q != me.rank() && !counts.empty()) me.lend(q, counts);
  }
  co_await me.sync(0);
  const interval<> ours = bins.share(me.rank(), me.size());
  for (std::size_t b = ours.first; b < ours.last; ++b) add_to(b, mine[b]);
  for (auto m = me.receive(); m; m = me.receive()) {
    const strided_view<const std::uint64_t> counts = m->template view<const std::uint64_t>();
    for (std::size_t i = 0; i < counts.columns; ++i) add_to(ours.first + i, counts.data[i]);
  }
}

/// Counts the elements of a part; if the tables are small, adjacent elements are counted in two of
/// them, so that an increment does not wait for that of an equal neighbour.
template <class BinOf> struct part_counter {
  const BinOf& bin_of;
  void operator()(interval<> part, std::span<std::uint64_t> to) const {
    const BinOf bin = bin_of;  // what it refers to is not looked up again after each count
    std::uint64_t* const counted = to.data();
    std::array<std::uint64_t, 1024> others;
    std::size_t i = part.first;
    if (to.size() <= others.size() && part.size() >= 4 * to.size()) {
      std::fill_n(others.begin(), to.size(), 0);
      for (; i + 2 <= part.last; i += 2) {
        ++counted[bin(i)];
        ++others[bin(i + 1)];
      }
      for (std::size_t b = 0; b < to.size(); ++b) counted[b] += others[b];
    }
    for (; i < part.last; ++i) ++counted[bin(i)];
  }
};

/// Calls add_to(bin, number) with numbers that add up to the number of elements in the bin.
/// bin_of(i) is the bin of an element, less than `bins`.
template <class BinOf, class AddTo>
void count(executor& where, const range_options& options, std::size_t n, pace how, std::size_t bins,
           const BinOf& bin_of, const AddTo& add_to) {
  const auto alone_from = [&](std::size_t first, std::size_t last) {
    const BinOf bin = bin_of;  // what these refer to is not looked up again after each count
    const AddTo add = add_to;
    for (std::size_t i = first; i < last; ++i) add(bin(i), 1);
  };
  const remainder left = everyday::start_alone("histogram", where, options, n, alone_from, how);
  if (left.done == n) return;
  // Limits the number of VPs: one with more bins than elements would cost more than it saves.
  const std::size_t vps =
      options.vps
          ? left.vps
          : std::clamp<std::size_t>((n - left.done) / std::max<std::size_t>(bins, 1), 1, left.vps);
  if (vps == 1) {
    const alone_scope alone;
    return alone_from(left.done, n);
  }
  const machine::turn mine(where.on(), machine::use::scratch);
  vp_arrays<std::uint64_t> counts;
  arena::take(where.on(), [&](arena& in) { counts = in.arrays<std::uint64_t>(bins, vps); });
  const part_counter<BinOf> count_part{bin_of};
  where.run(vps, options.report, [&](vp& me) {
    const interval<> part = interval<>{left.done, n}.share(me.rank(), me.size());
    blocks_of_vps(me, n).read(part);
    return everyday::histogram_program(me, part, std::span(counts[me.rank()], bins), count_part,
                                       add_to);
  });
}

/// Result type of BinOf; for std::identity the value type, because elements may be proxies, as in
/// vector<bool>.
template <class R, class BinOf>
using bin_t = std::conditional_t<
    std::is_same_v<BinOf, std::identity>, std::ranges::range_value_t<R>,
    std::remove_cvref_t<std::indirect_result_t<BinOf&, std::ranges::iterator_t<R>>>>;

/// Requires that BinOf gives an integer for elements of R, and that the elements of C are integers.
template <class R, class C, class BinOf>
concept counts_to =
    divisible_range<R> && divisible_range<C> && std::integral<std::ranges::range_value_t<C>> &&
    std::indirectly_writable<std::ranges::iterator_t<C>, std::ranges::range_value_t<C>> &&
    std::indirectly_unary_invocable<BinOf, std::ranges::iterator_t<R>> &&
    std::integral<bin_t<R, BinOf>>;

/// Throws out of line, to keep the loop short.
template <std::integral Bin>
[[noreturn]] [[gnu::noinline]] void refuse_bin(Bin bin, std::size_t bins) {
  throw usage_error("histogram: there is no bin " + std::to_string(+bin) + " of " +
                    std::to_string(bins) + "; give it as many counts as there are bins");
}

/// Converts a result of bin_of to an index. Throws: usage_error if there is no such bin.
template <std::integral Bin> [[nodiscard]] std::size_t existing_bin(Bin bin, std::size_t bins) {
  bool exists = static_cast<std::uint64_t>(bin) < bins;
  if constexpr (std::is_signed_v<Bin>) exists = exists && bin >= 0;
  if (!exists) [[unlikely]]
    everyday::refuse_bin(bin, bins);
  return static_cast<std::size_t>(bin);
}

template <divisible_range R, divisible_range C, class BinOf>
void histogram(executor&& where, R& range, C& counts, BinOf& bin_of, const range_options& options) {
  using number = std::ranges::range_value_t<C>;
  const auto first = everyday::begin_of(range);
  const auto to = everyday::changeable_begin_of(counts);
  const std::size_t bins = everyday::size_of(counts);
  for (std::size_t b = 0; b < bins; ++b) everyday::at(to, b) = number{0};
  everyday::count(
      where, options, everyday::size_of(range), pace_of<std::ranges::range_value_t<R>, BinOf>, bins,
      [first, bins, &bin_of](std::size_t i) {
        return everyday::existing_bin<bin_t<R, BinOf>>(everyday::projected(first, i, bin_of), bins);
      },
      [to](std::size_t b, std::uint64_t n) {
        everyday::at(to, b) = static_cast<number>(everyday::at(to, b) + static_cast<number>(n));
      });
}

}  // namespace detail::everyday

/// Sets counts[b] to the number of elements x with bin_of(x) == b.
///
/// ```cpp
/// std::vector<std::size_t> digits(16);
/// pleat::histogram(machine, keys, digits, [](auto key) { return key % 16; });
/// ```
///
/// Requires: bin_of gives an integer from 0 to the number of counts − 1; the counts share no memory
/// with the range. The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: n calls; one 0-superstep, after which each VP adds up 1/P of the bins. Memory, taken from
/// the machine: P · bins counts of 8 bytes. Throws: usage_error for a bin that does not exist; what
/// bin_of throws; std::bad_alloc.
template <class R, class C, class BinOf = std::identity>
requires detail::everyday::counts_to<R, C, BinOf>
void histogram(machine& on, R&& range, C&& counts, BinOf bin_of = {},
               const range_options& options = {}) {
  detail::everyday::histogram({on}, range, counts, bin_of, options);
}
template <class R, class C, class BinOf = std::identity>
requires detail::everyday::counts_to<R, C, BinOf>
void histogram(R&& range, C&& counts, BinOf bin_of = {}, const range_options& options = {}) {
  detail::everyday::histogram({}, range, counts, bin_of, options);
}

/// Sets counts[b], on every rank, to the number of elements x of all ranks with bin_of(x) == b.
///
/// ```cpp
/// std::vector<std::size_t> digits(16);                          // on all ranks
/// pleat::histogram(machine, distributed_keys, digits, [](auto key) { return key % 16; });
/// ```
///
/// Requires: the same number of counts on all ranks; bin_of gives an integer from 0 to that number
/// − 1. Collective, see distributed. Cost, on R ranks of P VPs in all: n/P calls by each VP; three
/// 0-supersteps, in which each VP sends its counts of all bins once, and 1/P of the sums to each
/// rank. Memory: P/R + 1 counts of 8 bytes for each bin. Throws: what bin_of throws on any rank;
/// usage_error for a bin that does not exist (see also distributed); std::bad_alloc. On several
/// ranks the counts are unchanged after an exception.
template <class T, class C, class BinOf = std::identity>
requires detail::everyday::counts_to<std::span<const T>, C, BinOf>
void histogram(machine& on, const distributed<T>& data, C&& counts, BinOf bin_of = {}) {
  const auto bins = static_cast<std::size_t>(std::ranges::size(counts));
  using number = std::ranges::range_value_t<C>;
  auto call = data.collective(on, "histogram", sizeof(number), bins);
  if (call.alone())
    return call.own([&] { return pleat::histogram(on, data.local(), counts, std::ref(bin_of)); });
  std::vector<std::uint64_t> all, counted;
  call.here([&] {
    all.resize(bins);
    counted.resize(bins * call.vps());
  });
  const detail::everyday::held_elements get(data);
  const auto bin = [get, bins, &bin_of](std::size_t i) {
    using bin_type = detail::everyday::bin_t<std::span<const T>, BinOf>;
    return detail::everyday::existing_bin<bin_type>(std::invoke(bin_of, get(i)), bins);
  };
  const detail::everyday::part_counter<decltype(bin)> count_part{bin};
  const auto add = [&all](std::size_t b, std::uint64_t n) { all[b] += n; };
  call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
    const detail::distribution::vp_parts parts(data.size(), places);
    const rank_range& here = places[call.rank()];
    const std::span<std::uint64_t> mine(counted.data() + (me.rank() - here.first) * bins, bins);
    co_await detail::everyday::histogram_program(me, parts.part(me.rank()), mine, count_part, add);
    const auto added_by = [&](std::size_t q) {
      const interval<> some = interval<>{0, bins}.share(q, me.size());
      return std::span(all).subspan(some.first, some.size());
    };
    const std::span<const std::uint64_t> sums = added_by(me.rank());
    for (const rank_range& rank : places)
      if (!sums.empty()) me.send(rank.first, sums);
    co_await me.sync(0);
    for (auto m = me.receive(); m; m = me.receive())
      std::ranges::copy(m->template span<std::uint64_t>(), added_by(m->source()).begin());
  });
  auto to = std::ranges::begin(counts);
  for (const std::uint64_t count : all) *to++ = static_cast<number>(count);
}

}  // namespace pleat
