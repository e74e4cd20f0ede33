// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <complex>
#include <utility>
#include <vector>

#include <pleat/oblivious/fft.hpp>

#include "evaluate/evaluation_input.hpp"

namespace pleat::bench {
namespace {

cost_trace run_fft(const evaluation_request& request) {
  machine on(traced(request));
  std::vector<std::complex<double>> x;
  for (const std::uint64_t value : random_values(request))
    x.emplace_back(static_cast<double>(value >> 32), static_cast<double>(value & 0xffffffffU));
  std::vector<std::complex<double>> expected(x.size());
  pleat::fft(on, x, expected, {.vps = 1});
  run_report report = pleat::fft(on, x, {.vps = request.n});
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += std::norm(x[i] - expected[i]);
    norm += std::norm(expected[i]);
  }
  verify(difference <= 1e-24 * norm, "fft");
  return *std::move(report.costs);
}

constexpr std::array programs{
    evaluated_program{"fft", "the Fourier transform by halves, one number a virtual processor",
                      power_of_two, run_fft, "n log n/(p log(n/p)) + σ", fft_lower_bound},
};

}  // namespace

std::span<const evaluated_program> fft_evaluations() { return programs; }

}  // namespace pleat::bench
