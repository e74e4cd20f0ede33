// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include "everyday/everyday_work.hpp"
#include "in_arena.hpp"

namespace pleat::bench {
namespace {

using range = tbb::blocked_range<std::size_t>;

template <class F> void each(std::size_t n, const F& f) {
  tbb::parallel_for(range(0, n), [&f](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) f(i);
  });
}
template <class T, class F> T sum(std::size_t n, const F& get) {
  return tbb::parallel_reduce(
      range(0, n), T{},
      [&get](const range& r, T part) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) part += get(i);
        return part;
      },
      std::plus<>());
}
template <bool exclusive, class T> void scan(std::span<T> from, std::span<T> to) {
  tbb::parallel_scan(
      range(0, from.size()), T{},
      [from, to](const range& r, T before, bool last) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          const T x = from[i];
          if (exclusive && last) to[i] = before;
          before += x;
          if (!exclusive && last) to[i] = before;
        }
        return before;
      },
      std::plus<>());
}

constexpr auto for_each = [](auto in, auto) {
  each(in.size(), [in](std::size_t i) { mirror(in[i]); });
  return 0;
};
constexpr auto transform = [](auto in, auto out) {
  each(in.size(), [in, out](std::size_t i) { out[i] = affine(in[i]); });
  return in.size();
};
constexpr auto reduce = []<class T>(std::span<T> in, auto) {
  return sum<T>(in.size(), [in](std::size_t i) { return in[i]; });
};
constexpr auto transform_reduce = []<class T>(std::span<T> in, auto out) {
  return sum<T>(in.size(), [in, out](std::size_t i) { return in[i] * out[i]; });
};
constexpr auto inclusive_scan = [](auto in, auto out) {
  scan<false>(in, out);
  return in.size();
};
constexpr auto exclusive_scan = [](auto in, auto out) {
  scan<true>(in, out);
  return in.size();
};
constexpr auto equal = [](auto in, auto out) {
  return tbb::parallel_reduce(
      range(0, in.size()), true,
      [in, out](const range& r, bool same) {
        return same && std::equal(&in[r.begin()], &in[r.begin()] + r.size(), &out[r.begin()]);
      },
      std::logical_and<>());
};
constexpr auto min_element = [](auto in, auto) {
  const auto better = [in](std::size_t i, std::size_t j) {
    return in[j] < in[i] || (in[j] == in[i] && j < i) ? j : i;
  };
  return tbb::parallel_reduce(
      range(0, in.size()), std::size_t{0},
      [in, better](const range& r, std::size_t least) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(r.begin());
        const auto last = in.begin() + static_cast<std::ptrdiff_t>(r.end());
        return better(least, static_cast<std::size_t>(std::min_element(first, last) - in.begin()));
      },
      better);
};
constexpr auto reverse = [](auto in, auto) {
  each(in.size() / 2, [in](std::size_t i) { std::swap(in[i], in[in.size() - 1 - i]); });
  return 0;
};
constexpr auto histogram = [](auto in, auto) {
  using counts = std::array<std::uint64_t, histogram_bins>;
  tbb::combinable<counts> parts([] { return counts{}; });
  tbb::parallel_for(range(0, in.size()), [in, &parts](const range& r) {
    counts& mine = parts.local();
    for (std::size_t i = r.begin(); i != r.end(); ++i) ++mine[bin_of(in[i])];
  });
  return hash_of(parts.combine([](counts a, const counts& b) {
    for (std::size_t i = 0; i < histogram_bins; ++i) a[i] += b[i];
    return a;
  }));
};
constexpr auto group_by = [](auto in, auto) {
  tbb::parallel_sort(in.begin(), in.end());  // need not be stable: equal numbers are identical
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i == 0 || in[i] != in[i - 1]) begins.push_back(i);
  begins.push_back(in.size());
  return hash_of(begins);
};

}  // namespace

template <class T> everyday_call<T> tbb_everyday(everyday what) {
  return found_in<T>({{everyday::for_each, in_arena<T, for_each>},
                      {everyday::transform, in_arena<T, transform>},
                      {everyday::reduce, in_arena<T, reduce>},
                      {everyday::transform_reduce, in_arena<T, transform_reduce>},
                      {everyday::inclusive_scan, in_arena<T, inclusive_scan>},
                      {everyday::exclusive_scan, in_arena<T, exclusive_scan>},
                      {everyday::equal, in_arena<T, equal>},
                      {everyday::min_element, in_arena<T, min_element>},
                      {everyday::reverse, in_arena<T, reverse>},
                      {everyday::histogram, in_arena<T, histogram>},
                      {everyday::group_by, in_arena<T, group_by>}},
                     what);
}
template everyday_call<double> tbb_everyday(everyday);
template everyday_call<std::uint32_t> tbb_everyday(everyday);

}  // namespace pleat::bench
