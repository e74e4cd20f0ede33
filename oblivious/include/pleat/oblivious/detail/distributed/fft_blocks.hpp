// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/line_transforms.hpp>
#include <pleat/oblivious/detail/distributed/own_lines.hpp>
#include <pleat/oblivious/detail/distributed/rank_array.hpp>
#include <pleat/oblivious/detail/distributed/strip_layout.hpp>
#include <pleat/oblivious/detail/distributed/strip_transform.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

// The bodies of fft and fft2 of distributed data.
namespace pleat::detail::distribution {

/// What ranks that meet call it: so that all have the same options.
constexpr const char* fft_name(bool plane, bool inverse, fft_norm norm) noexcept {
  constexpr const char* names[2][2][4] = {
      {{"fft", "fft forward", "fft orthogonal", "fft none"},
       {"inverse fft", "inverse fft forward", "inverse fft orthogonal", "inverse fft none"}},
      {{"fft2", "fft2 forward", "fft2 orthogonal", "fft2 none"},
       {"inverse fft2", "inverse fft2 forward", "inverse fft2 orthogonal", "inverse fft2 none"}}};
  return names[plane ? 1 : 0][inverse ? 1 : 0][static_cast<std::size_t>(norm)];
}

/// Of a matrix of n numbers. Throws: usage_error.
inline std::size_t columns_of(std::size_t n, std::size_t rows) {
  if (rows == 0 ? n != 0 : n % rows != 0)
    throw usage_error("fft2: " + std::to_string(n) + " numbers are no matrix of " +
                      std::to_string(rows) + " rows; choose rows to divide the size");
  return rows == 0 ? 0 : n / rows;
}

/// Calls work(from, to) with the block of this rank and memory for that of the results, which are
/// copied into the block when it returns: so it is to return only if all ranks have succeeded.
template <class T, class Work>
void transform_blocks(machine& on, collective_call& call, distributed<T>& data, const Work& work) {
  rank_array<T> results;
  call.here([&] { results.make(on, data.local().size()); });
  work(static_cast<const T*>(data.local().data()), results.data());
  surely_in_parts(on, data.local().size(), [&](const interval<>& part) {
    std::copy_n(results.data() + part.first, part.size(), data.local().data() + part.first);
  });
}

/// Transforms the `count` lines of blocks over several ranks, by the way that suits them best.
template <class T>
void transform_lines(machine& on, collective_call& call, distributed<std::complex<T>>& data,
                     std::size_t count, const fourier::ends<T>& how) {
  const std::size_t ranks = data.ranks(), n = data.size() / count;
  const bool alone = line_transforms<T>::stays_alone(count, ranks);
  if (alone) {
    if (transform_own_lines(on, call, data.local(), count / ranks, how)) return;
  } else if (count < ranks && n >= least_divided_points && strip_layout<T>::divides(n, ranks)) {
    if (transform_strips(on, call, data.local(), count, n, how)) return;
  }
  transform_blocks(on, call, data, [&](const auto* from, auto* to) {
    line_transforms<T> lines(on, call, how.inverse);
    lines.transform(from, to, count, n, how.scale);
    if (alone) call.only_meet();
  });
}

/// Rows, then columns: as lines of the matrix and of its transpose.
template <class T>
void transform_plane(machine& on, collective_call& call, line_transforms<T>& lines,
                     const std::complex<T>* from, std::complex<T>* to, std::size_t rows,
                     std::size_t columns, double scale) {
  rank_array<std::complex<T>> turned;
  const unit_shares blocks = unit_shares::of_elements(rows * columns);
  call.here([&] { turned.make(on, blocks.of(on.rank(), on.ranks()).size()); });
  lines.transform(from, turned.data(), rows, columns, 1);
  lines.transpose(rows, columns, turned.data(), to);
  lines.transform(to, turned.data(), columns, rows, scale);
  lines.transpose(columns, rows, turned.data(), to);
}

}  // namespace pleat::detail::distribution
