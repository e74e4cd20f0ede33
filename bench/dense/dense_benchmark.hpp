// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "measure/compared_program.hpp"
#include "measure/number_types.hpp"

// pleat compare transpose, closure, …: a function for each program, in compare_PROGRAM.cpp.
namespace pleat::bench {

void measure_transpose(testbed& on, const benchmark_options& options, const runner& run);
void measure_closure(testbed& on, const benchmark_options& options, const runner& run);
void measure_cholesky(testbed& on, const benchmark_options& options, const runner& run);
void measure_solve_triangular(testbed& on, const benchmark_options& options, const runner& run);

/// Memory of a matrix, in rows without gaps.
template <class T> class measured_matrix {
 public:
  measured_matrix(machine& on, std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), memory_(bytes_of({rows, columns, sizeof(T)}), on) {}

  [[nodiscard]] std::span<T> numbers() const { return memory_.as<T>(rows_ * columns_); }
  [[nodiscard]] std::span<const T> read() const { return numbers(); }
  [[nodiscard]] strided_view<T> view() const {
    return {numbers().data(), rows_, columns_, columns_};
  }
  void copy(const measured_matrix& from) const {
    std::memcpy(numbers().data(), from.numbers().data(), numbers().size_bytes());
  }
  [[nodiscard]] const big_block* memory() const { return &memory_; }

 private:
  std::size_t rows_, columns_;
  big_block memory_;
};

}  // namespace pleat::bench
