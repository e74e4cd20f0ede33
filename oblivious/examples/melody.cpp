// SPDX-License-Identifier: Apache-2.0
//
// Follows a melody: a short transform of each tenth of a second, by a plan that is made once.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iostream>
#include <numbers>
#include <span>
#include <vector>

#include <pleat/oblivious/fft_plan.hpp>

int main() {
  constexpr std::size_t window = 800;  // of 8,000 samples a second; 10 Hz from result to result
  const std::vector<double> melody{260, 290, 330, 350, 390, 440, 490, 520};
  std::vector<float> samples;
  for (const double hertz : melody) {
    for (std::size_t i = 0; i < window; ++i)
      samples.push_back(static_cast<float>(
          std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / 8000)));
  }

  pleat::rfft_plan<float> transform(window);
  std::vector<std::complex<float>> spectrum(window / 2 + 1);
  std::size_t right = 0;
  for (std::size_t tone = 0; tone < melody.size(); ++tone) {
    transform(std::span<const float>(samples).subspan(tone * window, window), spectrum);
    const auto loudest = std::ranges::max_element(
        spectrum, {}, [](const std::complex<float>& one) { return std::abs(one); });
    const auto hertz = 10 * (loudest - spectrum.begin());
    std::cout << hertz << " Hz\n";
    if (static_cast<double>(hertz) == melody[tone]) ++right;
  }
  return right == melody.size() ? 0 : 1;
}
