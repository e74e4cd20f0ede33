// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/blocks_of_vps.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Histograms: each VP counts for itself, then each adds up what all have counted in its bins.
namespace pleat::detail::everyday {

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

/// Counts the elements of a part.
template <class BinOf> struct part_counter {
  const BinOf& bin_of;
  void operator()(interval<> part, std::span<std::uint64_t> to) const {
    const BinOf bin = bin_of;  // what it refers to is not looked up again after each count
    std::uint64_t* const counted = to.data();
    for (std::size_t i = part.first; i < part.last; ++i) ++counted[bin(i)];
  }
};

/// Adds the numbers of elements in each bin to what add_to(bin, number) keeps. bin_of(i) is the bin
/// of an element, less than `bins`.
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
      options.vps ? left.vps : std::clamp<std::size_t>((n - left.done) / bins, 1, left.vps);
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

}  // namespace pleat::detail::everyday
