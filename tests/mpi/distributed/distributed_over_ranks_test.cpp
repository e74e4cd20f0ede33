// SPDX-License-Identifier: Apache-2.0
// Distributed data on the ranks of MPI. What depends on sizes, types and failures is tested without
// MPI, in tests/unit/distributed.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/error.hpp>

#include "over_all_ranks.hpp"
#include "unit/fft/fft_reference.hpp"

namespace distributed_over_ranks_test {

std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  return x ^ (x >> 27U);
}

TEST(distributed_over_ranks, is_sorted_as_one_array) {
  for (const unsigned workers : {1u, 2u}) {
    pleat::machine machine(over_all_ranks(workers));
    for (const std::size_t n : {2, 1009, 300'007}) {
      for (const std::uint64_t different :
           {std::uint64_t{1}, std::uint64_t{5}, ~std::uint64_t{0}}) {
        const auto number = [&](std::size_t i) {
          return static_cast<std::int64_t>(scrambled(i + 1) % different);
        };
        using record = std::pair<std::uint32_t, std::uint32_t>;
        const auto pair = [&](std::size_t i) {
          return record(static_cast<std::uint32_t>(number(i)), static_cast<std::uint32_t>(i));
        };
        std::vector<std::int64_t> numbers(n);
        std::vector<record> records(n);
        for (std::size_t i = 0; i < n; ++i) {
          numbers[i] = number(i);
          records[i] = pair(i);
        }
        std::ranges::sort(numbers, std::greater<>());
        std::ranges::stable_sort(records, {}, &record::first);

        pleat::distributed<std::int64_t> some(machine, n);
        some.fill(machine, number);
        pleat::sort(machine, some, std::greater<>());
        pleat::distributed<record> others(machine, n);
        others.fill(machine, pair);
        pleat::sort(machine, others, {}, &record::first);
        for (std::size_t j = 0; j < some.local().size(); ++j) {
          ASSERT_EQ(some.local()[j], numbers[some.global_index(j)]);
          ASSERT_EQ(others.local()[j], records[others.global_index(j)]);
        }
      }
    }
  }
}

TEST(distributed_over_ranks, is_scanned_searched_and_chosen_from_as_one_array) {
  pleat::machine machine(over_all_ranks(2));
  for (const std::size_t n : {0, 2, 1009, 70'001}) {
    pleat::distributed<std::uint64_t> data(machine, n), ends(machine, n);
    data.fill(machine, [](std::size_t i) { return i % 7; });
    pleat::inclusive_scan(machine, data, ends);
    for (std::size_t j = 0; j < ends.local().size(); ++j) {
      const std::size_t i = ends.global_index(j) + 1;
      ASSERT_EQ(ends.local()[j], i / 7 * 21 + i % 7 * (i % 7 - 1) / 2);
    }
    EXPECT_EQ(pleat::max_element(machine, data), std::min<std::size_t>(n == 0 ? 0 : n - 1, 6));
    EXPECT_EQ(pleat::copy_if(machine, data, [](std::uint64_t x) { return x == 3; }).size(),
              (n + 3) / 7);
  }
}

// Transforms in six steps, as a convolution of all ranks, and as lines of which each is one rank's.
TEST(distributed_over_ranks, is_transformed_as_the_definition_says) {
  for (const unsigned workers : {1u, 2u}) {
    pleat::machine machine(over_all_ranks(workers));
    for (const std::size_t n : {2, 1000, 4099, 8192}) {
      const auto x = random_numbers<double>(n, static_cast<unsigned>(n));
      pleat::distributed<std::complex<double>> data(machine, n);
      data.fill(machine, [&](std::size_t i) { return x[i]; });
      pleat::fft(machine, data);
      EXPECT_LE(relative_error(data.gather(machine), reference_transform(widened(x))),
                allowed_error(n));
      pleat::fft(machine, data, {.direction = pleat::fft_direction::inverse});
      EXPECT_LE(relative_error(data.gather(machine), widened(x)), 2 * allowed_error(n));
      pleat::fft2(machine, data, n % 4 == 0 ? 4 : 1);
      pleat::fft2(machine, data, n % 4 == 0 ? 4 : 1, {.direction = pleat::fft_direction::inverse});
      EXPECT_LE(relative_error(data.gather(machine), widened(x)), 4 * allowed_error(n));
    }
  }
}

// Transforms real numbers: on one rank, in strips of pairs, in strips of all numbers.
TEST(distributed_over_ranks, has_the_spectrum_of_the_definition) {
  pleat::machine machine(over_all_ranks(1));
  for (const std::size_t n : {5, 9'216, 15'015}) {
    std::vector<std::complex<double>> x = random_numbers<double>(n, static_cast<unsigned>(n));
    for (auto& number : x) number.imag(0);
    pleat::distributed<double> real(machine, n);
    pleat::distributed<std::complex<double>> spectrum(machine, n / 2 + 1);
    real.fill(machine, [&](std::size_t i) { return x[i].real(); });
    pleat::rfft(machine, real, spectrum);
    std::vector<exact> expected = reference_transform(widened(x));
    expected.resize(n / 2 + 1);
    EXPECT_LE(relative_error(spectrum.gather(machine), expected), allowed_error(n));
    pleat::irfft(machine, spectrum, real);
    const std::vector<double> back = real.gather(machine);
    EXPECT_LE(
        relative_error(std::vector<std::complex<double>>(back.begin(), back.end()), widened(x)),
        2 * allowed_error(n));
  }
}

TEST(distributed_over_ranks, ends_on_all_with_the_error_of_one) {
  pleat::machine machine(over_all_ranks(1));
  const std::size_t n = 1000;
  pleat::distributed<std::uint64_t> data(machine, n);
  data.fill(machine, [](std::size_t i) { return scrambled(i); });
  const std::size_t rank = machine.rank(), last = machine.ranks() - 1;
  try {
    pleat::sort(machine, data, [&](std::uint64_t a, std::uint64_t b) {
      if (rank == last) throw std::runtime_error("cannot compare");
      return a < b;
    });
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("cannot compare"), std::string::npos) << e.what();
  }
  if (machine.ranks() > 1) {
    EXPECT_THROW(pleat::distributed<int>(machine, rank == last ? 5 : 6), pleat::usage_error);
  }
  pleat::sort(machine, data);
  EXPECT_TRUE(std::ranges::is_sorted(data.gather(machine)));
}

}  // namespace distributed_over_ranks_test
