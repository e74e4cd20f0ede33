// SPDX-License-Identifier: Apache-2.0
// Sums over ranks that round differently in every order, beside those of the tree that is promised.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/runtime/vp.hpp>

namespace tree_sums {

/// Element i of a rank: of all magnitudes up to 2^±200, most of which a neighbour nearly cancels.
inline double element(std::size_t rank, std::size_t i) {
  std::uint64_t x = (rank / 2 * 1000003 + i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  const int exponent = static_cast<int>(x % 401) - 200;
  const double number = std::ldexp(1 + static_cast<double>(x >> 12) * 0x1p-52, exponent);
  const double nearly = std::ldexp(static_cast<double>((rank * 31 + i) % 7), exponent - 50);
  return rank % 2 == 0 ? number : nearly - number;
}

/// Sum of `size` ranks, a power of two.
inline double block_sum(std::size_t first, std::size_t size, std::size_t i) {
  if (size == 1) return element(first, i);
  return block_sum(first, size / 2, i) + block_sum(first + size / 2, size / 2, i);
}
/// Sum of ranks 0 … ranks − 1: of the blocks of powers of two, the largest first.
inline double sum(std::size_t ranks, std::size_t i) {
  std::size_t done = std::bit_floor(ranks);
  double total = block_sum(0, done, i);
  while (done != ranks) {
    const std::size_t size = std::bit_floor(ranks - done);
    total += block_sum(done, size, i);
    done += size;
  }
  return total;
}

inline std::vector<double> elements_of(std::size_t rank, std::size_t n) {
  std::vector<double> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = element(rank, i);
  return all;
}

/// Words on the first of `found` that is not the sum of `ranks` ranks from element `first` on; of
/// many elements some are compared.
inline std::string difference(const char* operation, std::span<const double> found,
                              std::size_t ranks, std::size_t first = 0) {
  const std::size_t step = found.size() < 2000 ? 1 : 997;
  for (std::size_t i = 0; i < found.size(); i += i + step < found.size() ? step : 1) {
    const double expected = sum(ranks, first + i);
    if (std::bit_cast<std::uint64_t>(found[i]) != std::bit_cast<std::uint64_t>(expected))
      return std::string(operation) + " of " + std::to_string(ranks) + " ranks, element " +
             std::to_string(first + i) + ": " + std::to_string(found[i] - expected) + " off\n";
  }
  return "";
}

/// Does all operations that add up, n elements each, and says in `wrong` which are not the tree's.
inline pleat::task<> compare(pleat::vp& me, std::size_t n, pleat::collective_options options,
                             std::string& wrong) {
  const std::size_t v = me.size(), r = me.rank(), each = n > 10'000 ? n / v : n;
  const std::plus<> add;
  std::vector<double> in = elements_of(r, n), out(n);
  co_await pleat::all_reduce(me, in, out, add, options);
  wrong += difference("all_reduce", out, v);
  options.root = v / 2;
  co_await pleat::reduce(me, in, out, add, options);
  if (r == options.root) wrong += difference("reduce", out, v);
  co_await pleat::scan(me, in, out, add, options);
  wrong += difference("scan", out, r + 1);
  co_await pleat::exclusive_scan(me, in, out, add, options);
  if (r != 0) wrong += difference("exclusive_scan", out, r);
  co_await pleat::scan(me, in, in, add, options);
  wrong += difference("scan in place", in, r + 1);

  const std::vector<double> parts = elements_of(r, each * v);
  std::vector<double> part(each);
  co_await pleat::reduce_scatter(me, parts, part, add, options);
  wrong += difference("reduce_scatter", part, v, r * each);
  std::vector<std::size_t> counts(v);
  for (std::size_t rank = 0; rank < v; ++rank) counts[rank] = rank % 3 * each / 2;
  std::size_t first = 0, all = 0;
  for (std::size_t rank = 0; rank < v; ++rank) {
    if (rank < r) first += counts[rank];
    all += counts[rank];
  }
  const std::vector<double> unequal = elements_of(r, all);
  part.resize(counts[r]);
  co_await pleat::reduce_scatter_v(me, unequal, part, counts, add, options);
  wrong += difference("reduce_scatter_v", part, v, first);
}

/// Costs of messages by which sums are gathered, slices exchanged by the index algorithm, and sent
/// directly.
inline const std::vector<pleat::message_cost>& costs() {
  static const std::vector<pleat::message_cost> all{{1, 1e-30}, {1e-6, 1e-9}, {0, 1}};
  return all;
}

}  // namespace tree_sums
