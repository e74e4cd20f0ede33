// SPDX-License-Identifier: Apache-2.0
// A first look: each of the library's programs in a line or two, on whatever cores there are.
#include <cmath>
#include <complex>
#include <iostream>
#include <vector>

#include <pleat/pleat.hpp>

int main() {
  pleat::machine machine;
  std::cout << machine.processors() << " processors\n";

  std::vector<int> keys{3, 1, 4, 1, 5, 9, 2, 6};
  pleat::sort(machine, keys);

  std::vector<std::complex<double>> signal(1000, 1.0);
  pleat::fft(machine, signal);

  const std::vector<double> rotation{0, -1, 1, 0}, point{2, 3};
  std::vector<double> turned(2);
  pleat::matmul(machine, pleat::strided_view(rotation.data(), 2, 2, 2),
                pleat::strided_view(point.data(), 2, 1, 1),
                pleat::strided_view(turned.data(), 2, 1, 1));

  std::vector<double> rod(100, 0.0);
  rod.front() = 1;
  pleat::stencil(machine, pleat::grid_view<double, 1>(rod.data(), {rod.size()}), 1000,
                 [](const auto& u) { return 0.5 * u(0) + 0.25 * (u(-1) + u(1)); });

  const bool right = keys == std::vector<int>{1, 1, 2, 3, 4, 5, 6, 9} &&
                     std::abs(signal[0] - 1000.0) < 1e-9 && turned[0] == -3 && turned[1] == 2 &&
                     rod[1] > 0.9 && rod[1] < 1;
  std::cout << (right ? "all as expected\n" : "wrong\n");
  return right ? 0 : 1;
}
