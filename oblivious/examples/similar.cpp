// SPDX-License-Identifier: Apache-2.0
//
// Which two of many texts are most alike? Rows of a matrix say how often each text has each word;
// the products of all pairs of rows are one product of the matrix and its transpose. The matrix may
// be too large for one machine: here all of it is on this one; over several, made as in
// observations_mpi.cpp, the program is the same.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t texts = 400, words = 3000, original = 17, copy = 311;
  // Text 311 is text 17 with some of its words changed.
  const auto times_said = [](std::size_t text, std::size_t word) {
    if (text == copy && word % 10 != 0) text = original;
    std::uint64_t bits = text * words + word + 1;
    for (int round = 0; round < 3; ++round) bits = (bits ^ (bits >> 29)) * 0x9E3779B97F4A7C15U;
    return bits % 50 == 0 ? static_cast<double>(bits / 64 % 9 + 1) : 0.0;
  };

  pleat::machine machine;
  pleat::distributed_matrix<double> said(machine, texts, words);
  said.fill(machine, times_said);
  pleat::distributed_matrix<double> common(machine, texts, texts);
  pleat::matmul(machine, said, said, common, {.op_b = pleat::matrix_op::transpose});

  const std::vector<double> all = common.gather(machine);  // the texts are few, if not their words
  const auto product = [&](std::size_t a, std::size_t b) { return all[a * texts + b]; };
  double most = 0;
  std::size_t first = 0, second = 0;
  for (std::size_t a = 0; a < texts; ++a) {
    for (std::size_t b = a + 1; b < texts; ++b) {
      const double alike = product(a, b) / std::sqrt(product(a, a) * product(b, b));
      if (alike <= most) continue;
      most = alike;
      first = a;
      second = b;
    }
  }
  std::cout << "texts " << first << " and " << second << ": " << most << '\n';
  return first == original && second == copy ? 0 : 1;
}
