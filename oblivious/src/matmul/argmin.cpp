// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/matmul/block.hpp>

#include "vector_targets.hpp"

#define PLEAT_ARGMIN_KERNELS_OF(suffix, T)                                        \
  PLEAT_KERNEL(void, argmin_packed, suffix,                                       \
               (const product<T>& block, index_of<T>* index, std::size_t leading, \
                std::size_t first, std::byte* work),                              \
               (block, index, leading, first, work), T)                           \
  PLEAT_KERNEL(std::size_t, argmin_packed_bytes, suffix,                          \
               (std::size_t m, std::size_t n, std::size_t k), (m, n, k), T)
#define PLEAT_ARGMIN_KERNELS                  \
  PLEAT_ARGMIN_KERNELS_OF(f32, float)         \
  PLEAT_ARGMIN_KERNELS_OF(f64, double)        \
  PLEAT_ARGMIN_KERNELS_OF(i32, std::int32_t)  \
  PLEAT_ARGMIN_KERNELS_OF(i64, std::int64_t)  \
  PLEAT_ARGMIN_KERNELS_OF(u32, std::uint32_t) \
  PLEAT_ARGMIN_KERNELS_OF(u64, std::uint64_t)

#ifdef PLEAT_TARGET
#include "matmul/blocking.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

/// Tiles of a vector's width: every sum costs a comparison and two selections.
template <class T> struct argmin_tile : number_tile<min_plus_arithmetic<T>, T> {
  static constexpr std::size_t rows = many_registers ? 8 : 4;
  static constexpr std::size_t vectors = 1;
};

template <class V, std::size_t M, std::size_t... I>
HWY_INLINE void fill_all(V (&vectors)[M], V value, std::index_sequence<I...> /*vectors*/) {
  ((vectors[I] = value), ...);
}
template <class V, class W, std::size_t M, class T, std::size_t... I>
HWY_INLINE void argmin_step(V (&least)[M], W (&where)[M], V b, W k, const T* a,
                            std::index_sequence<I...> /*rows*/) {
  const hn::DFromV<V> d;
  const hn::DFromV<W> di;
  const V sums[M] = {hn::Add(hn::Set(d, a[I]), b)...};
  ((where[I] = hn::IfThenElse(hn::RebindMask(di, hn::Lt(sums[I], least[I])), k, where[I])), ...);
  ((least[I] = hn::Min(sums[I], least[I])), ...);
}
/// Copies the tile to memory, sums of no path as such.
template <class V, class W, std::size_t M, class T, std::size_t... I>
HWY_INLINE void argmin_store(const V (&least)[M], const W (&where)[M], T* values,
                             index_of<T>* indices_, std::index_sequence<I...> /*rows*/) {
  const hn::DFromV<V> d;
  const hn::DFromV<W> di;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  using P = min_plus_arithmetic<T>;
  const V none = hn::Set(d, P::zero);
  const V finished[M] = {P::finish(least[I])...};
  const W kept[M] = {hn::IfThenElse(hn::RebindMask(di, hn::Lt(finished[I], none)), where[I],
                                    hn::Set(di, index_of<T>{-1}))...};
  (hn::StoreU(finished[I], d, values + I * lanes), ...);
  (hn::StoreU(kept[I], di, indices_ + I * lanes), ...);
}

template <class T>
void argmin_compute(std::size_t depth, const T* a, const T* b, std::size_t first, T* values,
                    index_of<T>* indices_) {
  constexpr std::size_t rows = argmin_tile<T>::rows;
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<index_of<T>> di;
  using V = hn::Vec<decltype(d)>;
  using W = hn::Vec<decltype(di)>;
  using P = min_plus_arithmetic<T>;
  V least[rows];
  W where[rows];
  fill_all(least, hn::Set(d, P::zero), indices<rows>());
  fill_all(where, hn::Set(di, index_of<T>{-1}), indices<rows>());
  W k = hn::Set(di, static_cast<index_of<T>>(first));
  const W one = hn::Set(di, index_of<T>{1});
  for (std::size_t p = 0; p < depth; ++p) {
    argmin_step(least, where, hn::LoadU(d, b), k, a, indices<rows>());
    k = hn::Add(k, one);
    a += rows;
    b += hn::MaxLanes(d);
  }
  argmin_store(least, where, values, indices_, indices<rows>());
}

template <class T>
void argmin_packed_of(const product<T>& whole, index_of<T>* index, std::size_t index_leading,
                      std::size_t first, std::byte* work) {
  using tile = argmin_tile<T>;
  constexpr std::size_t width = block_sizes<tile>::width;
  const auto compute_tile_at = [&](std::size_t i, const packed_part<tile>& part, const T* a) {
    alignas(64) T values[tile::rows * width];
    alignas(64) index_of<T> places[tile::rows * width];
    argmin_compute(part.depth, a, part.b, first + part.first, values, places);
    const bool accumulate = whole.accumulate || part.first != 0;
    constexpr T zero = min_plus_arithmetic<T>::zero;
    for (std::size_t r = 0; r < std::min(tile::rows, part.row + part.rows - i); ++r) {
      T* const c = whole.c + (i + r) * whole.leading + part.column;
      index_of<T>* const at = index + (i + r) * index_leading + part.column;
      for (std::size_t q = 0; q < part.columns; ++q) {
        // Integers beyond the zero, which means no path, mean the same.
        if (!accumulate || values[r * width + q] < std::min(c[q], zero)) {
          c[q] = values[r * width + q];
          at[q] = places[r * width + q];
        }
      }
    }
  };
  for_each_part<tile>(whole, work, [&](const packed_part<tile>& part) {
    for (std::size_t r = 0; r < part.rows; r += tile::rows)
      compute_tile_at(part.row + r, part, part.a + r * part.depth);
  });
}

template <class T> std::size_t argmin_packed_bytes_of(std::size_t m, std::size_t n, std::size_t k) {
  return block_sizes<argmin_tile<T>>::most_bytes(m, n, k);
}

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::matmul, PLEAT_ARGMIN_KERNELS)
