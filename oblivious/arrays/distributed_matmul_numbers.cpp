// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <span>

#include <pleat/oblivious/distributed_matmul.hpp>

#include "distributed_numbers.hpp"

namespace pleat::arrays {
namespace {

namespace distribution = pleat::detail::distribution;

template <class T> typed_matrix matrix_of(const strided_view<T>& view) {
  return {reinterpret_cast<std::byte*>(view.data), view.rows, view.columns, view.stride};
}
// Factors are only read.
template <class T> typed_matrix factor_of(const strided_view<const T>& view) {
  return matrix_of(
      strided_view<T>(const_cast<T*>(view.data), view.rows, view.columns, view.stride));
}

// The product of a rank's panels, by the code that one machine's products have too. What moves
// between ranks knows the numbers' size alone.
struct product_of_numbers {
  machine& on;
  semiring_kind semiring;
  const number_type& type;

  template <class T> [[nodiscard]] bool adds(const matmul_options<T>& options) const {
    return options.accumulate;
  }
  template <class T>
  void operator()(const distribution::panel_pair<T>& by, const strided_view<T>& sums,
                  const matmul_options<T>& options) const {
    multiply_matrices(on, semiring, type, factor_of(by.a), factor_of(by.b), matrix_of(sums), {},
                      options.accumulate);
  }
};

struct multiplication {
  machine& on;
  product_of_numbers product;
  std::size_t m, k, n;
  const rectangle_reader &read_a, &read_b;
  const rectangle_writer& write;

  // Of numbers as large as a T.
  template <class T> void carry_out() const {
    distributed_matrix<T> a(on, m, k), b(on, k, n), c(on, m, n);
    read_a(bytes_of(a), a.rows(), a.columns());
    read_b(bytes_of(b), b.rows(), b.columns());
    distribution::collective_call call = c.collective(on, "matmul");
    if (call.alone()) {
      const machine::rank_turn here(on);
      product(distribution::panel_pair<T>{a.local(), b.local()}, c.local(), {});
    } else {
      distribution::multiply_on_ranks(on, call, a, b, c, {}, product);
    }
    write(bytes_of(c), c.rows(), c.columns());
  }
  template <class T> static std::span<std::byte> bytes_of(distributed_matrix<T>& matrix) {
    const strided_view<T> local = matrix.local();
    return std::as_writable_bytes(std::span(local.data, local.rows * local.columns));
  }
};

}  // namespace

void multiply_distributed_numbers(machine& on, semiring_kind semiring, const number_type& type,
                                  std::size_t m, std::size_t k, std::size_t n,
                                  const rectangle_reader& read_a, const rectangle_reader& read_b,
                                  const rectangle_writer& write) {
  const multiplication call{on, {on, semiring, type}, m, k, n, read_a, read_b, write};
  switch (type.bytes) {
    case 1:
      return call.carry_out<std::uint8_t>();
    case 2:
      return call.carry_out<std::uint16_t>();
    case 4:
      return call.carry_out<std::uint32_t>();
    case 8:
      return call.carry_out<std::uint64_t>();
    default:
      return call.carry_out<std::complex<double>>();  // 16
  }
}

}  // namespace pleat::arrays
