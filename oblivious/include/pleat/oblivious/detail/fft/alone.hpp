// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>

// The transform of plan.size contiguous points by one VP, without supersteps.
namespace pleat::detail::fourier {

/// Numbers of memory, aligned to a line, that it needs.
template <class T> std::size_t alone_numbers(const transform_plan<T>& plan) noexcept {
  switch (plan.method) {
    case method::direct:
      return fourier::whole_lines<T>(
          fourier::work_numbers<T>(plan.columns.work_rows(), plan.lanes));
    case method::matrix:
      return matrix_passes<T>::numbers({plan, 1});
    case method::chirp:
      break;
  }
  return chirp_passes<T>::numbers({*plan.inner, 1});
}

/// how.stream is for the results, intermediate ones are streamed if no cache holds them. Requires:
/// `memory` of alone_numbers, aligned to a line; `from` may be `to`.
template <class T>
void transform_alone(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* memory,
                     T* to) noexcept {
  switch (plan.method) {
    case method::direct:
      fourier::transform_direct<T>(plan, from, {how.inverse, how.scale, false}, memory, to);
      return;
    case method::matrix: {
      const tiling<T> tiles{plan, 1};
      matrix_passes<T> passes(tiles, 0, matrix_passes<T>::memory_of(tiles, 0, memory));
      passes.first(fourier::strip_of_matrix(from, tiles.taken_by(0)),
                   {how.inverse, 1, how.stream && fourier::is_streamed<T>(plan.size)});
      passes.slabs().take_own();
      passes.second(fourier::strip_of_matrix(to, tiles.left_by(0)), how);
      return;
    }
    case method::chirp: {
      const tiling<T> tiles{*plan.inner, 1};
      chirp_passes<T> passes(plan, tiles, 0, chirp_passes<T>::memory_of(plan, tiles, 0, memory));
      passes.first(fourier::strip_of_matrix(from, tiles.taken_by(0)), how.inverse);
      passes.take_own();
      passes.middle();
      passes.last(fourier::strip_of_matrix(to, tiles.taken_by(0)), how);
      return;
    }
  }
}

/// Transforms as above, with memory taken meanwhile. Throws: std::bad_alloc.
template <class T>
void transform_alone(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* to) {
  const std::size_t numbers = fourier::alone_numbers(plan);
  constexpr std::size_t few = 1024;
  if (numbers <= few) {
    alignas(line_bytes) std::array<T, few> memory;
    fourier::transform_alone(plan, from, how, memory.data(), to);
    return;
  }
  std::vector<T> memory(numbers + line_bytes / sizeof(T));
  void* aligned = memory.data();
  std::size_t room = memory.size() * sizeof(T);
  std::align(line_bytes, numbers * sizeof(T), aligned, room);
  fourier::transform_alone(plan, from, how, static_cast<T*>(aligned), to);
}

}  // namespace pleat::detail::fourier
