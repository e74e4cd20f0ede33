// SPDX-License-Identifier: Apache-2.0
//
// A hum filtered out of a recording too long for one machine: each rank of the machine holds some
// of its samples, and then some of its frequencies. Here all of them are on this one; over several,
// made as in observations_mpi.cpp, the program is the same.
#include <cmath>
#include <complex>
#include <cstddef>
#include <iostream>
#include <numbers>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t n = 480'000, hum = 500, voice = 4'400;  // samples; waves in all of them
  const auto wave = [](std::size_t waves, std::size_t i) {
    return std::sin(2 * std::numbers::pi * static_cast<double>(waves * i % n) / n);
  };

  pleat::machine machine;
  pleat::distributed<double> recording(machine, n);
  recording.fill(machine, [&](std::size_t i) { return wave(voice, i) + 0.5 * wave(hum, i); });

  pleat::distributed<std::complex<double>> spectrum(machine, n / 2 + 1);
  pleat::rfft(machine, recording, spectrum);
  if (spectrum.block().contains(hum)) spectrum.local()[spectrum.local_index(hum)] = 0;
  pleat::irfft(machine, spectrum, recording);

  pleat::distributed<double> errors(machine, n);
  errors.fill(machine, [&](std::size_t i) {
    return std::abs(recording.local()[recording.local_index(i)] - wave(voice, i));
  });
  const double worst =
      pleat::reduce(machine, errors, 0.0, [](double a, double b) { return a < b ? b : a; });
  std::cout << "what is left of the hum: " << worst << '\n';
  return worst < 1e-9 ? 0 : 1;
}
