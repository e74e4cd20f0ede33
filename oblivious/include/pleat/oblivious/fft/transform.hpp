// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/oblivious/fft/kernels.hpp>
#include <pleat/oblivious/fft/plan.hpp>

namespace pleat::detail::fourier {

/// Numbers are kept in multiples of this many bytes: no two VPs write one pair of lines.
inline constexpr std::size_t line_bytes = 128;
template <class T> constexpr std::size_t whole_lines(std::size_t numbers) noexcept {
  constexpr std::size_t line = line_bytes / sizeof(T);
  return (numbers + line - 1) / line * line;
}

/// So many complex numbers are written past the caches: none holds them.
template <class T> constexpr bool is_streamed(std::size_t points) noexcept {
  return 2 * points * sizeof(T) >= std::size_t{1} << 24;
}

struct group_range {
  std::size_t first, last;  // [first, last)
  [[nodiscard]] constexpr std::size_t size() const noexcept { return last - first; }
};
/// Share q of w of `count` things, sizes differing by one at most.
constexpr group_range share_of(std::size_t count, std::size_t q, std::size_t w) noexcept {
  return {count * q / w, count * (q + 1) / w};
}

/// The matrix of a plan cut into groups of as many columns, and of rows, as a vector has lanes, for
/// w VPs. The first pass leaves tiles in the VPs' slabs, by groups of rows, so that what one VP
/// needs of another's slab is contiguous; all slabs together are the matrix.
template <class T> struct tiling {
  const transform_plan<T>& plan;
  std::size_t vps;

  [[nodiscard]] std::size_t column_groups() const noexcept {
    return (plan.width() + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t row_groups() const noexcept {
    return (plan.rows + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t tile() const noexcept { return 2 * plan.lanes * plan.lanes; }
  /// All slabs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return whole_lines<T>(column_groups() * row_groups() * tile());
  }
  [[nodiscard]] group_range columns_of(std::size_t q) const noexcept {
    return share_of(column_groups(), q, vps);
  }
  [[nodiscard]] group_range rows_of(std::size_t q) const noexcept {
    return share_of(row_groups(), q, vps);
  }
  /// In the memory of all slabs: where that of VP q begins, and in it what VP r reads.
  [[nodiscard]] std::size_t slab(std::size_t q) const noexcept {
    return columns_of(q).first * row_groups() * tile();
  }
  [[nodiscard]] std::size_t chunk(std::size_t q, std::size_t r) const noexcept {
    return slab(q) + rows_of(r).first * columns_of(q).size() * tile();
  }
  [[nodiscard]] std::size_t chunk_numbers(std::size_t q, std::size_t r) const noexcept {
    return rows_of(r).size() * columns_of(q).size() * tile();
  }
};

/// What a VP needs besides the slabs: rows of vectors, and a pointer for each group of columns.
template <class T> std::size_t pass_numbers(const transform_plan<T>& plan) noexcept {
  const std::size_t rows =
      plan.method == method::direct ? plan.rows : std::max(plan.rows, plan.width());
  const std::size_t pointers = plan.width() * sizeof(T*) / sizeof(T);
  return whole_lines<T>(work_numbers<T>(rows, plan.lanes)) + whole_lines<T>(pointers);
}

/// What one VP does in the two passes of a matrix; between them, a superstep.
template <class T> class matrix_passes {
 public:
  matrix_passes(const tiling<T>& tiles, std::size_t index, T* slabs, T* memory) noexcept
      : tiles_(tiles),
        index_(index),
        slabs_(slabs),
        work_(memory),
        groups_(reinterpret_cast<const T**>(
            memory + whole_lines<T>(work_numbers<T>(std::max(tiles.plan.rows, tiles.plan.width()),
                                                    tiles.plan.lanes)))) {}

  void first(const T* from, ends<T> how) noexcept {
    const transform_plan<T>& plan = tiles_.plan;
    const group_range mine = tiles_.columns_of(index_);
    const std::size_t step = mine.size() * tiles_.tile();
    T* const slab = slabs_ + tiles_.slab(index_);
    for (std::size_t g = mine.first; g < mine.last; ++g) {
      const std::size_t c = g * plan.lanes;
      const std::size_t count = std::min(plan.lanes, plan.width() - c);
      first_pass<T>(plan, {from + 2 * c, plan.width(), count}, c, how, work_,
                    slab + (g - mine.first) * tiles_.tile(), step);
    }
    if (how.stream) finish_streams();
  }

  /// What VP r reads of my slab.
  [[nodiscard]] std::span<const T> chunk_for(std::size_t r) const noexcept {
    return {slabs_ + tiles_.chunk(index_, r), tiles_.chunk_numbers(index_, r)};
  }
  /// What VP q has for me. Its groups of columns, for the first of my groups of rows.
  void take_chunk(std::size_t q, const T* chunk) noexcept {
    const group_range columns = tiles_.columns_of(q);
    for (std::size_t g = columns.first; g < columns.last; ++g)
      groups_[g] = chunk + (g - columns.first) * tiles_.tile();
  }

  void second(T* to, ends<T> how) noexcept {
    const transform_plan<T>& plan = tiles_.plan;
    const group_range mine = tiles_.rows_of(index_);
    const std::size_t vector_bytes = plan.lanes * sizeof(T);
    how.stream = how.stream && plan.rows % plan.lanes == 0 &&
                 reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0;
    for (std::size_t g = mine.first; g < mine.last; ++g) {
      const std::size_t k = g * plan.lanes;
      const std::size_t count = std::min(plan.lanes, plan.rows - k);
      second_pass<T>(plan.across, groups_, how, work_, {to + 2 * k, plan.rows, count});
      for (std::size_t q = 0; q < tiles_.vps; ++q) {
        const group_range columns = tiles_.columns_of(q);
        for (std::size_t i = columns.first; i < columns.last; ++i)
          groups_[i] += columns.size() * tiles_.tile();
      }
    }
    if (how.stream) finish_streams();
  }

 private:
  tiling<T> tiles_;
  std::size_t index_;
  T* slabs_;
  T* work_;
  const T** groups_;
};

/// Numbers of memory, aligned to a line, for a transform by one VP.
template <class T> std::size_t alone_numbers(const transform_plan<T>& plan) noexcept {
  if (plan.method == method::chirp)
    return whole_lines<T>(2 * plan.inner->size) + alone_numbers(*plan.inner);
  const std::size_t slabs = plan.method == method::matrix ? tiling<T>{plan, 1}.numbers() : 0;
  return slabs + pass_numbers(plan);
}

/// x[j] · chirp, then zeros, of the convolution: share q of w.
template <class T>
void spread_chirp(const transform_plan<T>& plan, const T* from, bool inverse, T* to, std::size_t q,
                  std::size_t w) noexcept {
  const group_range mine = share_of(plan.inner->size, q, w);
  for (std::size_t j = mine.first; j < mine.last; ++j) {
    const bool holds = j < plan.size;
    const T re = holds ? from[2 * j + (inverse ? 1 : 0)] : 0;
    const T im = holds ? from[2 * j + (inverse ? 0 : 1)] : 0;
    const T c = holds ? plan.chirp[2 * j] : 0;
    const T s = holds ? plan.chirp[2 * j + 1] : 0;
    to[2 * j] = re * c - im * s;
    to[2 * j + 1] = re * s + im * c;
  }
}
/// Times the response.
template <class T>
void respond(const transform_plan<T>& plan, T* x, std::size_t q, std::size_t w) noexcept {
  const group_range mine = share_of(plan.inner->size, q, w);
  for (std::size_t j = mine.first; j < mine.last; ++j) {
    const T re = x[2 * j] * plan.response[2 * j] - x[2 * j + 1] * plan.response[2 * j + 1];
    x[2 * j + 1] = x[2 * j] * plan.response[2 * j + 1] + x[2 * j + 1] * plan.response[2 * j];
    x[2 * j] = re;
  }
}
/// What was convolved, times the chirp again.
template <class T>
void collect_chirp(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* to,
                   std::size_t q, std::size_t w) noexcept {
  const group_range mine = share_of(plan.size, q, w);
  for (std::size_t k = mine.first; k < mine.last; ++k) {
    const T c = plan.chirp[2 * k];
    const T s = plan.chirp[2 * k + 1];
    const T re = (from[2 * k] * c - from[2 * k + 1] * s) * how.scale;
    const T im = (from[2 * k] * s + from[2 * k + 1] * c) * how.scale;
    to[2 * k] = how.inverse ? im : re;
    to[2 * k + 1] = how.inverse ? re : im;
  }
}

/// The transform of `plan.size` points by one VP; how.stream is for the results, intermediate ones
/// are streamed if no cache holds them. Requires: `memory` of alone_numbers, aligned to a
/// line; `from` may be `to`.
template <class T>
void transform_alone(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* memory,
                     T* to) noexcept {
  switch (plan.method) {
    case method::direct:
      transform_direct<T>(plan, from, {how.inverse, how.scale, false}, memory, to);
      return;
    case method::matrix: {
      const tiling<T> tiles{plan, 1};
      matrix_passes<T> passes(tiles, 0, memory, memory + tiles.numbers());
      passes.first(from, {how.inverse, 1, how.stream && is_streamed<T>(plan.size)});
      passes.take_chunk(0, passes.chunk_for(0).data());
      passes.second(to, how);
      return;
    }
    case method::chirp: {
      T* const x = memory;
      T* const rest = memory + whole_lines<T>(2 * plan.inner->size);
      spread_chirp(plan, from, how.inverse, x, 0, 1);
      transform_alone<T>(*plan.inner, x, {}, rest, x);
      respond(plan, x, 0, 1);
      transform_alone<T>(*plan.inner, x, {.inverse = true}, rest, x);
      collect_chirp(plan, x, how, to, 0, 1);
      return;
    }
  }
}

}  // namespace pleat::detail::fourier
