// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/detail/stencil/instructions.hpp>

// The next loop has no dependences between its iterations. GCC vectorises such a loop at -O2 only
// if it also knows how many iterations there are: see `row_block`.
#if defined(__clang__)
#define PLEAT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PLEAT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PLEAT_INDEPENDENT
#endif
#if defined(__clang__) && __has_cpp_attribute(clang::always_inline)
#define PLEAT_INLINE_CALL [[clang::always_inline]]
#else
#define PLEAT_INLINE_CALL
#endif

// Below -O2 clang does as it is told and does not vectorise; it need not say so.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace pleat::detail::stencils {

/// The iterations of the innermost loops of a row: some vectors, whatever the instruction set.
template <int Bytes, class... T>
inline constexpr offset row_block = std::max<offset>(Bytes / std::max({sizeof(T)...}), 1);

/// Where the neighbours of a cell are, in every field and dimension.
template <std::size_t D, std::size_t Fields>
using neighbours_of_cell = std::array<std::array<neighbours, D>, Fields>;

/// Updates rows of cells by the user's kernel. The cells inside rows, that is, nearly all of them,
/// are computed by functions into which everything is inlined, the user's kernel too, compiled for
/// each instruction set.
template <class Kernel, std::size_t D, bool Two, class... T> class row_update {
 public:
  static constexpr std::size_t fields = sizeof...(T);
  /// Rows that are updated together, where they lie next to each other.
  static constexpr int together = D == 1 ? 1 : 2;

  /// One row of a field: the cells before and after a step, and where neighbouring rows are.
  template <class C> struct row {
    const C* from;
    C* to;
    std::array<offset, D> from_stride;
    std::array<offset, D> to_stride;
  };
  using rows = std::tuple<row<T>...>;

  row_update(const Kernel& kernel, instructions set)
      : kernel_(kernel), one_(rows_by<1>(set)), several_(rows_by<together>(set)) {}

  /// The cells [first, end) of `groups` of Rows rows, 1 or `together`, that lie next to each other.
  /// Their neighbours lie where strides say.
  template <int Rows> void update(const rows& r, offset groups, offset first, offset end) const {
    (Rows == 1 ? one_ : several_)(*this, r, groups, first, end);
  }
  /// The cells [first, end) of a row, whose neighbours lie elsewhere; with `End` also those in the
  /// row itself.
  template <bool End>
  void update_at_wall(const rows& r, const neighbours_of_cell<D, fields>& to, offset first,
                      offset end) const {
    for (offset j = first; j < end; ++j) store<0>(r, j, wall_value<End>(r, to, j));
  }

 private:
  using indices = std::index_sequence_for<T...>;

  template <int Row>
  [[gnu::always_inline]] decltype(auto) inner_value(const rows& r, offset j) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline))
        ->decltype(auto) {
      PLEAT_INLINE_CALL return kernel_(inner_cell<T, D, Two, Row>{
          std::get<I>(r).from + j, own<Row>(std::get<I>(r)) + j, std::get<I>(r).from_stride}...);
    }
    (indices{});
  }
  template <int Row, class C> [[gnu::always_inline]] static C* own(const row<C>& r) {
    if constexpr (Row == 0)
      return r.to;
    else
      return r.to + Row * r.to_stride[D - 2];
  }
  template <int Row, class Value>
  [[gnu::always_inline]] static void store(const rows& r, offset j, const Value& value) {
    if constexpr (fields == 1) {
      auto& only = std::get<0>(r);
      own<Row>(only)[j] = static_cast<std::tuple_element_t<0, std::tuple<T...>>>(value);
    } else {
      static_assert(std::tuple_size_v<Value> == fields,
                    "pleat::stencil: a kernel of several fields returns a tuple of their values");
      [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
        ((own<Row>(std::get<I>(r))[j] = static_cast<T>(std::get<I>(value))), ...);
      }
      (indices{});
    }
  }
  template <int Rows> [[gnu::always_inline]] void inner_update(const rows& r, offset j) const {
    // All values before the first is stored: what they have in common is loaded once.
    [&]<int... Row>(std::integer_sequence<int, Row...>) __attribute__((always_inline)) {
      const std::tuple<std::remove_cvref_t<decltype(inner_value<Row>(r, j))>...> values{
          inner_value<Row>(r, j)...};
      (store<Row>(r, j, std::get<static_cast<std::size_t>(Row)>(values)), ...);
    }
    (std::make_integer_sequence<int, Rows>{});
  }
  // The cells [first, end) of groups of Rows rows, compiled for an instruction set.
  using rows_function = void (*)(const row_update&, rows, offset, offset, offset);
  template <int Rows>
  [[gnu::flatten]] static void rows_baseline(const row_update& with, rows r, offset groups,
                                             offset first, offset end) {
    with.inner_rows<Rows>(r, groups, first, end);
  }
