// SPDX-License-Identifier: Apache-2.0
// Counts of closure, compared with those of a simulation that moves single elements: it knows where
// each lies and who has made it last.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/closure.hpp>
#include <pleat/runtime/machine.hpp>

namespace closure_counts_test {

using counts = std::vector<std::vector<std::uint64_t>>;  // [from][to]

/// VP that holds element (i, j) of n × n, as VPs first … first + w - 1 lie in the clusters of M(w).
std::size_t home(std::size_t i, std::size_t j, std::array<std::size_t, 4> box, std::size_t w,
                 std::size_t first) {
  if (w == 1) return first;
  const std::size_t half = std::bit_floor(w - 1);
  auto& [top, left, rows, columns] = box;
  const bool wide = columns > rows;
  std::size_t& side = wide ? columns : rows;
  std::size_t& start = wide ? left : top;
  const std::size_t cut = (side * half + w - 1) / w;
  const bool low = (wide ? j : i) < start + cut;
  if (!low) start += cut;
  side = low ? cut : side - cut;
  return low ? home(i, j, box, half, first) : home(i, j, box, w - half, first + half);
}

/// The program element by element. `held`: who can read an element without a message.
class simulation {
 public:
  simulation(std::size_t n, std::size_t p) : n_(n), p_(p), held_(n * n), maker_(n * n) {
    all = counts(p, std::vector<std::uint64_t>(p));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        maker_[i * n + j] = at_home(i, j);
        held_[i * n + j] = {at_home(i, j)};
      }
    const std::size_t columns = share_columns();
    for (std::size_t first = 0; first < n; first += columns)
      step(first, std::min(n, first + columns));
  }
  counts all;

 private:
  std::size_t at_home(std::size_t i, std::size_t j) const {
    return home(i, j, {0, 0, n_, n_}, p_, 0);
  }
  /// Columns of the first VP's rectangle, which are those of a block.
  std::size_t share_columns() const {
    std::size_t columns = 0;
    while (columns < n_ && at_home(0, columns) == 0) ++columns;
    return std::clamp<std::size_t>(columns, 1, 64);
  }
  std::size_t line_of(std::size_t x) const {
    std::size_t q = 0;
    while (n_ * (q + 1) / p_ <= x) ++q;
    return q;
  }
  void read(std::size_t q, std::size_t i, std::size_t j) {
    if (held_[i * n_ + j].insert(q).second) ++all[maker_[i * n_ + j]][q];
  }
  void write(std::size_t q, std::size_t i, std::size_t j) {
    maker_[i * n_ + j] = q;
    held_[i * n_ + j] = {q};
    written_.push_back({i, j});
  }
  /// At the end of a superstep, results have come to where they lie.
  void barrier() {
    for (const auto& [i, j] : written_) read(at_home(i, j), i, j);
    written_.clear();
  }
  void step(std::size_t first, std::size_t last) {
    const auto in_k = [&](std::size_t x) { return first <= x && x < last; };
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = first; j < last; ++j) {
        read(0, i, j);
        write(0, i, j);
      }
    barrier();
    for (std::size_t x = 0; x < n_; ++x) {
      if (in_k(x)) continue;
      const std::size_t q = line_of(x);
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = first; j < last; ++j) read(q, i, j);
        read(q, i, x);
        read(q, x, i);
        write(q, i, x);
        write(q, x, i);
      }
    }
    barrier();
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        if (!in_k(i) && !in_k(j))
          for (std::size_t k = first; k < last; ++k) {
            read(at_home(i, j), i, k);
            read(at_home(i, j), k, j);
          }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        if (!in_k(i) && !in_k(j)) write(at_home(i, j), i, j);
    barrier();
    for (std::size_t i = 0; i < n_; ++i)  // copies are not kept
      for (std::size_t j = 0; j < n_; ++j) {
        maker_[i * n_ + j] = at_home(i, j);
        held_[i * n_ + j] = {at_home(i, j)};
      }
  }

  std::size_t n_, p_;
  std::vector<std::set<std::size_t>> held_;
  std::vector<std::size_t> maker_;
  std::vector<std::array<std::size_t, 2>> written_;
};

void expect_counted(std::size_t n, std::size_t vps) {
  pleat::machine counting({.trace = pleat::tracing{.processors = vps}});
  std::vector<float> edges(n * n, 1);
  const pleat::strided_view<float> matrix(edges.data(), n, n, n);
  const auto report = pleat::closure<pleat::min_plus>(counting, matrix, {.vps = vps});
  ASSERT_TRUE(report.costs.has_value());
  counts counted(vps, std::vector<std::uint64_t>(vps));
  for (std::size_t from = 0; from < vps; ++from)
    for (std::size_t to = 0; to < vps; ++to)
      counted[from][to] = report.costs->messages_between(0, from, to);
  EXPECT_EQ(counted, simulation(n, vps).all) << n << " on " << vps;
}

TEST(counts_of_closure, are_the_elements_that_cross_on_any_number_of_vps) {
  for (const std::size_t n : {1U, 5U, 16U, 33U})
    for (const std::size_t vps : {2U, 3U, 4U, 6U, 7U, 12U, 16U}) expect_counted(n, vps);
  expect_counted(70, 2);  // blocks of fewer columns than a VP has
}

}  // namespace closure_counts_test
