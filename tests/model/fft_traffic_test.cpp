// SPDX-License-Identifier: Apache-2.0
// Compares what a transform counts with what crosses: the costs of a run over ranks are compared
// with where each number was and is, with the bytes that ranks hand to their links, and with the
// costs of the same transform in one process.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

#include "random_rounds.hpp"
#include "ranks_traffic.hpp"

namespace fft_traffic_test {

using complex = std::complex<double>;

traffic traffic_of_fft(std::size_t n, std::size_t ranks) {
  return traffic_of(ranks, [n](pleat::machine& on, std::size_t) -> call_on_rank {
    auto data = std::make_shared<pleat::distributed<complex>>(on, n);
    for (complex& x : data->local()) x = {1, 2};
    return [&on, data] { return pleat::fft(on, *data); };
  });
}
traffic traffic_of_rfft(std::size_t n, std::size_t ranks, bool inverse) {
  return traffic_of(ranks, [n, inverse](pleat::machine& on, std::size_t) -> call_on_rank {
    auto real = std::make_shared<pleat::distributed<double>>(on, n);
    auto spectrum = std::make_shared<pleat::distributed<complex>>(on, n / 2 + 1);
    return [&on, real, spectrum, inverse] {
      return inverse ? pleat::irfft(on, *spectrum, *real) : pleat::rfft(on, *real, *spectrum);
    };
  });
}

/// The part of `parts` nearly equal ones of `count` things that has thing i.
std::size_t holder(std::size_t i, std::size_t count, std::size_t parts) {
  std::size_t part = 0;
  while (count * (part + 1) / parts <= i) ++part;
  return part;
}

/// Counts what crosses if each rank has a block of the points of a matrix, then groups of its
/// columns as wide as a vector, then of its rows, then a block of the results: a number at a time;
/// between columns and rows a tile at a time, which is full. A convolution, whose matrix may be
/// larger, goes back to columns.
square crossings(std::size_t n, std::size_t rows, std::size_t columns, std::size_t ranks,
                 bool convolution = false) {
  const std::size_t lanes = pleat::detail::fourier::lanes<double>();
  const std::size_t row_groups = (rows + lanes - 1) / lanes;
  const std::size_t column_groups = (columns + lanes - 1) / lanes;
  const std::size_t working = std::min(ranks, std::max(row_groups, column_groups));
  const auto has_column = [&](std::size_t j) { return holder(j / lanes, column_groups, working); };
  const auto has_row = [&](std::size_t i) { return holder(i / lanes, row_groups, working); };
  const auto has_number = [&](std::size_t i) { return holder(i, n, ranks); };
  square all(ranks, std::vector<std::uint64_t>(ranks));
  for (std::size_t i = 0; i < n; ++i) {
    ++all[has_number(i)][has_column(i % columns)];
    ++all[convolution ? has_column(i % columns) : has_row(i % rows)][has_number(i)];
  }
  for (std::size_t i = 0; i < row_groups; ++i)
    for (std::size_t j = 0; j < column_groups; ++j) {
      const std::size_t column = has_column(j * lanes), row = has_row(i * lanes);
      all[column][row] += lanes * lanes;
      if (convolution) all[row][column] += lanes * lanes;
    }
  for (std::size_t q = 0; q < ranks; ++q) all[q][q] = 0;
  return all;
}
square crossings(std::size_t n, std::size_t ranks) {
  auto rows = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (n % rows != 0) --rows;
  return crossings(n, rows, n / rows, ranks);
}

constexpr int rounds = 16;
/// Size of a transform in the passes of a matrix: long, with small prime factors.
std::size_t matrix_size(dice& random) { return 16 * (24 + random(36)) * (24 + random(36)); }

TEST(traffic_of_fft, that_is_counted_is_what_crosses) {
  random_rounds(rounds, [](dice& random) {
    const std::size_t n = matrix_size(random), ranks = 2 + random(4);
    SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(ranks));
    const traffic of = traffic_of_fft(n, ranks);
    EXPECT_EQ(of.costs.value().supersteps().size(), 3U);
    EXPECT_EQ(counted_between(*of.costs), crossings(n, ranks));
    expect_counted_bytes(of, sizeof(complex));
  });
}

/// In one process the first pass reads the points where they lie, and the last one writes results.
TEST(traffic_of_fft, in_one_process_is_what_crosses) {
  random_rounds(rounds, [](dice& random) {
    const std::size_t vps = 2 + random(4);
    for (const std::size_t n : {matrix_size(random), std::size_t{10'007}}) {
      SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(vps));
      pleat::machine alone({.trace = pleat::tracing{.processors = vps}});
      std::vector<complex> numbers(n, 1.0);
      const pleat::cost_trace costs = *pleat::fft(alone, numbers, {.vps = vps}).costs;
      if (n != 10'007) {
        EXPECT_EQ(costs.supersteps().size(), 2U);
        EXPECT_EQ(counted_between(costs), crossings(n, vps));
        continue;
      }
      const auto inner = pleat::detail::fourier::plan_for<double>(n)->inner;
      EXPECT_EQ(costs.supersteps().size(), 3U);
      EXPECT_EQ(counted_between(costs), crossings(n, inner->rows, inner->width(), vps, true));
    }
  });
}

/// Numbers that are folded come from blocks, or go there, in supersteps of their own over ranks.
TEST(traffic_of_rfft, in_one_process_is_that_over_ranks) {
  random_rounds(rounds, [](dice& random) {
    const std::size_t ranks = 2 + random(4), n = 2 * matrix_size(random);
    pleat::machine alone({.trace = pleat::tracing{.processors = ranks}});
    std::vector<double> real(n);
    std::vector<complex> spectrum(n / 2 + 1);
    for (const bool inverse : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(ranks) + (inverse ? " back" : ""));
      const pleat::cost_trace in_memory =
          inverse ? *pleat::irfft(alone, spectrum, real, {.vps = ranks}).costs
                  : *pleat::rfft(alone, real, spectrum, {.vps = ranks}).costs;
      const pleat::cost_trace over_ranks = *traffic_of_rfft(n, ranks, inverse).costs;
      EXPECT_EQ(in_memory.supersteps().size(), 3U);
      EXPECT_EQ(counted_between(in_memory), counted_between(over_ranks));
    }
  });
}

}  // namespace fft_traffic_test
