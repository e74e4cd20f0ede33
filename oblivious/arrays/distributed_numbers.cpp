// SPDX-License-Identifier: Apache-2.0
#include "distributed_numbers.hpp"

#include <complex>
#include <cstdint>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/matmul.hpp>

namespace pleat::arrays {
namespace {

template <class T>
void transform_as(machine& on, fft_kind kind, const std::vector<std::size_t>& shape,
                  const block_reader& read, const block_writer& write) {
  const typed_array whole{{number_kind::complex, 2 * sizeof(T)}, shape};
  const bool inverse = kind == fft_kind::ifft || kind == fft_kind::ifft2;
  const fft_direction direction = inverse ? fft_direction::inverse : fft_direction::forward;
  distributed<std::complex<T>> numbers(on, whole.elements());
  read(std::as_writable_bytes(numbers.local()), numbers.block().first);
  if (whole.elements() != 0) {
    if (kind == fft_kind::fft || kind == fft_kind::ifft)
      pleat::fft(on, numbers, {.direction = direction, .batch = whole.rows()});
    else
      pleat::fft2(on, numbers, whole.rows(), {.direction = direction});
  }
  write(std::as_bytes(numbers.local()), numbers.block().first);
}

}  // namespace

void transform_distributed_numbers(machine& on, fft_kind kind, const number_type& type,
                                   const std::vector<std::size_t>& shape, const block_reader& read,
                                   const block_writer& write) {
  if (type.bytes == sizeof(std::complex<float>))
    transform_as<float>(on, kind, shape, read, write);
  else
    transform_as<double>(on, kind, shape, read, write);
}

namespace {

template <class T> std::span<std::byte> bytes_of(distributed_matrix<T>& matrix) {
  const strided_view<T> local = matrix.local();
  return std::as_writable_bytes(std::span(local.data, local.rows * local.columns));
}

}  // namespace

void multiply_distributed_numbers(machine& on, semiring_kind semiring, const number_type& type,
                                  std::size_t m, std::size_t k, std::size_t n,
                                  const rectangle_reader& read_a, const rectangle_reader& read_b,
                                  const rectangle_writer& write) {
  using namespace detail::matmul;
  // Matrices of a type T of the size of the numbers hold and move them.
  const auto multiply_as = [&]<class T>(T) {
    distributed_matrix<T> a(on, m, k), b(on, k, n), c(on, m, n);
    read_a(bytes_of(a), a.rows(), a.columns());
    read_b(bytes_of(b), b.rows(), b.columns());
    const strided_view<T> to = c.local();
    with_product(
        semiring, type, {reinterpret_cast<std::byte*>(to.data), to.rows, to.columns, to.stride},
        [&](any_product& product) {
          multiply_over_ranks(on, product, seen_by_rank(a), seen_by_rank(b), seen_by_rank(c), {});
        });
    write(bytes_of(c), c.rows(), c.columns());
  };
  switch (type.bytes) {
    case 1:
      return multiply_as(std::uint8_t());
    case 2:
      return multiply_as(std::uint16_t());
    case 4:
      return multiply_as(std::uint32_t());
    case 8:
      return multiply_as(std::uint64_t());
    default:
      return multiply_as(std::complex<double>());  // 16
  }
}

}  // namespace pleat::arrays
