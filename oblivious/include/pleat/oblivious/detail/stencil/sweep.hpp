// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>
#include <pleat/oblivious/detail/stencil/rows.hpp>

namespace pleat::detail::stencils {

/// Steps of boxes of cells: finds the rows, and where a cell at a wall has its neighbours.
template <class Kernel, std::size_t D, bool Two, class... T>
class sweeper final : public any_sweeper<D> {
 public:
  sweeper(const Kernel& kernel, const std::tuple<field<T, D>...>& of,
          const std::array<boundary, D>& edges, instructions set)
      : any_sweeper<D>(untyped(of), edges, Two),
        update_(kernel, set),
        fields_(of),
        edges_(edges),
        size_(any_sweeper<D>::size()) {}

  void sweep(const zoid<D>& tile, const part_of_zoid<D>& part,
             unsigned first_level) const override {
    for (offset k = part.first; k < part.last; ++k) {
      const box<D> cells = section(tile, part, k);
      if (!cells.empty()) step(cells, (first_level + static_cast<unsigned>(k)) % 2);
    }
  }

 private:
  using row_updates = row_update<Kernel, D, Two, T...>;
  using rows = typename row_updates::rows;
  using indices = std::index_sequence_for<T...>;
  static constexpr int together = row_updates::together;
  static constexpr std::size_t last = D - 1;

  static std::vector<untyped_field<D>> untyped(const std::tuple<field<T, D>...>& of) {
    return std::apply(
        [](const auto&... f) { return std::vector<untyped_field<D>>{untyped_field<D>(f)...}; }, of);
  }

  /// One step of a box.
  void step(const box<D>& cells, unsigned level) const {
    if constexpr (D == 1) {
      pieces<1>({}, 1, cells.sides[0], level, true);
    } else if constexpr (D == 2) {
      plane({}, cells, level);
    } else {
      for (offset x = cells.sides[0].first; x < cells.sides[0].last; ++x)
        plane({inside(0, x), 0, 0}, cells, level);
    }
  }

  rows rows_at(const std::array<offset, D>& x, unsigned level) const {
    const auto one = [&](const auto& f) {
      const auto& from = f.level[level];
      const auto& to = f.level[1 - level];
      typename row_updates::template row<typename std::remove_cvref_t<decltype(f)>::cell> r{
          from.data, to.data, {}, {}};
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
      update_.template update<Rows>(r, groups, first, end);
    else
      update_.template update_at_wall<false>(r, ways(x, r), first, end);
  }

  /// The first or last cell of a row `below` rows further.
  void end_cell(std::array<offset, D> x, offset below, offset j, unsigned level) const {
    if constexpr (D > 1) x[D - 2] += below;
    x[last] = j;
    const rows r = rows_at(x, level);
    update_.template update_at_wall<true>(r, ways(x, r), 0, 1);
  }

  /// Where the neighbours of cell x are, in every field.
  neighbours_of_cell<D, sizeof...(T)> ways(const std::array<offset, D>& x, const rows& r) const {
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
      return neighbours_of_cell<D, sizeof...(T)>{one(std::get<I>(r))...};
    }
    (indices{});
  }

  row_updates update_;
  std::tuple<field<T, D>...> fields_;
  std::array<boundary, D> edges_;
  std::array<offset, D> size_;
};

}  // namespace pleat::detail::stencils
