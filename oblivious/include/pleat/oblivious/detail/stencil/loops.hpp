// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/stencil/box.hpp>

// Loops over cells for the compiler to vectorise. Their iterations are independent of each other.
// GCC vectorises such a loop at -O2 only if it also knows the number of iterations.
#if defined(__clang__)
#define PLEAT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define PLEAT_NOT_UNROLLED
#elif defined(__GNUC__)
#define PLEAT_INDEPENDENT _Pragma("GCC ivdep")
#define PLEAT_NOT_UNROLLED _Pragma("GCC unroll 1")
#else
#define PLEAT_INDEPENDENT
#define PLEAT_NOT_UNROLLED
#endif

// Below -O2 clang does not vectorise, as expected; the warning is not needed.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace pleat::detail::stencils {

/// Calls update(c) for the cells c of a vector. GCC makes one instruction of each operation, if it
/// does not unroll the loop first.
template <offset Count, class Update>
[[gnu::always_inline]] inline void each_lane(const Update& update) {
  PLEAT_INDEPENDENT
  PLEAT_NOT_UNROLLED
  for (offset c = 0; c < Count; ++c) update(c);
}

/// Calls update(j) for `Count` cells from `first` on.
template <offset Count, class Update>
[[gnu::always_inline]] inline void each_cell(offset first, const Update& update) {
  PLEAT_INDEPENDENT
  for (offset i = 0; i < Count; ++i) update(first + i);
}

/// Number of iterations of the innermost loops of a row: some vectors of any instruction set.
template <int Bytes, class... T>
inline constexpr offset row_block = std::max<offset>(Bytes / std::max({sizeof(T)...}), 1);

/// Calls update(j) for all j from `first` on in whole blocks. Returns the first j without a call.
template <int Bytes, class... T, class Update>
[[gnu::always_inline]] inline offset whole_blocks(offset first, offset end, const Update& update) {
  constexpr offset size = row_block<Bytes, T...>;
  offset j = first;
  for (; j + size <= end; j += size) stencils::each_cell<size>(j, update);
  return j;
}

/// Calls update(j) for all j from first to end. With `Twice` some cells are updated twice, so that
/// vectors are full, and aligned when written to `row`.
template <bool Twice, class... T, class C, class Update>
[[gnu::always_inline]] inline void each_in_blocks(offset first, offset end,
                                                  [[maybe_unused]] const C* row,
                                                  const Update& update) {
#if defined(__clang__)
  PLEAT_INDEPENDENT
  for (offset j = first; j < end; ++j) update(j);
#else
  constexpr offset size = row_block<128, T...>;
  constexpr std::size_t line = 64;
  offset j = first;
  if (Twice && end - first >= 2 * size && line % sizeof(C) == 0) {
    each_cell<size>(first, update);
    const auto past = reinterpret_cast<std::uintptr_t>(row + first) % line;
    j += static_cast<offset>((line - past) % line / sizeof(C));
  }
  j = whole_blocks<1024, T...>(j, end, update);
  j = whole_blocks<128, T...>(j, end, update);
  if (j == end) return;
  if (Twice && end - first >= size) return each_cell<size>(end - size, update);
  for (; j < end; ++j) update(j);
#endif
}

#undef PLEAT_INDEPENDENT
#undef PLEAT_NOT_UNROLLED

}  // namespace pleat::detail::stencils

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
