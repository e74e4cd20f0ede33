// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

#include "measure/array_pages.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {

/// The matrices of a product that is measured: n × n, small integers whatever the type, so that all
/// results are exact in any order of summation.
template <class Semiring, class T> class matmul_data {
 public:
  using matrix = strided_view<T>;

  matmul_data(machine& on, std::size_t n, std::uint64_t seed)
      : n_(n), memory_{matrix_of(on, n), matrix_of(on, n), matrix_of(on, n)} {
    for (std::size_t i = 0; i < 2 * n * n; ++i)
      elements(i / (n * n))[i % (n * n)] =
          static_cast<T>(static_cast<int>(mixed(seed + i) % 9) - 4);
    std::ranges::fill(elements(2), T{});
  }

  /// multiply(a, b, c): the seconds of the second of two runs if they are short, for whoever sleeps
  /// between samples would be measured waking up.
  template <class Multiply> double sample(const Multiply& multiply) {
    if (n_ <= short_run) multiply(part(0), part(1), part(2));
    const auto start = benchmark_clock::now();
    multiply(part(0), part(1), part(2));
    return seconds_since(start);
  }

  /// Checks some rows of what the last sample left, all of them of small matrices.
  /// Throws: pleat::error naming who multiplied.
  void verify(std::string_view who) const {
    const std::size_t rows = std::min<std::size_t>(n_, 96);
    std::vector<T> expected(n_);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = rows == n_ ? r : mixed(r) % n_;
      std::fill(expected.begin(), expected.end(), Semiring::template zero<T>());
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t j = 0; j < n_; ++j)
          expected[j] = Semiring::plus(expected[j], Semiring::times(part(0)(i, k), part(1)(k, j)));
      if (!std::ranges::equal(expected, part(2).row(i)))
        throw error("verification failed: " + std::string(who) + " computed a wrong row " +
                    std::to_string(i));
    }
    std::ranges::fill(elements(2), T{});
  }

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] measured_arrays arrays() const { return {&memory_[0], &memory_[1], &memory_[2]}; }

 private:
  static constexpr std::size_t short_run = 1024;

  [[nodiscard]] matrix part(std::size_t which) const {
    return {elements(which).data(), n_, n_, n_};
  }
  [[nodiscard]] std::span<T> elements(std::size_t which) const {
    return memory_[which].as<T>(n_ * n_);
  }
  static big_block matrix_of(machine& on, std::size_t n) {
    return {bytes_of({n, n, sizeof(T)}), on};
  }

  std::size_t n_;
  std::array<big_block, 3> memory_;
};

}  // namespace pleat::bench
