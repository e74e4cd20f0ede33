// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <span>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>

#include "distributed_numbers.hpp"

namespace pleat::arrays {
namespace {

template <class T> std::span<std::byte> bytes_of(distributed_matrix<T>& matrix) {
  const strided_view<T> local = matrix.local();
  return std::as_writable_bytes(std::span(local.data, local.rows * local.columns));
}

struct multiplication {
  machine& on;
  semiring_kind semiring;
  const number_type& type;
  std::size_t m, k, n;
  const rectangle_reader &read_a, &read_b;
  const rectangle_writer& write;

  // What holds and moves the numbers knows their size alone, that of a T.
  template <class T> void carry_out() const {
    using namespace detail::matmul;
    distributed_matrix<T> a(on, m, k), b(on, k, n), c(on, m, n);
    read_a(bytes_of(a), a.rows(), a.columns());
    read_b(bytes_of(b), b.rows(), b.columns());
    const strided_view<T> to = c.local();
    with_product(semiring, type,
                 {reinterpret_cast<std::byte*>(to.data), to.rows, to.columns, to.stride},
                 [&](any_product& product) {
                   multiply_over_ranks(on, product, seen_by_rank(a), seen_by_rank(b),
                                       seen_by_rank(c), {}, {});
                 });
    write(bytes_of(c), c.rows(), c.columns());
  }
};

}  // namespace

void multiply_distributed_numbers(machine& on, semiring_kind semiring, const number_type& type,
                                  std::size_t m, std::size_t k, std::size_t n,
                                  const rectangle_reader& read_a, const rectangle_reader& read_b,
                                  const rectangle_writer& write) {
  const multiplication call{on, semiring, type, m, k, n, read_a, read_b, write};
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
