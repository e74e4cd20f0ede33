// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>

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

/// The instruction sets rows are compiled for. Not AVX-512: it includes fused products and sums,
/// which compilers then use. Products and sums are never fused, so that all of them give the same
/// values.
enum class instructions { baseline, avx2 };

/// Those this processor has, the best last.
inline std::vector<instructions> all_instructions() {
  std::vector<instructions> all{instructions::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) all.push_back(instructions::avx2);
#endif
  return all;
}

/// Updates cells by the user's kernel. The cells inside rows, that is, nearly all of them, are
/// computed by functions into which everything is inlined, the user's kernel too, compiled for each
/// instruction set.
template <class Kernel, std::size_t D, bool Two, class... T>
class sweeper final : public any_sweeper<D> {
 public:
  static constexpr std::size_t fields = sizeof...(T);
  /// Rows that are updated together, where they lie next to each other.
  static constexpr int together = D == 1 ? 1 : 2;

  sweeper(const Kernel& kernel, const std::tuple<field<T, D>...>& of,
          const std::array<boundary, D>& edges, instructions set)
      : any_sweeper<D>(untyped(of), edges, Two),
        kernel_(kernel),
        fields_(of),
        edges_(edges),
        size_(any_sweeper<D>::size()),
        one_(rows_by<1>(set)),
        several_(rows_by<together>(set)) {}

  void step(const box<D>& cells, unsigned level) const override {
    if constexpr (D == 1) {
      pieces<1>({}, 1, cells.sides[0], level, true);
    } else if constexpr (D == 2) {
      plane({}, cells, level);
    } else {
      for (offset x = cells.sides[0].first; x < cells.sides[0].last; ++x)
        plane({inside(0, x), 0, 0}, cells, level);
    }
  }

 private:
  static std::vector<untyped_field<D>> untyped(const std::tuple<field<T, D>...>& of) {
    return std::apply(
        [](const auto&... f) { return std::vector<untyped_field<D>>{untyped_field<D>(f)...}; }, of);
  }

  using indices = std::index_sequence_for<T...>;
  static constexpr std::size_t last = D - 1;

  /// One row of a field: the cells before and after a step, and where neighbouring rows are.
  template <class C> struct row {
    const C* from;
    C* to;
    std::array<offset, D> from_stride;
    std::array<offset, D> to_stride;
  };
  using rows = std::tuple<row<T>...>;

  rows rows_at(const std::array<offset, D>& x, unsigned level) const {
    const auto one = [&](const auto& f) {
      const auto& from = f.level[level];
      const auto& to = f.level[1 - level];
      row<typename std::remove_cvref_t<decltype(f)>::cell> r{from.data, to.data, {}, {}};
      for (std::size_t i = 0; i < D; ++i) {
        r.from_stride[i] = static_cast<offset>(from.stride[i]);
        r.to_stride[i] = static_cast<offset>(to.stride[i]);
        r.from += x[i] * r.from_stride[i];
        r.to += x[i] * r.to_stride[i];
      }
      return r;
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return rows{one(std::get<I>(fields_))...};
    }
    (indices{});
  }

  [[nodiscard]] bool at_wall(std::size_t i, offset x) const noexcept {
    return edges_[i] != boundary::fixed && (x == 0 || x == size_[i] - 1);
  }
  [[nodiscard]] offset inside(std::size_t i, offset x) const noexcept {
    return x < 0 ? x + size_[i] : x >= size_[i] ? x - size_[i] : x;
  }

  /// The rows of a plane; `x` has the dimensions before.
  void plane(std::array<offset, D> x, const box<D>& cells, unsigned level) const {
    constexpr std::size_t i = D - 2;
    const bool wall = D == 3 && at_wall(0, x[0]);
    const offset walls = edges_[i] == boundary::fixed ? 0 : 1;  // at the upper end
    const offset end = cells.sides[i].last;
    for (offset y = cells.sides[i].first, count = 1; y < end; y += count) {
      x[i] = inside(i, y);
      count = 1;
      if (wall || at_wall(i, x[i])) {
        pieces<1>(x, 1, cells.sides[last], level, false);
        continue;
      }
      count = std::min(end - y, size_[i] - walls - x[i]);
      if (count >= together) {
        count -= count % together;
        pieces<together>(x, count / together, cells.sides[last], level, true);
      } else {
        pieces<1>(x, count, cells.sides[last], level, true);
      }
    }
  }

