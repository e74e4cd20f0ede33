// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "everyday_rivals.hpp"

namespace pleat::bench {
namespace {

template <class T> std::uint64_t grouped(std::span<T> in) {
  std::stable_sort(in.begin(), in.end());
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i == 0 || in[i] != in[i - 1]) begins.push_back(i);
  begins.push_back(in.size());
  return hash_of(begins);
}

template <class T> std::uint64_t sum_of_greatest(std::span<T> in) {
  std::vector<T> best(std::min(greatest, in.size()));
  std::partial_sort_copy(in.begin(), in.end(), best.begin(), best.end(), std::greater<>());
  return std::accumulate(best.begin(), best.end(), std::uint64_t{0}, [](std::uint64_t sum, T x) {
    return sum + static_cast<std::uint64_t>(x);
  });
}

template <class T> std::uint64_t counted(std::span<T> in) {
  std::array<std::uint64_t, histogram_bins> counts{};
  for (const T x : in) ++counts[bin_of(x)];
  return hash_of(counts);
}

template <class T> std::uint64_t serial(everyday what, everyday_arrays<T> x) {
  const auto a = x.in.begin(), b = x.in.end(), to = x.out.begin();
  const auto middle = a + (b - a) / 2;
  const auto from = [](auto first, auto place) {
    return static_cast<std::uint64_t>(place - first);
  };
  switch (what) {
    case everyday::for_each:
      std::for_each(a, b, mirror);
      return 0;
    case everyday::transform:
      return from(to, std::transform(a, b, to, affine));
    case everyday::reduce:
      return static_cast<std::uint64_t>(std::reduce(a, b));
    case everyday::transform_reduce:
      return static_cast<std::uint64_t>(std::transform_reduce(a, b, to, T{}));
    case everyday::inclusive_scan:
      return from(to, std::inclusive_scan(a, b, to));
    case everyday::exclusive_scan:
      return from(to, std::exclusive_scan(a, b, to, T{}));
    case everyday::find_if:
      return from(a, std::find_if(a, b, absent));
    case everyday::equal:
      return std::equal(a, b, to, x.out.end()) ? 1 : 0;
    case everyday::min_element:
      return from(a, std::min_element(a, b));
    case everyday::copy_if:
      return from(to, std::copy_if(a, b, to, odd));
    case everyday::partition:
      return from(a, std::partition(a, b, odd));
    case everyday::unique:
      return from(a, std::unique(a, b));
    case everyday::reverse:
      std::reverse(a, b);
      return 0;
    case everyday::rotate:
      return from(a, std::rotate(a, a + (b - a) / 3, b));
    case everyday::random_shuffle:
      std::shuffle(a, b, std::mt19937_64(1));
      return 0;
    case everyday::merge:
      return from(to, std::merge(a, middle, middle, b, to));
    case everyday::histogram:
      return counted(x.in);
    case everyday::group_by:
      return grouped(x.in);
    case everyday::nth_element:
      std::nth_element(a, middle, b);
      return from(a, middle);
    case everyday::top_k:
      return sum_of_greatest(x.in);
  }
  return 0;
}

/// Lists a function for each algorithm.
template <class T, std::size_t... i> constexpr auto all_serial(std::index_sequence<i...>) {
  return std::array<everyday_call<T>, sizeof...(i)>{
      [](everyday_arrays<T> x, unsigned) { return serial(everyday_works[i].what, x); }...};
}

}  // namespace

template <class T> everyday_call<T> serial_everyday(everyday what) {
  static constexpr auto all = all_serial<T>(std::make_index_sequence<everyday_works.size()>());
  return all[static_cast<std::size_t>(what)];
}
template everyday_call<double> serial_everyday(everyday);
template everyday_call<std::uint32_t> serial_everyday(everyday);

}  // namespace pleat::bench
