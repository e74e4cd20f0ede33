// SPDX-License-Identifier: Apache-2.0
// One case of each kind of distributed data on the ranks of MPI, beside the same calls on one rank.
// What depends on sizes, types, options and failures is tested without MPI, in
// tests/unit/distributed.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/error.hpp>

#include "over_all_ranks.hpp"
#include "unit/distributed/record_cases.hpp"
#include "unit/fft/fft_reference.hpp"

namespace distributed_over_ranks_test {

using pleat::distributed;

/// Expects same(call(machine), call(a machine of one rank)), with one worker a rank and with two.
template <class Call, class Same = std::equal_to<>>
void expect_that_of_one_rank(const Call& call, const Same& same = {}) {
  pleat::machine alone({.processors = 1, .workers = pleat::workers::free});
  const auto expected = call(alone);
  for (const unsigned workers : {1u, 2u}) {
    pleat::machine machine(over_all_ranks(workers));
    EXPECT_TRUE(same(call(machine), expected)) << workers << " workers";
  }
}

// More than samples find at once, and than nth_element selects from at once.
TEST(distributed_over_ranks, records_are_ordered_selected_and_merged_as_on_one_rank) {
  const std::vector<record> before = scrambled_records(70'009, 500);
  using act = void (*)(pleat::machine&, distributed<record>&);
  const act acts[] = {
      [](auto& on, auto& x) { pleat::sort(on, x, std::greater<>()); },
      [](auto& on, auto& x) { pleat::stable_sort(on, x, {}, &record::first); },
      [](auto& on, auto& x) { pleat::nth_element(on, x, x.size() / 3, {}, &record::first); },
      [](auto& on, auto& x) { pleat::reverse(on, x); },
      [](auto& on, auto& x) { pleat::rotate(on, x, 1234); },
      [](auto& on, auto& x) { pleat::random_shuffle(on, x, 5); },
  };
  for (const act each : acts) {
    expect_that_of_one_rank([&](pleat::machine& on) {
      auto data = distributed_of(on, before);
      each(on, data);
      return data.gather(on);
    });
  }
  expect_that_of_one_rank([&](pleat::machine& on) {
    auto data = distributed_of(on, before);
    const auto best = data.gather(on, pleat::top_k(on, data, 7, {}, &record::first));
    const auto begins = pleat::group_by(on, data, {}, &record::first).gather(on);
    distributed<record> twice(on, 2 * before.size());
    pleat::merge(on, data, data, twice, {}, &record::first);
    return std::tuple(best, begins, twice.gather(on));
  });
}

TEST(distributed_over_ranks, numbers_are_scanned_searched_and_chosen_from_as_on_one_rank) {
  for (const std::size_t n : {0, 2, 70'001}) {
    expect_that_of_one_rank([n](pleat::machine& on) {
      distributed<double> data(on, n), sums(on, n);
      data.fill(on, [](std::size_t i) { return 1 / static_cast<double>(1 + i * 7919 % 101); });
      pleat::inclusive_scan(on, data, sums);
      const auto some = pleat::copy_if(on, data, [](double x) { return x < 0.02; });
      return std::tuple(sums.gather(on), some.gather(on), pleat::max_element(on, data));
    });
  }
}

// Transforms in six steps, as a convolution of all ranks, as lines of which each is one rank's, as
// planes.
TEST(distributed_over_ranks, transforms_are_those_of_one_rank) {
  using numbers = std::vector<std::complex<double>>;
  for (const std::size_t n : {8192, 4099}) {
    const numbers x = random_numbers<double>(n, 1);
    const auto close = [n](const std::vector<numbers>& got, const std::vector<numbers>& expected) {
      for (std::size_t i = 0; i < got.size(); ++i)
        if (relative_error(got[i], widened(expected[i])) > 2 * allowed_error(n)) return false;
      return true;
    };
    const auto transformed = [&](pleat::machine& on) {
      auto line = distributed_of(on, x), lines = distributed_of(on, x),
           plane = distributed_of(on, x);
      distributed<double> real(on, n);
      real.fill(on, [&](std::size_t i) { return x[i].real(); });
      distributed<std::complex<double>> half(on, n / 2 + 1);
      pleat::fft(on, line);
      pleat::fft(on, lines,
                 {.direction = pleat::fft_direction::inverse, .batch = n == 8192 ? 64u : 1u});
      pleat::fft2(on, plane, n == 8192 ? 4 : 1);
      pleat::rfft(on, real, half);
      pleat::irfft(on, half, real);
      const std::vector<double> back = real.gather(on);
      return std::vector<numbers>{line.gather(on), lines.gather(on), plane.gather(on),
                                  half.gather(on), numbers(back.begin(), back.end())};
    };
    expect_that_of_one_rank(transformed, close);
  }
}

TEST(distributed_over_ranks, grids_and_matrices_are_those_of_one_rank) {
  const auto number = [](std::size_t i, std::size_t j) {
    return static_cast<double>((i * 7919 + j * 104'729) % 101) - 50;
  };
  for (const std::size_t rows : {1, 2, 400}) {
    for (const auto edge : {pleat::boundary::fixed, pleat::boundary::periodic}) {
      expect_that_of_one_rank([&](pleat::machine& on) {
        pleat::distributed_grid<double, 2> plate(on, {rows, 37});
        plate.fill(on, number);
        const auto heat = [](const auto& u) {
          return 0.5 * u(0, 0) + 0.2 * u(-1, 0) + 0.1 * u(1, 0) + 0.15 * u(0, -1) + 0.05 * u(0, 1);
        };
        pleat::stencil(on, plate, 40, heat, {.edges = edge, .vps = on.threads()});
        return plate.gather(on);
      });
    }
  }
  const std::size_t sizes[][3] = {{1, 1, 1}, {0, 3, 2}, {3, 4, 0}, {50, 60, 70}, {5, 200, 9000}};
  for (const auto& [m, n, k] : sizes) {
    expect_that_of_one_rank([&, m = m, n = n, k = k](pleat::machine& on) {
      pleat::distributed_matrix<double> a(on, m, k), b(on, k, n), c(on, m, n);
      a.fill(on, number);
      b.fill(on, number);
      pleat::matmul(on, a, b, c);
      return c.gather(on);
    });
  }
}

TEST(distributed_over_ranks, ends_on_all_with_the_error_of_one) {
  pleat::machine machine(over_all_ranks(1));
  auto data = distributed_of(machine, scrambled_records(1000, 500));
  const std::size_t rank = machine.rank(), last = machine.ranks() - 1;
  try {
    pleat::sort(machine, data, [&](const record& a, const record& b) {
      if (rank == last) throw std::runtime_error("cannot compare");
      return a < b;
    });
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("cannot compare"), std::string::npos) << e.what();
  }
  if (machine.ranks() > 1) {
    EXPECT_THROW(distributed<int>(machine, rank == last ? 5 : 6), pleat::usage_error);
  }
  pleat::sort(machine, data);
  EXPECT_TRUE(std::ranges::is_sorted(data.gather(machine)));
}

}  // namespace distributed_over_ranks_test
