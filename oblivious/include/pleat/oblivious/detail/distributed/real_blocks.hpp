// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <string>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/real_lines.hpp>
#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// The bodies of rfft and irfft of distributed data.
namespace pleat::detail::distribution {

/// What ranks that meet call it: so that all have the same options.
constexpr const char* rfft_name(bool inverse, fft_norm norm) noexcept {
  constexpr const char* names[2][4] = {
      {"rfft", "rfft forward", "rfft orthogonal", "rfft none"},
      {"irfft", "irfft forward", "irfft orthogonal", "irfft none"}};
  return names[inverse ? 1 : 0][static_cast<std::size_t>(norm)];
}

/// The size of each of `batch` lines. Throws: usage_error, if that is none, or the spectrum is not
/// theirs.
template <class T>
std::size_t real_size_of_each(const char* caller, const distributed<T>& real,
                              const distributed<std::complex<T>>& spectrum, std::size_t batch) {
  const std::size_t n = fourier::size_of_each(caller, real.size(), batch);
  const std::size_t wanted = n == 0 ? 0 : batch * (n / 2 + 1);
  if (spectrum.size() != wanted)
    throw usage_error(std::string(caller) + ": " + std::to_string(batch) + " transforms of " +
                      std::to_string(n) + " real numbers have " + std::to_string(wanted) +
                      " complex ones, not " + std::to_string(spectrum.size()) +
                      "; give it distributed data of n/2 + 1 of them for each");
  return n;
}

template <class T>
void rfft_of_blocks(machine& on, const distributed<T>& real, distributed<std::complex<T>>& spectrum,
                    fft_norm norm, std::size_t batch) {
  const char* const name = rfft_name(false, norm);
  collective_call call = real.collective(on, name, sizeof(std::complex<T>), batch);
  std::size_t n = 0;
  const bool alone = real.ranks() == 1;
  call.check([&] {
    spectrum.require_machine(on, name);
    n = real_size_of_each("rfft", real, spectrum, batch);
  });
  call.here([&] {
    if (n != 0 && alone)
      fourier::transform_real<T>(on, real.local(), spectrum.local(), {norm, batch, {}});
  });
  if (n == 0 || alone) return call.only_meet();
  real_lines<T>(on, call, batch, n, {norm, batch, {}}).forward(real.local(), spectrum.local());
}
template <class T>
void irfft_of_blocks(machine& on, const distributed<std::complex<T>>& spectrum,
                     distributed<T>& real, fft_norm norm, std::size_t batch) {
  const char* const name = rfft_name(true, norm);
  collective_call call = real.collective(on, name, sizeof(std::complex<T>), batch);
  std::size_t n = 0;
  const bool alone = real.ranks() == 1;
  call.check([&] {
    spectrum.require_machine(on, name);
    n = real_size_of_each("irfft", real, spectrum, batch);
  });
  call.here([&] {
    if (n != 0 && alone)
      fourier::transform_back<T>(on, spectrum.local(), real.local(), {norm, batch, {}});
  });
  if (n == 0 || alone) return call.only_meet();
  real_lines<T>(on, call, batch, n, {norm, batch, {}}).back(spectrum.local(), real.local());
}

}  // namespace pleat::detail::distribution
