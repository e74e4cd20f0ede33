// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"
#include "unit/fft/fft_reference.hpp"

namespace distributed_fft_test {

using pleat::fft_direction, pleat::fft_norm;

// Transforms of double; of float they are tested in unit/distributed_numbers_test.cpp.
using T = double;
using blocks = pleat::distributed<std::complex<T>>;
using act_on = std::function<void(pleat::machine&, blocks&)>;

/// Returns what a call makes of numbers in blocks over ranks, all together.
std::vector<std::complex<T>> made_by(const machine_of_ranks& machine,
                                     const std::vector<std::complex<T>>& x, const act_on& call) {
  std::vector<std::complex<T>> y(x.size());
  on_ranks(machine, [&](pleat::machine& on) {
    blocks data(on, x.size());
    data.fill(on, [&](std::size_t i) { return x[i]; });
    call(on, data);
    std::ranges::copy(data.local(), y.begin() + static_cast<std::ptrdiff_t>(data.block().first));
  });
  return y;
}

/// `count` lines by the definition.
std::vector<exact> reference_lines(const std::vector<std::complex<T>>& x, std::size_t count,
                                   int sign = -1) {
  std::vector<exact> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto one = reference_transform(widened(line_of(x, i, x.size() / count)), sign);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// Transforms as fft does, but so that short lines too are divided among the ranks.
void transform_divided(pleat::machine& on, blocks& data, std::size_t batch,
                       fft_direction direction) {
  pleat::detail::distribution::collective_call call = data.collective(on, "divided");
  pleat::detail::fourier::transform_over_ranks<T>(
      on, call, data.local(), data.size(),
      {.direction = direction, .norm = fft_norm::none, .batch = batch}, 2);
}

// Strict machines see what is written to memory that ranks have lent.
TEST(distributed_fft, any_size_and_batch_is_the_definitions_on_any_ranks) {
  const std::pair<std::size_t, std::size_t> lines[] = {{1, 1},  {2, 1},  {3, 1},    {16, 1},
                                                       {45, 1}, {97, 1}, {1000, 1}, {1, 34},
                                                       {2, 5},  {13, 7}, {32, 2},   {32, 34}};
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers, {.strict = true});
    for (const auto& line : lines) {
      const std::size_t n = line.first, batch = line.second;
      SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n) + " on " +
                   std::to_string(workers.size()));
      const auto x = random_numbers<T>(n * batch, static_cast<unsigned>(n));
      const auto y = made_by(machine, x,
                             [&](auto& on, auto& data) { pleat::fft(on, data, {.batch = batch}); });
      ASSERT_LE(relative_error(y, reference_lines(x, batch)), allowed_error(n));
      const auto z = made_by(machine, y, [&](auto& on, auto& data) {
        pleat::fft(on, data, {.direction = fft_direction::inverse, .batch = batch});
      });
      ASSERT_LE(relative_error(z, widened(x)), 2 * allowed_error(n)) << "and back";
    }
  }
}

// Most ranks have no columns of the matrix. A convolution: of 1009 and 2·509.
TEST(distributed_fft, short_lines_divided_among_the_ranks_are_the_definitions) {
  std::size_t seed = 0;
  for (const std::size_t n : {2, 3, 16, 35, 97, 323, 360, 1009, 1018}) {
    for (const std::size_t batch : {1, 2}) {
      const bool inverse = ++seed % 3 == 0;
      const auto x = random_numbers<T>(n * batch, static_cast<unsigned>(seed));
      const auto expected = reference_lines(x, batch, inverse ? 1 : -1);
      for (const auto& workers : few_ranks()) {
        SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n) + " on " +
                     std::to_string(workers.size()) + (inverse ? ", inverse" : ""));
        const auto y = made_by(machine_of_ranks(workers), x, [&](auto& on, auto& data) {
          transform_divided(on, data, batch,
                            inverse ? fft_direction::inverse : fft_direction::forward);
        });
        ASSERT_LE(relative_error(y, expected), allowed_error(n));
      }
    }
  }
}

// A power of two, an odd composite, a prime, twice a prime; and fewer lines than ranks, each
// divided among all of them: blocks begin inside lines and rows.
TEST(distributed_fft, long_lines_are_those_of_one_array) {
  pleat::machine alone({.processors = 1U});
  const std::pair<std::size_t, std::size_t> lines[] = {
      {65'536, 1}, {3 * 5 * 7 * 11 * 13, 1}, {10'007, 1}, {2 * 10'007, 1}, {9'600, 2}, {9'600, 4}};
  for (const std::vector<unsigned>& workers :
       {std::vector<unsigned>{2, 1}, std::vector<unsigned>{1, 3, 2}, std::vector<unsigned>(5, 1)}) {
    const machine_of_ranks machine(workers);
    for (const auto& [size, batch_size] : lines) {
      const std::size_t n = size, batch = batch_size;
      if (batch >= workers.size()) continue;
      SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n) + " on " +
                   std::to_string(workers.size()));
      const auto x = random_numbers<T>(n * batch, static_cast<unsigned>(n));
      auto expected = x;
      pleat::fft(alone, expected, {.batch = batch});
      const auto y = made_by(machine, x,
                             [&](auto& on, auto& data) { pleat::fft(on, data, {.batch = batch}); });
      ASSERT_LE(relative_error(y, widened(expected)), 2 * allowed_error(n));
      if (n % 10'007 != 0) {  // in the passes of a matrix
        ASSERT_EQ(y, expected);
      }
      const auto z = made_by(machine, y, [&](auto& on, auto& data) {
        pleat::fft(on, data, {.direction = fft_direction::inverse, .batch = batch});
      });
      ASSERT_LE(relative_error(z, widened(x)), 2 * allowed_error(n)) << "and back";
    }
  }
}

