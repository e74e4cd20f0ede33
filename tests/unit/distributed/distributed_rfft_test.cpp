// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"
#include "unit/fft/fft_reference.hpp"

namespace distributed_rfft_test {

using pleat::fft_norm;

// Transforms of float; of double they are tested in tests/mpi/distributed.
using T = float;
using reals = pleat::distributed<T>;
using spectra = pleat::distributed<std::complex<T>>;

struct both {
  std::vector<std::complex<T>> spectrum;
  std::vector<T> back;
};
using real_call = std::function<void(pleat::machine&, const reals&, spectra&)>;
using back_call = std::function<void(pleat::machine&, const spectra&, reals&)>;

/// Begin of the block of a rank.
template <class Data> std::ptrdiff_t at(const Data& data) {
  return static_cast<std::ptrdiff_t>(data.block().first);
}

/// The spectra of `batch` lines in blocks over ranks, and what becomes of them on the way back.
/// What is transformed is looked at afterwards, and imaginary parts that are not to be read are
/// set.
both made_by(const machine_of_ranks& machine, const std::vector<T>& x, std::size_t batch,
             const real_call& there, const back_call& back) {
  const std::size_t n = x.size() / batch, half = n / 2 + 1;
  both made{std::vector<std::complex<T>>(batch * half), std::vector<T>(x.size())};
  on_ranks(machine, [&](pleat::machine& on) {
    reals real(on, x.size());
    spectra spectrum(on, batch * half);
    real.fill(on, [&](std::size_t i) { return x[i]; });
    there(on, real, spectrum);
    EXPECT_TRUE(std::equal(real.local().begin(), real.local().end(), x.begin() + at(real)));
    std::ranges::copy(spectrum.local(), made.spectrum.begin() + at(spectrum));
    spectrum.fill(on, [&](std::size_t i) {
      const std::complex<T> y = spectrum.local()[spectrum.local_index(i)];
      const std::size_t k = i % half;
      return k == 0 || 2 * k == n ? std::complex<T>(y.real(), 5) : y;
    });
    const std::vector<std::complex<T>> kept(spectrum.local().begin(), spectrum.local().end());
    back(on, spectrum, real);
    EXPECT_TRUE(std::ranges::equal(spectrum.local(), kept));
    std::ranges::copy(real.local(), made.back.begin() + at(real));
  });
  return made;
}

/// By the functions of the library.
both made_by_rfft(const machine_of_ranks& machine, const std::vector<T>& x,
                  const pleat::distributed_rfft_options& options) {
  return made_by(
      machine, x, options.batch,
      [&](auto& on, const auto& real, auto& spectrum) { pleat::rfft(on, real, spectrum, options); },
      [&](auto& on, const auto& spectrum, auto& real) {
        pleat::irfft(on, spectrum, real, options);
      });
}

/// Against lines transformed by the definition.
void expect_defined(const both& made, const std::vector<T>& x, std::size_t batch) {
  const std::size_t n = x.size() / batch, half = n / 2 + 1;
  std::vector<exact> expected;
  for (std::size_t line = 0; line < batch; ++line) {
    const auto one = half_spectrum(line_of(x, line, n));
    expected.insert(expected.end(), one.begin(), one.end());
    EXPECT_EQ(made.spectrum[line * half].imag(), 0);
    if (n % 2 == 0) {
      EXPECT_EQ(made.spectrum[line * half + n / 2].imag(), 0);
    }
  }
  ASSERT_LE(relative_error(made.spectrum, expected), allowed_error(n));
  ASSERT_LE(relative_error(as_complex(made.back), widened(x)), 2 * allowed_error(n)) << "and back";
}

/// Transforms as rfft and irfft do, but so that short lines too are divided among the ranks.
void rfft_divided(pleat::machine& on, const reals& real, spectra& spectrum, std::size_t batch) {
  pleat::detail::distribution::collective_call call = real.collective(on, "divided");
  pleat::detail::fourier::transform_reals_over_ranks<T>(
      on, call, pleat::fft_direction::forward, real.size(), spectrum.size(), real.local().data(),
      reinterpret_cast<T*>(spectrum.local().data()), {.batch = batch}, 2);
}
void irfft_divided(pleat::machine& on, const spectra& spectrum, reals& real, std::size_t batch) {
  pleat::detail::distribution::collective_call call = real.collective(on, "divided back");
  pleat::detail::fourier::transform_reals_over_ranks<T>(
      on, call, pleat::fft_direction::inverse, real.size(), spectrum.size(),
      reinterpret_cast<const T*>(spectrum.local().data()), real.local().data(), {.batch = batch},
      2);
}

TEST(distributed_rfft, any_size_and_batch_is_the_definitions_on_any_ranks) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers, {.strict = true});
    for (const std::size_t n : {1, 2, 3, 4, 5, 97, 98, 1000}) {
      for (const std::size_t batch : {1, 3, 7}) {
        if (batch * n > 3000) continue;
        SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n) + " on " +
                     std::to_string(workers.size()));
        const auto x = random_reals<T>(n * batch, static_cast<unsigned>(n));
        expect_defined(made_by_rfft(machine, x, {.batch = batch}), x, batch);
      }
    }
  }
}

