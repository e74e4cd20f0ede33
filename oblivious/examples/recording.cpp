// SPDX-License-Identifier: Apache-2.0
//
// A weak tone in a noisy recording too long for one machine: each rank of the machine holds some of
// its samples, and then some of its frequencies. Here all of them are on this one; over several,
// made as in observations_mpi.cpp, the program is the same.
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numbers>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t n = 600'000, tone = 1'234;  // in all; waves of the tone in them
  const auto sample = [](std::size_t i) {
    std::uint64_t bits = i + 1;
    for (int round = 0; round < 3; ++round) bits = (bits ^ (bits >> 29)) * 0x9E3779B97F4A7C15U;
    const double noise = static_cast<double>(bits >> 11) / (1ULL << 52) - 1;
    const double t = 2 * std::numbers::pi * static_cast<double>(i) / n;
    return std::complex<double>(0.1 * std::cos(tone * t) + noise);
  };

  pleat::machine machine;
  pleat::distributed<std::complex<double>> recording(machine, n);
  recording.fill(machine, sample);
  pleat::fft(machine, recording);

  struct peak {
    double height = 0;
    std::size_t waves = 0;
  };
  pleat::distributed<peak> peaks(machine, n);
  peaks.fill(machine, [&](std::size_t i) {
    const std::complex<double> x = recording.local()[recording.local_index(i)];
    return i < n / 2 ? peak{2 * std::abs(x) / n, i} : peak{};
  });
  const auto higher = [](const peak& a, const peak& b) { return a.height < b.height ? b : a; };
  const peak highest = pleat::reduce(machine, peaks, peak{}, higher);
  std::cout << "the highest tone: " << highest.waves << " waves of " << highest.height << '\n';

  pleat::fft(machine, recording, {.direction = pleat::fft_direction::inverse});
  const double first = recording.gather(machine)[0].real();
  return highest.waves == tone && std::abs(first - sample(0).real()) < 1e-9 ? 0 : 1;
}