TEST(distributed_fft, planes_are_those_of_one_array) {
  pleat::machine alone({.processors = 1U});
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {1, 1}, {1, 30}, {30, 1}, {2, 3}, {34, 51}, {7, 100}, {40, 11}, {3, 4099}, {4100, 2}};
    for (const auto& [rows, columns] : shapes) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " on " +
                   std::to_string(workers.size()));
      const std::size_t m = rows, n = columns;
      const auto x = random_numbers<T>(m * n, static_cast<unsigned>(n));
      auto expected = x;
      pleat::fft2(alone, pleat::strided_view<std::complex<double>>(expected.data(), m, n, n));
      const auto y = made_by(machine, x, [&](auto& on, auto& data) { pleat::fft2(on, data, m); });
      ASSERT_LE(relative_error(y, widened(expected)), 2 * allowed_error(m * n));
      const auto z = made_by(machine, y, [&](auto& on, auto& data) {
        pleat::fft2(on, data, m, {.direction = fft_direction::inverse});
      });
      ASSERT_LE(relative_error(z, widened(x)), 2 * allowed_error(m * n)) << "and back";
    }
  }
}

TEST(distributed_fft, scales_as_that_of_one_array) {
  pleat::machine alone({.processors = 1U});
  const machine_of_ranks machine({1, 2, 1});
  for (const std::size_t n : {48, 4096, 4099}) {
    const auto x = random_numbers<double>(n, 3);
    for (const auto direction : {fft_direction::forward, fft_direction::inverse}) {
      for (const auto norm :
           {fft_norm::backward, fft_norm::forward, fft_norm::orthogonal, fft_norm::none}) {
        auto expected = x;
        pleat::fft(alone, expected, {.direction = direction, .norm = norm});
        const auto y = made_by(machine, x, [&](auto& on, auto& data) {
          pleat::fft(on, data, {.direction = direction, .norm = norm});
        });
        ASSERT_LE(relative_error(y, widened(expected)), 2 * allowed_error(n));
        expected = x;
        const std::size_t rows = n == 4099 ? 1 : 16;
        pleat::fft2(
            alone,
            pleat::strided_view<std::complex<double>>(expected.data(), rows, n / rows, n / rows),
            {.direction = direction, .norm = norm});
        const auto z = made_by(machine, x, [&](auto& on, auto& data) {
          pleat::fft2(on, data, rows, {.direction = direction, .norm = norm});
        });
        ASSERT_LE(relative_error(z, widened(expected)), 2 * allowed_error(n));
      }
    }
  }
}

// R divides the number of lines: every rank has its lines whole, and sends what it says when the
// ranks meet, nothing else.
TEST(distributed_fft, of_lines_that_are_whole_on_their_ranks_sends_none_of_them) {
  const machine_of_ranks machine({1, 1, 1});
  const auto messages_of = [&](std::size_t batch) {
    std::size_t messages = 0;
    const std::size_t n = 64 * batch;
    on_ranks(machine, [&](pleat::machine& on) {
      blocks data(on, n);
      if (on.rank() == 0) messages = machine.link(0).bytes_posted;
      pleat::fft(on, data, {.batch = batch});
      if (on.rank() == 0) messages = machine.link(0).bytes_posted - messages;
    });
    return messages;
  };
  const std::size_t whole = messages_of(300);
  EXPECT_LT(whole, 2 * 64 * sizeof(std::complex<double>));  // two of 100 lines of rank 0
  EXPECT_GT(messages_of(301), whole) << "one line lies on two ranks";
}

TEST(distributed_fft, of_nothing_is_nothing) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    on_ranks(machine, [](pleat::machine& on) {
      blocks data(on, 0);
      pleat::fft(on, data);
      pleat::fft(on, data, {.batch = 3});
      pleat::fft2(on, data, 0);
      pleat::fft2(on, data, 4);
      EXPECT_TRUE(data.empty());
    });
  }
}

TEST(distributed_fft, refuses_different_calls_on_all_ranks_and_keeps_the_numbers) {
  const machine_of_ranks machine({1, 1, 1});
  const auto number = [](std::size_t i) { return std::complex<double>(static_cast<double>(i), 2); };
  using act = std::function<void(pleat::machine&, blocks&, bool odd)>;
  const act acts[] = {
      [](auto& on, auto& data, bool odd) {
        const auto inverse = odd ? fft_direction::inverse : fft_direction::forward;
        pleat::fft(on, data, {.direction = inverse});
      },
      [](auto& on, auto& data, bool odd) {
        pleat::fft(on, data, {.norm = odd ? fft_norm::none : fft_norm::orthogonal});
      },
      [](auto& on, auto& data, bool odd) { pleat::fft(on, data, {.batch = odd ? 3u : 1u}); },
      [](auto& on, auto& data, bool odd) { pleat::fft2(on, data, odd ? 3 : 6); },
      [](auto& on, auto& data, bool odd) {
        if (odd)
          pleat::fft2(on, data, 3);
        else
          pleat::fft(on, data, {.batch = 3});
      }};
  for (const act& each : acts) {
    const auto words = words_on_ranks(machine, [&](pleat::machine& on) {
      blocks data(on, 6000);
      data.fill(on, number);
      try {
        each(on, data, on.rank() == 2);
      } catch (const pleat::usage_error&) {
        for (std::size_t j = 0; j < data.local().size(); ++j)
          ASSERT_EQ(data.local()[j], number(data.global_index(j)));
        throw;
      }
    });
    for (const std::string& one : words)
      EXPECT_NE(one.find("must make the same calls"), std::string::npos) << one;
  }
}

}  // namespace distributed_fft_test
