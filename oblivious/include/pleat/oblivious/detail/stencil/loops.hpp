// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/stencil/field.hpp>

namespace pleat::detail::stencils {

/// True if rows of these types can be kept in vectors while the user's kernel, which is written for
/// single cells, computes one row from three in a loop over their cells. Only GCC turns such a loop
/// into one instruction for each operation and keeps the vectors in registers.
#if defined(__GNUC__) && !defined(__clang__)
template <class... T>
inline constexpr bool fit_vectors =
    ((std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) && ...);
#else
template <class... T> inline constexpr bool fit_vectors = false;
#endif

/// Vector of `Count` cells.
template <class C, offset Count> struct vector_of {
  using type [[gnu::vector_size(static_cast<std::size_t>(Count) * sizeof(C))]] = C;
};
template <class C, offset Count> using vector = typename vector_of<C, Count>::type;

}  // namespace pleat::detail::stencils

// AVX-512 includes fused products and sums, which round once where separate instructions round
// twice. GCC can be told not to use them. Clang decides when it parses the kernel, so with clang
// AVX-512 is used only if products and sums may be fused everywhere.
//
// Builds of this project leave out the sets that PLEAT_TARGETS does not name.
#if !defined(__x86_64__) || defined(PLEAT_STENCILS_WITHOUT_AVX3)
#elif defined(__FMA__)
#define PLEAT_ROWS_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw"), gnu::flatten]]
#elif !defined(__clang__)
#define PLEAT_ROWS_AVX512                                                      \
  [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512"), \
    gnu::optimize("fp-contract=off"), gnu::flatten]]
#endif

#if defined(__x86_64__) && !defined(PLEAT_STENCILS_WITHOUT_AVX2)
#define PLEAT_ROWS_AVX2 [[gnu::target("avx2"), gnu::flatten]]
#endif
#if !defined(PLEAT_STENCILS_WITHOUT_baseline) || \
    !(defined(PLEAT_ROWS_AVX512) || defined(PLEAT_ROWS_AVX2))
#define PLEAT_ROWS_BASELINE [[gnu::flatten]]
#endif

namespace pleat::detail::stencils {

/// Instruction sets for the update of cells. With none of them products and sums are fused, unless
/// the compiler may do so everywhere: all give the same values.
enum class instructions { baseline, avx2, avx512 };

/// Lists the sets that this processor has, the best last.
[[nodiscard]] PLEAT_API std::vector<instructions> host_instructions();

/// True if the including file is compiled for AVX-512. Compilers differ, also inside one program.
#if defined(PLEAT_ROWS_AVX512)
constexpr bool compiles_avx512 = true;
#else
constexpr bool compiles_avx512 = false;
#endif

/// Lists the sets that this processor has and the caller is compiled for.
inline std::vector<instructions> all_instructions(bool with_avx512 = compiles_avx512) {
  std::vector<instructions> all = host_instructions();
  if (!with_avx512) std::erase(all, instructions::avx512);
#if !defined(PLEAT_ROWS_AVX2)
  std::erase(all, instructions::avx2);
#endif
#if !defined(PLEAT_ROWS_BASELINE)
  std::erase(all, instructions::baseline);
#endif
  return all;
}

/// Chooses the last of these sets, or the one that PLEAT_KERNELS forces. Requires: not empty.
/// Throws: usage_error if PLEAT_KERNELS names a set that does not exist or is not among these.
[[nodiscard]] PLEAT_API instructions chosen_instructions(std::span<const instructions> compiled);

/// Body::run<Bytes>(args…), compiled for each instruction set, with vectors of `Bytes` bytes.
/// Everything is inlined into it, including the user's kernel.
template <class Body, class... Args> class compiled {
 public:
  using function = void (*)(Args...);

  /// Requires: one of all_instructions().
  [[nodiscard]] static function for_set([[maybe_unused]] instructions set) noexcept {
#if defined(PLEAT_ROWS_AVX512)
    if (set == instructions::avx512) return &with_avx512;
#endif
#if defined(PLEAT_ROWS_AVX2)
    if (set == instructions::avx2) return &with_avx2;
#endif
#if defined(PLEAT_ROWS_BASELINE)
    return &with_baseline;
#else
    return nullptr;
#endif
  }

 private:
#if defined(PLEAT_ROWS_BASELINE)
  PLEAT_ROWS_BASELINE static void with_baseline(Args... args) { Body::template run<16>(args...); }
#endif
#if defined(PLEAT_ROWS_AVX2)
  PLEAT_ROWS_AVX2 static void with_avx2(Args... args) { Body::template run<32>(args...); }
#endif
#if defined(PLEAT_ROWS_AVX512)
  PLEAT_ROWS_AVX512 static void with_avx512(Args... args) { Body::template run<64>(args...); }
#endif
};

#undef PLEAT_ROWS_BASELINE
#undef PLEAT_ROWS_AVX2
#undef PLEAT_ROWS_AVX512

}  // namespace pleat::detail::stencils

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

/// Calls visit(I) for each of `Count` fields; I is a constant.
template <std::size_t Count, class Visit>
[[gnu::always_inline]] inline void for_each_field(const Visit& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (visit(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<Count>{});
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
