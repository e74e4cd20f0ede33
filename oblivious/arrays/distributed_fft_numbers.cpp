// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <span>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>

#include "distributed_numbers.hpp"

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

}  // namespace pleat::arrays