// Pairs that blocks cut, spectra longer than half a block, odd and prime lines, halves that are
// prime; fewer numbers than ranks.
TEST(distributed_rfft, short_lines_divided_among_the_ranks_are_the_definitions) {
  for (const auto& workers : few_ranks()) {
    if (workers.size() == 1) continue;
    const machine_of_ranks machine(workers);
    for (const std::size_t n : {2, 3, 4, 6, 7, 12, 30, 45, 97, 194, 360}) {
      for (const std::size_t batch : {1, 2}) {
        if (batch >= workers.size()) continue;
        SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n) + " on " +
                     std::to_string(workers.size()));
        const auto x = random_reals<T>(n * batch, static_cast<unsigned>(n));
        expect_defined(made_by(
                           machine, x, batch,
                           [&](auto& on, const auto& real, auto& spectrum) {
                             rfft_divided(on, real, spectrum, batch);
                           },
                           [&](auto& on, const auto& spectrum, auto& real) {
                             irfft_divided(on, spectrum, real, batch);
                           }),
                       x, batch);
      }
    }
  }
}

TEST(distributed_rfft, long_lines_are_those_of_one_array) {
  pleat::machine alone({.processors = 1U});
  for (const std::vector<unsigned>& workers :
       {std::vector<unsigned>{2, 1}, std::vector<unsigned>(5, 1)}) {
    const machine_of_ranks machine(workers);
    // In strips, pairs whole on 2 ranks and cut on 5; odd, in strips; twice a prime: a convolution.
    for (const std::size_t n : {65'536, 15'015, 2 * 5'003}) {
      for (const std::size_t batch : {1, 2}) {
        if (batch >= workers.size()) continue;
        SCOPED_TRACE(std::to_string(batch) + " of " + std::to_string(n) + " on " +
                     std::to_string(workers.size()));
        const auto x = random_reals<T>(n * batch, static_cast<unsigned>(n));
        std::vector<std::complex<T>> expected(batch * (n / 2 + 1));
        pleat::rfft(alone, x, expected, {.batch = batch});
        const both made = made_by_rfft(machine, x, {.batch = batch});
        ASSERT_LE(relative_error(made.spectrum, widened(expected)), 2 * allowed_error(n));
        if (n != 2 * 5'003) {  // in the passes of a matrix
          ASSERT_EQ(made.spectrum, expected);
        }
        ASSERT_LE(relative_error(as_complex(made.back), widened(x)), 2 * allowed_error(n))
            << "and back";
      }
    }
  }
}

TEST(distributed_rfft, scales_as_that_of_one_array) {
  pleat::machine alone({.processors = 1U});
  const machine_of_ranks machine({1, 2, 1});
  for (const std::size_t n : {48, 8'192, 4'099}) {
    const auto x = random_reals<T>(n, 3);
    for (const auto norm :
         {fft_norm::backward, fft_norm::forward, fft_norm::orthogonal, fft_norm::none}) {
      std::vector<std::complex<T>> spectrum(n / 2 + 1);
      std::vector<T> back(n);
      pleat::rfft(alone, x, spectrum, {.norm = norm});
      pleat::irfft(alone, spectrum, back, {.norm = norm});
      const both made = made_by_rfft(machine, x, {.norm = norm});
      ASSERT_LE(relative_error(made.spectrum, widened(spectrum)), 2 * allowed_error(n));
      ASSERT_LE(relative_error(as_complex(made.back), widened(back)), 2 * allowed_error(n));
    }
  }
}

TEST(distributed_rfft, of_nothing_is_nothing) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    on_ranks(machine, [](pleat::machine& on) {
      reals real(on, 0);
      spectra spectrum(on, 0);
      pleat::rfft(on, real, spectrum);
      pleat::irfft(on, spectrum, real, {.batch = 3});
      EXPECT_TRUE(spectrum.empty());
    });
  }
}

}  // namespace distributed_rfft_test
