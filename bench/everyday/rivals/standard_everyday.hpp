// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "everyday/everyday_work.hpp"

namespace pleat::bench {

/// Standard library's algorithms, on one thread or with an execution policy. std::shuffle takes no
/// policy, and the library has no histogram, so these two always run on one thread.
template <class T, class... Policy>
std::uint64_t standard_everyday(everyday what, everyday_arrays<T> x, const Policy&... policy) {
  const auto a = x.in.begin(), b = x.in.end(), to = x.out.begin();
  const auto middle = a + (b - a) / 2;
  const auto from = [](auto first, auto place) {
    return static_cast<std::uint64_t>(place - first);
  };
  switch (what) {
    case everyday::for_each:
      std::for_each(policy..., a, b, mirror);
      return 0;
    case everyday::transform:
      return from(to, std::transform(policy..., a, b, to, affine));
    case everyday::reduce:
      return static_cast<std::uint64_t>(std::reduce(policy..., a, b));
    case everyday::transform_reduce:
      return static_cast<std::uint64_t>(std::transform_reduce(policy..., a, b, to, T{}));
    case everyday::inclusive_scan:
      return from(to, std::inclusive_scan(policy..., a, b, to));
    case everyday::exclusive_scan:
      return from(to, std::exclusive_scan(policy..., a, b, to, T{}));
    case everyday::find_if:
      return from(a, std::find_if(policy..., a, b, absent));
    case everyday::equal:
      return std::equal(policy..., a, b, to, x.out.end()) ? 1 : 0;
    case everyday::min_element:
      return from(a, std::min_element(policy..., a, b));
    case everyday::copy_if:
      return from(to, std::copy_if(policy..., a, b, to, odd));
    case everyday::partition:
      return from(a, std::partition(policy..., a, b, odd));
    case everyday::unique:
      return from(a, std::unique(policy..., a, b));
    case everyday::reverse:
      std::reverse(policy..., a, b);
      return 0;
    case everyday::rotate:
      return from(a, std::rotate(policy..., a, a + (b - a) / 3, b));
    case everyday::random_shuffle:
      std::shuffle(a, b, std::mt19937_64(1));
      return 0;
    case everyday::merge:
      return from(to, std::merge(policy..., a, middle, middle, b, to));
    case everyday::histogram: {
      std::array<std::uint64_t, histogram_bins> counts{};
      for (const T one : x.in) ++counts[bin_of(one)];
      return hash_of(counts);
    }
    case everyday::group_by: {
      std::stable_sort(policy..., a, b);
      std::vector<std::size_t> begins;
      for (std::size_t i = 0; i < x.in.size(); ++i)
        if (i == 0 || x.in[i] != x.in[i - 1]) begins.push_back(i);
      begins.push_back(x.in.size());
      return hash_of(begins);
    }
    case everyday::nth_element:
      std::nth_element(policy..., a, middle, b);
      return from(a, middle);
    case everyday::top_k: {
      std::vector<T> best(std::min(greatest, x.in.size()));
      std::partial_sort_copy(policy..., a, b, best.begin(), best.end(), std::greater<>());
      std::uint64_t sum = 0;
      for (const T one : best) sum += static_cast<std::uint64_t>(one);
      return sum;
    }
  }
  return 0;
}

}  // namespace pleat::bench
