// SPDX-License-Identifier: Apache-2.0
//
// Finds the tones in a noisy signal, filters the noise out, and transforms once more as the program
// of the model, one number a virtual processor.
#include <cmath>
#include <complex>
#include <cstddef>
#include <iostream>
#include <numbers>
#include <random>
#include <vector>

#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  pleat::machine machine;            // every core this process may use
  constexpr std::size_t n = 48'000;  // a second of sound; any number will do
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;

  std::vector<std::complex<double>> sound(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = 2 * std::numbers::pi * static_cast<double>(i) / n;
    sound[i] = std::sin(440 * t) + 0.5 * std::sin(660 * t) + noise(random);
  }

  std::vector<std::complex<double>> spectrum(n);
  pleat::fft(machine, sound, spectrum);
  std::size_t tones = 0;
  for (std::size_t hertz = 0; hertz < n; ++hertz) {
    const double loudness = 2 * std::abs(spectrum[hertz]) / n;
    if (loudness < 0.25) {
      spectrum[hertz] = 0;
    } else if (hertz < n / 2) {
      std::cout << hertz << " Hz: " << std::round(10 * loudness) / 10 << '\n';
      ++tones;
    }
  }
  pleat::fft(machine, spectrum, {.direction = pleat::fft_direction::inverse});  // in place
  const double error = std::abs(
      spectrum[n / 880] - std::sin(2 * std::numbers::pi * 440 * std::floor(n / 880.0) / n) -
      0.5 * std::sin(2 * std::numbers::pi * 660 * std::floor(n / 880.0) / n));

  std::vector<std::complex<float>> one_each(1024, 1);
  pleat::fft(machine, one_each, {.vps = one_each.size()});
  const bool impulse =
      std::abs(one_each[0] - std::complex<float>(1024)) < 1e-3F && std::abs(one_each[1]) < 1e-3F;
  return tones == 2 && error < 0.1 && impulse ? 0 : 1;
}
