// SPDX-License-Identifier: Apache-2.0
//
// Summarises observations on one computer; observations_mpi.cpp does the same over many.
#include "observations.hpp"

#include <iostream>

int main() {
  constexpr std::size_t n = 1'000'003;  // a prime, so that all observations differ
  pleat::machine machine;
  const observations::summary found = observations::of(machine, n);
  std::cout << "mean " << found.mean << ", least " << found.least << ", median " << found.median
            << ", greatest " << found.greatest << '\n';
  return found.least == 0 && found.median == std::sqrt(n / 2) && found.greatest == std::sqrt(n - 1)
             ? 0
             : 1;
}
