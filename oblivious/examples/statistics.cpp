// SPDX-License-Identifier: Apache-2.0
//
// Measurements: made in parallel, their mean, deviation and median, and what is left of them after
// smoothing.
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <vector>

#include <pleat/oblivious/exact_sum.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/transform.hpp>

int main() {
  constexpr std::size_t n = 1'000'000;
  std::vector<double> samples(n);
  pleat::for_each_index(
      n, [&](std::size_t i) { samples[i] = 10 + std::sin(static_cast<double>(i) * 0.001); });

  const double mean = pleat::reduce(samples, 0.0) / static_cast<double>(n);
  const double squares = pleat::transform_reduce(
      samples, 0.0, std::plus<>(), [mean](double x) { return (x - mean) * (x - mean); });
  std::cout << "mean " << mean << ", deviation " << std::sqrt(squares / static_cast<double>(n))
            << '\n';

  // The same bits, whatever number of virtual processors.
  const bool same = pleat::reduce(samples, 0.0, {}, {.vps = 7}) / static_cast<double>(n) == mean;
  // A sum that is rounded once says how far the roundings of the other one went.
  const double exact = pleat::reduce(samples, pleat::exact_sum()).value();
  const double roundings = std::abs(exact / static_cast<double>(n) - mean);

  std::vector<double> centred(n);
  pleat::transform(samples, centred, [mean](double x) { return x - mean; });
  pleat::for_each(centred, [](double& x) { x = std::abs(x) < 0.5 ? 0 : x; }, {.chunk = 1000});

  const double median = *pleat::nth_element(samples, n / 2);  // and the lower half in front of it
  std::cout << "median " << median << '\n';

  return same && roundings < 1e-12 && std::abs(mean - 10) < 0.01 && std::abs(centred[0]) < 0.01 &&
                 std::abs(median - 10) < 0.05
             ? 0
             : 1;
}