#if defined(__x86_64__)
  template <int Rows>
  [[gnu::target("avx2"), gnu::flatten]] static void rows_avx2(const row_update& with, rows r,
                                                              offset groups, offset first,
                                                              offset end) {
    with.inner_rows<Rows>(r, groups, first, end);
  }
#endif
  template <int Rows> static rows_function rows_by([[maybe_unused]] instructions set) noexcept {
#if defined(__x86_64__)
    if (set == instructions::avx2) return &row_update::template rows_avx2<Rows>;
#endif
    return &row_update::template rows_baseline<Rows>;
  }

  template <int Rows>
  [[gnu::always_inline]] void inner_rows(rows& r, offset groups, offset first, offset end) const {
    for (offset group = 0; group < groups; ++group) {
      inner_cells<Rows>(r, first, end);
      if constexpr (D > 1)
        std::apply(
            [](auto&... one) __attribute__((always_inline)) { (below<Rows>(one), ...); }, r);
    }
  }
  template <int Rows, class C> [[gnu::always_inline]] static void below(row<C>& r) {
    r.from += Rows * r.from_stride[D - 2];
    r.to += Rows * r.to_stride[D - 2];
  }
  template <int Rows>
  [[gnu::always_inline]] void inner_cells(const rows& r, offset first, offset end) const {
    blocks(
        first, end, std::get<0>(r).to, [&](offset j) __attribute__((always_inline)) {
          inner_update<Rows>(r, j);
        });
  }

  template <bool End>
  decltype(auto) wall_value(const rows& r, const neighbours_of_cell<D, fields>& to,
                            offset j) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
      return kernel_(
          wall_cell<T, D, Two, End>{std::get<I>(r).from + j, std::get<I>(r).to + j, to[I]}...);
    }
    (indices{});
  }

  /// update(j) for all j from first to end, in loops the compiler turns into vectors. Some cells
  /// are computed twice, so that vectors are full and those written to `row` aligned.
  template <class C, class Update>
  [[gnu::always_inline]] static void blocks(offset first, offset end, [[maybe_unused]] const C* row,
                                            const Update& update) {
#if defined(__clang__)
    PLEAT_INDEPENDENT
    for (offset j = first; j < end; ++j) update(j);
#else
    constexpr offset size = row_block<128, T...>;
    constexpr std::size_t line = 64;
    offset j = first;
    if (!Two && end - first >= 2 * size && line % sizeof(C) == 0) {
      static_cast<void>(whole_blocks<128>(first, first + size, update));
      const auto past = reinterpret_cast<std::uintptr_t>(row + first) % line;
      j += static_cast<offset>((line - past) % line / sizeof(C));
    }
    j = whole_blocks<1024>(j, end, update);
    j = whole_blocks<128>(j, end, update);
    if (j == end) return;
    if (!Two && end - first >= size) {
      static_cast<void>(whole_blocks<128>(end - size, end, update));
      return;
    }
    for (; j < end; ++j) update(j);
#endif
  }
  /// Returns where it stopped.
  template <int Bytes, class Update>
  [[gnu::always_inline]] static offset whole_blocks(offset j, offset end, const Update& update) {
    constexpr offset size = row_block<Bytes, T...>;
    for (; j + size <= end; j += size) {
      PLEAT_INDEPENDENT
      for (offset i = 0; i < size; ++i) update(j + i);
    }
    return j;
  }

  const Kernel& kernel_;
  rows_function one_, several_;
};

#undef PLEAT_INDEPENDENT
#undef PLEAT_INLINE_CALL

}  // namespace pleat::detail::stencils

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