  /// `groups` of `Rows` rows, which may go round a periodic grid: piece by piece.
  template <int Rows>
  void pieces(const std::array<offset, D>& x, offset groups, range cells, unsigned level,
              bool regular) const {
    const offset n = size_[last];
    while (!cells.empty()) {
      const offset low = cells.first;
      const offset round = low < 0 ? n : low >= n ? -n : 0;
      cells.first = std::min(cells.last, low < 0 ? 0 : low >= n ? 2 * n : n);
      piece<Rows>(x, groups, low + round, cells.first + round, level, regular);
    }
  }

  template <int Rows>
  void piece(const std::array<offset, D>& x, offset groups, offset low, offset high, unsigned level,
             bool regular) const {
    const rows r = rows_at(x, level);
    offset first = low, end = high;
    if (edges_[last] != boundary::fixed) {
      if (low == 0) {
        for (offset i = 0; i < Rows * groups; ++i) end_cell(x, i, 0, level);
        first = 1;
      }
      if (high == size_[last] && high - 1 >= first) {
        end = high - 1;
        for (offset i = 0; i < Rows * groups; ++i) end_cell(x, i, end, level);
      }
    }
    if (first >= end) return;
    if (regular)
      (Rows == 1 ? one_ : several_)(*this, r, groups, first, end);
    else
      wall_cells(r, ways(x, r), first, end);
  }

  // ---------------------------------------------------------------- cells

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
  using rows_function = void (*)(const sweeper&, rows, offset, offset, offset);
  template <int Rows>
  [[gnu::flatten]] static void rows_baseline(const sweeper& with, rows r, offset groups,
                                             offset first, offset end) {
    with.inner_rows<Rows>(r, groups, first, end);
  }
#if defined(__x86_64__)
  template <int Rows>
  [[gnu::target("avx2"), gnu::flatten]] static void rows_avx2(const sweeper& with, rows r,
                                                              offset groups, offset first,
                                                              offset end) {
    with.inner_rows<Rows>(r, groups, first, end);
  }
#endif
  template <int Rows> static rows_function rows_by([[maybe_unused]] instructions set) noexcept {
#if defined(__x86_64__)
    if (set == instructions::avx2) return &sweeper::template rows_avx2<Rows>;
#endif
    return &sweeper::template rows_baseline<Rows>;
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
  decltype(auto) wall_value(const rows& r, const std::array<std::array<neighbours, D>, fields>& to,
                            offset j) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
      return kernel_(
          wall_cell<T, D, Two, End>{std::get<I>(r).from + j, std::get<I>(r).to + j, to[I]}...);
    }
    (indices{});
  }
  void wall_cells(const rows& r, const std::array<std::array<neighbours, D>, fields>& to,
                  offset first, offset end) const {
    for (offset j = first; j < end; ++j) store<0>(r, j, wall_value<false>(r, to, j));
  }
  /// The first or last cell of a row `below` rows further.
  void end_cell(std::array<offset, D> x, offset below, offset j, unsigned level) const {
    if constexpr (D > 1) x[D - 2] += below;
    x[last] = j;
    const rows r = rows_at(x, level);
    store<0>(r, 0, wall_value<true>(r, ways(x, r), 0));
  }

  /// Where the neighbours of cell x are, in every field.
  std::array<std::array<neighbours, D>, fields> ways(const std::array<offset, D>& x,
                                                     const rows& r) const {
    const auto one = [&](const auto& of) {
      std::array<neighbours, D> to;
      for (std::size_t i = 0; i < D; ++i) {
        const offset s = of.from_stride[i];
        const offset round =
            edges_[i] == boundary::periodic ? (size_[i] - 1) * s : 0;  // reflecting: stays
        to[i] = {x[i] > 0 ? -s : round, 0, x[i] < size_[i] - 1 ? s : -round};
      }
      return to;
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<std::array<neighbours, D>, fields>{one(std::get<I>(r))...};
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
  std::tuple<field<T, D>...> fields_;
  std::array<boundary, D> edges_;
  std::array<offset, D> size_;
  rows_function one_, several_;
};

#undef PLEAT_INDEPENDENT
#undef PLEAT_INLINE_CALL

}  // namespace pleat::detail::stencils

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
