// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/transform.hpp>
#include <pleat/oblivious/unique.hpp>

#include "everyday_work.hpp"

namespace pleat::bench {

namespace {

template <class T> std::uint64_t ours(machine& on, everyday what, everyday_arrays<T> x) {
  const auto [in, out] = x;
  const auto up_to = [](const auto& range, auto place) {
    return static_cast<std::uint64_t>(place - range.begin());
  };
  switch (what) {
    case everyday::for_each:
      pleat::for_each(on, in, mirror);
      return 0;
    case everyday::transform:
      return up_to(out, pleat::transform(on, in, out, affine));
    case everyday::reduce:
      return static_cast<std::uint64_t>(pleat::reduce(on, in, T{}));
    case everyday::transform_reduce:
      return static_cast<std::uint64_t>(pleat::transform_reduce(on, in, out, T{}));
    case everyday::inclusive_scan:
      return up_to(out, pleat::inclusive_scan(on, in, out));
    case everyday::exclusive_scan:
      return up_to(out, pleat::exclusive_scan(on, in, out, T{}));
    case everyday::find_if:
      return up_to(in, pleat::find_if(on, in, absent));
    case everyday::equal:
      return pleat::equal(on, in, out) ? 1 : 0;
    case everyday::min_element:
      return up_to(in, pleat::min_element(on, in));
    case everyday::copy_if:
      return up_to(out, pleat::copy_if(on, in, out, odd));
    case everyday::partition:
      return up_to(in, pleat::partition(on, in, odd).begin());
    case everyday::unique:
      return up_to(in, pleat::unique(on, in).begin());
    case everyday::reverse:
      pleat::reverse(on, in);
      return 0;
    case everyday::rotate:
      return up_to(in, pleat::rotate(on, in, in.size() / 3));
    case everyday::random_shuffle:
      pleat::random_shuffle(on, in, 1);
      return 0;
    case everyday::merge:
      return up_to(out, pleat::merge(on, in.first(in.size() / 2), in.subspan(in.size() / 2), out));
    case everyday::histogram: {
      std::array<std::uint64_t, histogram_bins> counts{};
      pleat::histogram(on, in, counts, bin_of);
      return hash_of(counts);
    }
    case everyday::group_by:
      return hash_of(pleat::group_by(on, in));
    case everyday::nth_element:
      return up_to(in, pleat::nth_element(on, in, in.size() / 2));
    case everyday::top_k: {
      std::uint64_t sum = 0;
      for (const std::size_t i : pleat::top_k(on, in, greatest))
        sum += static_cast<std::uint64_t>(in[i]);
      return sum;
    }
  }
  return 0;
}

/// Lists a function for each algorithm, in the order of everyday_works.
template <class T, std::size_t... i> constexpr auto all_ours(std::index_sequence<i...>) {
  return std::array<our_call<T>, sizeof...(i)>{
      [](machine& on, everyday_arrays<T> x) { return ours(on, everyday_works[i].what, x); }...};
}

}  // namespace

template <class T> our_call<T> our_everyday(everyday what) {
  static constexpr auto all = all_ours<T>(std::make_index_sequence<everyday_works.size()>());
  return all[static_cast<std::size_t>(what)];
}
template our_call<double> our_everyday(everyday);
template our_call<std::uint32_t> our_everyday(everyday);

}  // namespace pleat::bench
