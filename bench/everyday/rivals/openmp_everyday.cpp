// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <omp.h>
#include <utility>
#include <vector>

#include "everyday/everyday_work.hpp"

namespace pleat::bench {
namespace {

template <class T> using arrays = everyday_arrays<T>;

template <class T> std::uint64_t for_each(arrays<T> x, unsigned threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < x.in.size(); ++i) mirror(x.in[i]);
  return 0;
}
template <class T> std::uint64_t transform(arrays<T> x, unsigned threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < x.in.size(); ++i) x.out[i] = affine(x.in[i]);
  return x.in.size();
}
template <class T> std::uint64_t reduce(arrays<T> x, unsigned threads) {
  T sum{};
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : sum)
  for (std::size_t i = 0; i < x.in.size(); ++i) sum += x.in[i];
  return static_cast<std::uint64_t>(sum);
}
template <class T> std::uint64_t transform_reduce(arrays<T> x, unsigned threads) {
  T sum{};
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : sum)
  for (std::size_t i = 0; i < x.in.size(); ++i) sum += x.in[i] * x.out[i];
  return static_cast<std::uint64_t>(sum);
}
template <class T> std::uint64_t equal(arrays<T> x, unsigned threads) {
  bool same = true;
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(&& : same)
  for (std::size_t i = 0; i < x.in.size(); ++i) same = same && x.in[i] == x.out[i];
  return same ? 1 : 0;
}
template <class T> std::uint64_t reverse(arrays<T> x, unsigned threads) {
  const std::size_t n = x.in.size();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < n / 2; ++i) std::swap(x.in[i], x.in[n - 1 - i]);
  return 0;
}
template <class T> std::uint64_t histogram(arrays<T> x, unsigned threads) {
  std::array<std::uint64_t, histogram_bins> all{};
  std::uint64_t* const counts = all.data();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : counts[:histogram_bins])
  for (std::size_t i = 0; i < x.in.size(); ++i) ++counts[bin_of(x.in[i])];
  return hash_of(all);
}

/// Begin and end of the calling thread's share.
std::pair<std::size_t, std::size_t> my_share(std::size_t n) {
  const auto me = static_cast<std::size_t>(omp_get_thread_num());
  const auto team = static_cast<std::size_t>(omp_get_num_threads());
  return {n / team * me + std::min(me, n % team), n / team * (me + 1) + std::min(me + 1, n % team)};
}
/// Sum of the parts of all threads before this one; each gives its own part, then all wait.
template <class T> T sum_before(std::vector<T>& parts, T mine) {
  const auto me = static_cast<std::size_t>(omp_get_thread_num());
  parts[me + 1] = mine;
#pragma omp barrier
  T sum{};
  for (std::size_t i = 0; i <= me; ++i) sum += parts[i];
  return sum;
}

/// Scans as written by hand: a sum of each thread's share, then the shares.
template <class T, bool exclusive> std::uint64_t scan(arrays<T> x, unsigned threads) {
  std::vector<T> parts(threads + 1);
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = my_share(x.in.size());
    T mine{};
    for (std::size_t i = first; i < last; ++i) mine += x.in[i];
    T sum = sum_before(parts, mine);
    for (std::size_t i = first; i < last; ++i) {
      const T next = sum + x.in[i];
      x.out[i] = exclusive ? sum : next;
      sum = next;
    }
  }
  return x.in.size();
}
template <class T> std::uint64_t copy_if(arrays<T> x, unsigned threads) {
  std::vector<std::size_t> parts(threads + 1);
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = my_share(x.in.size());
    std::size_t mine = 0;
    for (std::size_t i = first; i < last; ++i) mine += odd(x.in[i]) ? 1 : 0;
    std::size_t to = sum_before(parts, mine);
    for (std::size_t i = first; i < last; ++i)
      if (odd(x.in[i])) x.out[to++] = x.in[i];
  }
  std::size_t kept = 0;
  for (const std::size_t part : parts) kept += part;
  return kept;
}
template <class T> std::uint64_t min_element(arrays<T> x, unsigned threads) {
  std::size_t least = 0;
#pragma omp parallel num_threads(threads)
  {
    const auto [first, last] = my_share(x.in.size());
    const auto begin = x.in.begin();
    const auto mine =
        static_cast<std::size_t>(std::min_element(begin + static_cast<std::ptrdiff_t>(first),
                                                  begin + static_cast<std::ptrdiff_t>(last)) -
                                 begin);
#pragma omp critical
    if (mine < last && (x.in[mine] < x.in[least] || (x.in[mine] == x.in[least] && mine < least)))
      least = mine;
  }
  return least;
}

}  // namespace

template <class T> everyday_call<T> openmp_everyday(everyday what) {
  return found_in<T>({{everyday::for_each, for_each<T>},
                      {everyday::transform, transform<T>},
                      {everyday::reduce, reduce<T>},
                      {everyday::transform_reduce, transform_reduce<T>},
                      {everyday::inclusive_scan, scan<T, false>},
                      {everyday::exclusive_scan, scan<T, true>},
                      {everyday::equal, equal<T>},
                      {everyday::min_element, min_element<T>},
                      {everyday::copy_if, copy_if<T>},
                      {everyday::reverse, reverse<T>},
                      {everyday::histogram, histogram<T>}},
                     what);
}
template everyday_call<double> openmp_everyday(everyday);
template everyday_call<std::uint32_t> openmp_everyday(everyday);

}  // namespace pleat::bench
