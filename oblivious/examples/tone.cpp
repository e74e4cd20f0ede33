// SPDX-License-Identifier: Apache-2.0
// Takes the hum of the mains, 50 Hz, out of a recording: real numbers, their spectrum, and back.
#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <vector>

#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t rate = 8000;  // samples a second, and one second of them
  const auto wave = [](double hertz, std::size_t i) {
    return std::sin(2 * std::numbers::pi * hertz * double(i) / double(rate));
  };
  std::vector<double> voice(rate), recording(rate);
  for (std::size_t i = 0; i < rate; ++i) {
    voice[i] = 0.5 * wave(220, i) + 0.2 * wave(440, i);
    recording[i] = voice[i] + 0.8 * wave(50, i);
  }

  pleat::machine machine;
  std::vector<std::complex<double>> spectrum(rate / 2 + 1);
  pleat::rfft(machine, recording, spectrum);
  std::fill_n(spectrum.begin() + 45, 11, 0.0);  // number k is k Hz
  pleat::irfft(machine, spectrum, recording);

  double off = 0;
  for (std::size_t i = 0; i < rate; ++i) off = std::max(off, std::abs(recording[i] - voice[i]));
  std::cout << "at most " << off << " off the voice alone\n";
  return off < 1e-9 ? 0 : 1;
}
