// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "everyday_rivals.hpp"
#include "in_arena.hpp"

namespace pleat::bench {
namespace {

constexpr const auto& par = std::execution::par;

constexpr auto for_each = [](auto in, auto) {
  std::for_each(par, in.begin(), in.end(), mirror);
  return 0;
};
constexpr auto transform = [](auto in, auto out) {
  return std::transform(par, in.begin(), in.end(), out.begin(), affine) - out.begin();
};
constexpr auto reduce = [](auto in, auto) { return std::reduce(par, in.begin(), in.end()); };
constexpr auto transform_reduce = []<class T>(std::span<T> in, auto out) {
  return std::transform_reduce(par, in.begin(), in.end(), out.begin(), T{});
};
constexpr auto inclusive_scan = [](auto in, auto out) {
  return std::inclusive_scan(par, in.begin(), in.end(), out.begin()) - out.begin();
};
constexpr auto exclusive_scan = []<class T>(std::span<T> in, auto out) {
  return std::exclusive_scan(par, in.begin(), in.end(), out.begin(), T{}) - out.begin();
};
constexpr auto find_if = [](auto in, auto) {
  return std::find_if(par, in.begin(), in.end(), absent) - in.begin();
};
constexpr auto equal = [](auto in, auto out) {
  return std::equal(par, in.begin(), in.end(), out.begin(), out.end());
};
constexpr auto min_element = [](auto in, auto) {
  return std::min_element(par, in.begin(), in.end()) - in.begin();
};
constexpr auto copy_if = [](auto in, auto out) {
  return std::copy_if(par, in.begin(), in.end(), out.begin(), odd) - out.begin();
};
constexpr auto partition = [](auto in, auto) {
  return std::partition(par, in.begin(), in.end(), odd) - in.begin();
};
constexpr auto unique = [](auto in, auto) {
  return std::unique(par, in.begin(), in.end()) - in.begin();
};
constexpr auto reverse = [](auto in, auto) {
  std::reverse(par, in.begin(), in.end());
  return 0;
};
constexpr auto rotate = [](auto in, auto) {
  return std::rotate(par, in.begin(), in.begin() + in.size() / 3, in.end()) - in.begin();
};
constexpr auto merge = [](auto in, auto out) {
  const auto middle = in.begin() + in.size() / 2;
  return std::merge(par, in.begin(), middle, middle, in.end(), out.begin()) - out.begin();
};
constexpr auto group_by = [](auto in, auto) {
  std::stable_sort(par, in.begin(), in.end());
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i == 0 || in[i] != in[i - 1]) begins.push_back(i);
  begins.push_back(in.size());
  return hash_of(begins);
};
constexpr auto nth_element = [](auto in, auto) {
  std::nth_element(par, in.begin(), in.begin() + in.size() / 2, in.end());
  return in.size() / 2;
};
constexpr auto top_k = []<class T>(std::span<T> in, auto) {
  std::vector<T> best(std::min(greatest, in.size()));
  std::partial_sort_copy(par, in.begin(), in.end(), best.begin(), best.end(), std::greater<>());
  std::uint64_t sum = 0;
  for (const T x : best) sum += static_cast<std::uint64_t>(x);
  return sum;
};

}  // namespace

template <class T> everyday_call<T> std_par_everyday(everyday what) {
  switch (what) {
    case everyday::for_each:
      return in_arena<T, for_each>;
    case everyday::transform:
      return in_arena<T, transform>;
    case everyday::reduce:
      return in_arena<T, reduce>;
    case everyday::transform_reduce:
      return in_arena<T, transform_reduce>;
    case everyday::inclusive_scan:
      return in_arena<T, inclusive_scan>;
    case everyday::exclusive_scan:
      return in_arena<T, exclusive_scan>;
    case everyday::find_if:
      return in_arena<T, find_if>;
    case everyday::equal:
      return in_arena<T, equal>;
    case everyday::min_element:
      return in_arena<T, min_element>;
    case everyday::copy_if:
      return in_arena<T, copy_if>;
    case everyday::partition:
      return in_arena<T, partition>;
    case everyday::unique:
      return in_arena<T, unique>;
    case everyday::reverse:
      return in_arena<T, reverse>;
    case everyday::rotate:
      return in_arena<T, rotate>;
    case everyday::merge:
      return in_arena<T, merge>;
    case everyday::group_by:
      return in_arena<T, group_by>;
    case everyday::nth_element:
      return in_arena<T, nth_element>;
    case everyday::top_k:
      return in_arena<T, top_k>;
    case everyday::random_shuffle:
    case everyday::histogram:
      break;
  }
  return nullptr;
}
template everyday_call<double> std_par_everyday(everyday);
template everyday_call<std::uint32_t> std_par_everyday(everyday);

}  // namespace pleat::bench
