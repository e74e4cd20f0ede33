// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

#include "matmul/product_shape.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {

/// The matrices of a product that is measured: small integers whatever the type, so that all
/// results are exact in any order of summation.
template <class Semiring, class T> class matmul_data {
 public:
  using matrix = strided_view<T>;

  matmul_data(machine& on, const product_shape& shape, std::uint64_t seed)
      : shape_(shape), memory_{matrix_of(on, 0), matrix_of(on, 1), matrix_of(on, 2)} {
    std::uint64_t i = seed;
    for (const std::size_t factor : {0, 1})
      for (T& x : elements(factor)) x = small_integer(mixed(i++));
    std::ranges::fill(elements(2), T{});
  }

  /// multiply(a, b, c): the seconds of the second of two runs if they are short, for whoever sleeps
  /// between samples would be measured waking up.
  template <class Multiply> double sample(const Multiply& multiply) {
    if (shape_.multiplications() <= short_run) multiply(part(0), part(1), part(2));
    const auto start = benchmark_clock::now();
    multiply(part(0), part(1), part(2));
    return seconds_since(start);
  }

  /// Checks some rows of what the last sample left, all of them of small matrices.
  /// Throws: pleat::error naming who multiplied.
  void verify(std::string_view who) const {
    const std::size_t rows = std::min<std::size_t>(shape_.rows, 96);
    std::vector<T> expected(shape_.columns);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = rows == shape_.rows ? r : mixed(r) % shape_.rows;
      std::fill(expected.begin(), expected.end(), Semiring::template zero<T>());
      for (std::size_t k = 0; k < shape_.inner; ++k)
        for (std::size_t j = 0; j < shape_.columns; ++j)
          expected[j] = Semiring::plus(expected[j], Semiring::times(part(0)(i, k), part(1)(k, j)));
      if (!std::ranges::equal(expected, part(2).row(i)))
        throw error("verification failed: " + std::string(who) + " computed a wrong row " +
                    std::to_string(i));
    }
    std::ranges::fill(elements(2), T{});
  }

  [[nodiscard]] const product_shape& shape() const { return shape_; }
  [[nodiscard]] measured_arrays arrays() const { return {&memory_[0], &memory_[1], &memory_[2]}; }

 private:
  static constexpr double short_run = 1024.0 * 1024.0 * 1024.0;  // multiplications

  static T small_integer(std::uint64_t random) {
    const auto part = [](std::uint64_t digit) { return static_cast<int>(digit % 9) - 4; };
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(part(random));
    else
      return T(static_cast<T::value_type>(part(random)),
               static_cast<T::value_type>(part(random / 9)));
  }

  /// A, B and C are 0, 1 and 2.
  [[nodiscard]] std::size_t rows(std::size_t which) const {
    return which == 1 ? shape_.inner : shape_.rows;
  }
  [[nodiscard]] std::size_t columns(std::size_t which) const {
    return which == 0 ? shape_.inner : shape_.columns;
  }
  [[nodiscard]] matrix part(std::size_t which) const {
    return {elements(which).data(), rows(which), columns(which), columns(which)};
  }
  [[nodiscard]] std::span<T> elements(std::size_t which) const {
    return memory_[which].as<T>(rows(which) * columns(which));
  }
  [[nodiscard]] big_block matrix_of(machine& on, std::size_t which) const {
    return {bytes_of({rows(which), columns(which), sizeof(T)}), on};
  }

  product_shape shape_;
  std::array<big_block, 3> memory_;
};

}  // namespace pleat::bench
