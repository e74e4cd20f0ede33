// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>

namespace pleat::detail::fourier {
namespace {

template <class T> void stream_row(const T* from, std::size_t count, T* to) {
  constexpr std::size_t line = 64 / sizeof(T);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % line;
  const std::size_t head = std::min(past == 0 ? 0 : line - past, count);
  const std::size_t body = head + (count - head) / line * line;
  std::size_t i = 0;
  for (; i < head; ++i) to[i] = from[i];
  copy_past_caches(from + head, (body - head) * sizeof(T), to + head);
  for (i = body; i < count; ++i) to[i] = from[i];
}

}  // namespace

template <class T>
void copy_rows(const column_block<const T>& from, std::size_t rows, bool stream,
               const column_block<T>& to) {
  const std::size_t count = 2 * from.count;
  for (std::size_t i = 0; i < rows; ++i) {
    const T* const row = from.data + 2 * i * from.stride;
    T* const there = to.data + 2 * i * to.stride;
    if (stream)
      stream_row(row, count, there);
    else
      std::copy(row, row + count, there);
  }
}

template void copy_rows(const column_block<const float>&, std::size_t, bool,
                        const column_block<float>&);
template void copy_rows(const column_block<const double>&, std::size_t, bool,
                        const column_block<double>&);

}  // namespace pleat::detail::fourier
