// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#include <pleat/oblivious/stencil/shape.hpp>
#include <pleat/oblivious/stencil/sweep.hpp>
#include <pleat/oblivious/stencil/zoid.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {

/// When the caller is told how far the run has come.
struct schedule {
  offset steps;
  offset every;  ///< 0: never
  std::function<void(std::size_t)> after;
};

/// The program of P VPs that carry out the steps. Both levels of the fields are in memory all VPs
/// see. Whose turn it is to read or write which cells changes with the supersteps, and what changes
/// hands is lent.
template <class Sweeper, std::size_t D, bool Two> class stencil_program {
 public:
  stencil_program(const Sweeper& with, std::size_t cell_bytes, const schedule& when,
                  std::size_t vps)
      : with_(with),
        cell_bytes_(cell_bytes),
        when_(when),
        shape_(with.size(), with.edges(), cell_bytes, longest(when), vps) {}

  /// The program of one VP. All syncs are of all VPs: neighbours in the middle have no closer
  /// cluster in common, and every VP has neighbours.
  task<> operator()(vp& me) {
    const std::size_t p = me.rank();
    if (p >= shape_.holders()) co_return;  // what the others wait for they need not wait for
    offset done = 0;
    while (done < when_.steps) {
      const offset steps =
          when_.every > 0 ? std::min(when_.every, when_.steps - done) : when_.steps;
      const bool tell = when_.every > 0 && steps == when_.every;
      const bool last = done + steps == when_.steps;
      // The result is to be in the user's memory, level 0.
      const auto start = static_cast<unsigned>(steps % 2);
      prepare(p, start);
      lend_edges(me, start);
      co_await me.sync(0);
      drain(me);
      offset first = 0;
      for (offset band = 0; band < shape_.bands(steps); ++band) {
        const offset height = shape_.steps_of(steps, band);
        const unsigned level = (start + static_cast<unsigned>(first)) % 2;
        const unsigned end = (level + static_cast<unsigned>(height)) % 2;
        first += height;
        const bool over = last && !tell && first == steps;
        compute(p, false, height, level);
        if (!shape_.halves()) continue;
        if (height > 1) {
          lend_slope(me, height);
          co_await me.sync(0);
          drain(me);
          compute(p, true, height, level);
        }
        if (over) break;
        if (height > 1)
          lend_back(me, height, end);
        else
          lend_edges(me, end);
        co_await me.sync(0);
        drain(me);
      }
      done += steps;
      if (!tell) continue;
      if (p == 0) when_.after(static_cast<std::size_t>(done));
      co_await me.sync(0);
    }
  }

 private:
  static offset longest(const schedule& when) {
    return when.every > 0 ? std::min(when.every, when.steps) : when.steps;
  }
  static void drain(vp& me) {
    while (me.receive()) {
    }
  }

  void compute(std::size_t p, bool second, offset height, unsigned level) const {
    shape_.tiles(p, second, height, [&](const zoid<D>& tile) {
      const auto sweep = [&](const part_of_zoid<D>& part) { with_.sweep(tile, part, level); };
      refinement<D, decltype(sweep)>(tile, 2 * cell_bytes_, shape_.fineness(), sweep).run();
    });
  }

  // ---------------------------------------------------------------- before the first step

  /// What I hold of level `start`, and of the other what never changes there.
  void prepare(std::size_t p, unsigned start) const {
    const range mine = shape_.held(p);
    const auto each = [&](const auto& f) {
      if (start == 1) {
        for_each_row(f, mine, [](auto* user, auto* scratch, offset n) {
          if constexpr (Two)
            std::swap_ranges(user, user + n, scratch);
          else
            std::copy(user, user + n, scratch);
        });
      }
      if (start == 0 || Two) copy_faces(f, mine, start);
    };
    std::apply([&](const auto&... f) { (each(f), ...); }, with_.all());
  }
  /// visit(in level 0, in level 1, cells) for every row of what is held.
  template <class Field, class Visit>
  void for_each_row(const Field& f, const range& mine, const Visit& visit) const {
    std::array<offset, D> low{}, high = with_.size();
    low[shape_.shared()] = mine.first;
    high[shape_.shared()] = mine.last;
    rows_of<0>(f, low, high, low, visit);
  }
  template <std::size_t I, class Field, class Visit>
  void rows_of(const Field& f, const std::array<offset, D>& low, const std::array<offset, D>& high,
               std::array<offset, D> x, const Visit& visit) const {
    if constexpr (I + 1 == D) {
      const offset n = high[I] - low[I];
      if (n > 0) visit(cell(f, 0, x), cell(f, 1, x), n);
    } else {
      for (x[I] = low[I]; x[I] < high[I]; ++x[I]) rows_of<I + 1>(f, low, high, x, visit);
    }
  }
  /// The fixed cells, from one level to the other.
  template <class Field> void copy_faces(const Field& f, const range& mine, unsigned from) const {
    for (std::size_t i = 0; i < D; ++i) {
      if (with_.edges()[i] != boundary::fixed) continue;
      for (const offset face : {offset{0}, with_.size()[i] - 1}) {
        std::array<offset, D> low{}, high = with_.size();
        low[shape_.shared()] = mine.first;
        high[shape_.shared()] = mine.last;
        low[i] = std::max(low[i], face);
        high[i] = std::min(high[i], face + 1);
        rows_of<0>(f, low, high, low, [&](auto* user, auto* other, offset n) {
          if (from == 0)
            std::copy(user, user + n, other);
          else
            std::copy(other, other + n, user);
        });
      }
    }
  }
  template <class Field>
  static auto* cell(const Field& f, unsigned level, const std::array<offset, D>& x) {
    auto* at = f.level[level].data;
    for (std::size_t i = 0; i < D; ++i) at += x[i] * static_cast<offset>(f.level[level].stride[i]);
    return at;
  }

  // ---------------------------------------------------------------- what changes hands

  /// The cells beside my neighbours', which their next step reads.
  void lend_edges(vp& me, unsigned level) const {
    const range mine = shape_.held(me.rank());
    const std::size_t p = me.rank();
    if (shape_.has_left(p)) lend(me, shape_.left(p), level, {mine.first, mine.first + 1});
    if (shape_.has_right(p)) lend(me, shape_.right(p), level, {mine.last - 1, mine.last});
  }
  /// The slope of my last upright tile, two cells a step, and all that will be computed over it.
  void lend_slope(vp& me, offset height) const {
    const range mine = shape_.held(me.rank());
    const std::size_t p = me.rank();
    if (!shape_.has_right(p)) return;
    for (const unsigned level : {0U, 1U})
      lend(me, shape_.right(p), level, {mine.last - height, mine.last});
  }
  /// The result of that, and the cell beside it.
  void lend_back(vp& me, offset height, unsigned level) const {
    const std::size_t p = me.rank();
    if (!shape_.has_left(p)) return;
    const range theirs = shape_.held(shape_.left(p));
    const range mine = shape_.held(p);
    const range slope{theirs.last - height + 1, theirs.last};
    lend(me, shape_.left(p), level, slope);
    if constexpr (Two) lend(me, shape_.left(p), 1 - level, slope);
    lend(me, shape_.left(p), level, {mine.first, mine.first + 1});
  }
  /// All cells with these indices in the shared dimension.
  void lend(vp& me, std::size_t to, unsigned level, const range& indices) const {
    const auto each = [&](const auto& f) {
      const auto& g = f.level[level];
      auto size = g.size;
      size[shape_.shared()] = static_cast<std::size_t>(indices.size());
      auto* const first = g.data + indices.first * static_cast<offset>(g.stride[shape_.shared()]);
      using T = std::remove_pointer_t<decltype(first)>;
      using mutable_T = std::remove_const_t<T>;
      if constexpr (D == 1) {
        me.lend(to, strided_view<mutable_T>(first, 1, size[0], size[0]));
      } else if constexpr (D == 2) {
        me.lend(to, strided_view<mutable_T>(first, size[0], size[1], g.stride[0]));
      } else {
        for (std::size_t x = 0; x < size[0]; ++x)
          me.lend(to,
                  strided_view<mutable_T>(first + x * g.stride[0], size[1], size[2], g.stride[1]));
      }
    };
    std::apply([&](const auto&... f) { (each(f), ...); }, with_.all());
  }

  const Sweeper& with_;
  std::size_t cell_bytes_;
  const schedule& when_;
  shape<D> shape_;
};

}  // namespace pleat::detail::stencils
