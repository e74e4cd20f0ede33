// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/stencil/literal_frames.hpp>
#include <pleat/oblivious/detail/stencil/literal_plan.hpp>
#include <pleat/oblivious/detail/stencil/tiles.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::diamonds {

/// 3^D.
template <std::size_t D> constexpr std::size_t neighbourhood_size() noexcept {
  return D == 1 ? 3 : D == 2 ? 9 : 27;
}

/// The greatest alignment a value may need.
inline constexpr std::size_t most_aligned = 64;

/// The value of a point, whatever it is: so many bytes, copied as such.
template <std::size_t Bytes> struct literal_value { std::array<std::byte, Bytes> bytes; };

/// What makes the new value of a point, for literal_stencil.
struct point_update {
  const void* context;
  /// `at`: the value of the point one step earlier, among those of its neighbours. `value`: on
  /// entry its value two steps earlier, on return the new one.
  void (*call)(const void* context, const void* at, void* value);
};

/// The stencil program of the model: n^D points, n a power of two, on P VPs, a power of two up to
/// n^D, with n^D/P points each.
///
/// A segment evaluates a tile of width w, whose cube of w^D points is dealt out to its VPs. The
/// tile is cut into tiles of width w/k, k = 2^⌈√log2 n⌉, and evaluated in phases: tiles with equal
/// sums, by distinct sub-segments. A phase begins with a superstep that brings every sub-segment
/// what its tile depends on: of each point of its cube, and those beside it, the values at the two
/// latest times. They come from where the phase before has computed them, or else from where the
/// point is at home in the segment, and those that have been computed go home too. In the last
/// phase all points are where they are at home. Where w ≤ k, the parts are points: one time step
/// after the other. A tile of a single VP is computed by it alone.
///
/// The value of a neighbour of a point, δ_i ∈ {−1, 0, 1}, lies at[δ_1·3^(D−1) + … + δ_D]. In
/// dimensions that are `fixed` the outermost points keep their values, in the others the neighbour
/// of an outermost point is the point itself.
///
/// Cost, P = n^D: the row (D = 1) is five stages, one of them a full diamond, which is evaluated in
/// (2k − 1)^i supersteps of level i ≥ 1 with the label (i − 1)·log2 k, and w for each of its tiles
/// of the last level, w ≤ k. For D = 2 there are 17 stages, and an octahedron has 4k − 3 stripes,
/// of which the 2k − 2 of tetrahedra take two phases each, one for either kind: there are up to
/// 2k(k − 1) in a stripe, for k² sub-segments. A VP sends and receives O(1) messages in a superstep
/// (4 at most for D = 1, 12 for D = 2), one a point with its two values. H(n, p, σ) =
/// O(n^D/p^((D − 1)/D) · 2^((D + 1)·√log2 n)) for σ = O(n^D/p). With dummy messages, 2^D for each
/// point, it is wise.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.4; two phases for a stripe of tetrahedra, and D = 3, are ours.
template <std::size_t D, std::size_t Bytes>
requires(1 <= D && D <= 3) class literal_stencil {
 public:
  /// Requires log_n · D < 32; vps, a power of two, ≤ n^D; steps ≥ 0.
  literal_stencil(unsigned log_n, coordinate steps, std::size_t vps,
                  const std::array<bool, D>& fixed, const point_update& update)
      : frames_(literal_plan<D>(log_n, steps, vps)),
        steps_(steps),
        fixed_(fixed),
        update_(update) {}
  literal_stencil(const literal_stencil&) = delete;
  literal_stencil& operator=(const literal_stencil&) = delete;

  /// Memory it needs, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (plan().memory() + frames_.points()) * sizeof(history);
  }
  /// `now` and `before`: the grid, row-major, and how it was a step earlier, which may be null: it
  /// counts as `now` then. Both are written when all has been computed. Requires: memory aligned
  /// for the values; nothing overlaps.
  void use(std::byte* memory, void* now, void* before) noexcept {
    cells_ = reinterpret_cast<history*>(memory);
    home_ = cells_ + plan().memory();
    now_ = static_cast<value*>(now);
    before_ = static_cast<value*>(before);
  }

  [[nodiscard]] const literal_plan<D>& plan() const noexcept { return frames_.plan(); }

  /// The program of one VP. Requires as many as the constructor was told.
  task<> operator()(vp& me) {
    if (steps_ == 0) co_return;
    const segment seg = me.all();
    const frame grid = frames_.grid();
    for_each_own(seg, me.rank(), 0, grid, [this](const point<D>& x, history& cell) {
      const std::size_t i = frames_.place_in_grid(x);
      cell = {before_ == nullptr ? now_[i] : before_[i], now_[i]};
    });
    generation last{};
    for (coordinate done = 0; done < steps_; done += plan().side()) {
      for (const literal_stage<D>& stage : plan().stages()) {
        const generation next = frames_.stage_generation(stage);
        hand_over(me, seg, 0, grid, last, next);
        co_await me.sync(seg.label);
        take_over(me, seg, 0, grid, last, next);
        const frame whole = frames_.child(0, grid, next, 0);
        if (seg.size == 1) {
          compute(whole, done);
        } else {
          co_await evaluate(me, seg, 1, whole, stage.phases, done);
        }
        last = next;
      }
    }
    write_results(seg, me.rank(), grid, last);
  }

 private:
  using frame = typename literal_frames<D>::frame;
  using generation = typename literal_frames<D>::generation;
  using value = literal_value<Bytes>;
  /// The values of a point at the latest two times, each where its parity says.
  using history = std::array<value, 2>;
  struct carried {
    std::array<std::uint32_t, D> at;
    history values;
  };

  [[nodiscard]] history& cell(std::size_t depth, const frame& f, const point<D>& x) const {
    return depth == 0 ? home_[frames_.place_in_grid(x)] : cells_[frames_.place(depth, f, x)];
  }
  /// visit(x, cell), as frames_ visits x.
  template <class F>
  void for_each_own(const segment& seg, std::size_t rank, std::size_t depth, const frame& f,
                    const F& visit) const {
    frames_.for_each_own(seg, rank, depth, f,
                         [&](const point<D>& x) { visit(x, cell(depth, f, x)); });
  }

  // ---------------------------------------------------------------- between two phases

  /// Sends what this VP holds to those who need it in the next phase, and home.
  void hand_over(vp& me, const segment& seg, std::size_t depth, const frame& f,
                 const generation& before, const generation& next) const {
    const unsigned log_w = plan().levels()[depth + 1].log_width;
    const coordinate reach = frames_.reach_of_points(log_w);
    const auto carry = [&](const point<D>& x, const history& values, bool computed) {
      std::array<std::size_t, neighbourhood_size<D>() + 1> to;
      std::size_t count = 0;
      if (computed) to[count++] = frames_.holder(seg, depth, f, x);
      frames_.for_each_child(
          depth, f, next, x, frames_.reach_of_inputs(log_w),
          [&](const frame& one, std::size_t part) {
            const std::size_t q =
                frames_.holder(frames_.segment_of(seg, depth, part), depth + 1, one, x);
            if (std::find(to.begin(), to.begin() + count, q) == to.begin() + count) to[count++] = q;
          });
      if (count == 0) return;
      carried message{{}, values};
      for (std::size_t i = 0; i < D; ++i)
        message.at[i] = static_cast<std::uint32_t>(x[i] - plan().side() / 2);
      for (std::size_t i = 0; i < count; ++i) me.send(to[i], message);
    };
    const division mine = frames_.divide(seg, depth, me.rank());
    for (std::size_t i = 0; i < mine.problems; ++i) {
      const frame done = frames_.child(depth, f, before, mine.first_problem + i);
      if (!done.present) continue;
      for_each_own(mine.part, me.rank(), depth + 1, done,
                   [&](const point<D>& x, const history& values) {
                     if (frames_.computed_in(done, log_w, reach, x)) carry(x, values, true);
                   });
    }
    if (f.present)
      for_each_own(seg, me.rank(), depth, f, [&](const point<D>& x, const history& values) {
        bool newer = false;
        frames_.for_each_child(depth, f, before, x, reach,
                               [&](const frame&, std::size_t) { newer = true; });
        if (!newer) carry(x, values, false);
      });
    if (me.rank() - seg.first < seg.size / 2)
      me.dummy(me.rank() + seg.size / 2, plan().points_each() << D);
  }

  /// … and receives it.
  void take_over(vp& me, const segment& seg, std::size_t depth, const frame& f,
                 const generation& before, const generation& next) const {
    const unsigned log_w = plan().levels()[depth + 1].log_width;
    while (const auto m = me.receive()) {
      const auto message = m->template get<carried>();
      point<D> x;
      for (std::size_t i = 0; i < D; ++i) x[i] = message.at[i] + plan().side() / 2;
      if (frames_.holder(seg, depth, f, x) == me.rank())
        frames_.for_each_child(
            depth, f, before, x, frames_.reach_of_points(log_w),
            [&](const frame&, std::size_t) { cell(depth, f, x) = message.values; });
      frames_.for_each_child(depth, f, next, x, frames_.reach_of_inputs(log_w),
                             [&](const frame& one, std::size_t part) {
                               if (frames_.holder(frames_.segment_of(seg, depth, part), depth + 1,
                                                  one, x) == me.rank())
                                 cell(depth + 1, one, x) = message.values;
                             });
    }
  }

  // ---------------------------------------------------------------- one tile

  /// A tile of a segment of several VPs. Times count from step `from` on.
  task<> evaluate(vp& me, segment seg, std::size_t depth, frame f,
                  const std::vector<sums<D>>& phases, coordinate from) {
    const division mine = frames_.divide(seg, depth, me.rank());
    const bool alone = plan().levels()[depth + 1].vps == 1;
    generation before{};
    for (const sums<D>& phase : phases) {
      const generation next = frames_.parts_of(depth, f, phase);
      hand_over(me, seg, depth, f, before, next);
      co_await me.sync(seg.label);
      take_over(me, seg, depth, f, before, next);
      before = next;
      if (alone) {
        for (std::size_t i = 0; i < mine.problems; ++i)
          compute(frames_.child(depth, f, next, mine.first_problem + i), from);
      } else {
        const frame part = frames_.child(depth, f, next, mine.first_problem);
        co_await evaluate(me, mine.part, depth + 1, part, plan().phases(depth + 1, part.kind),
                          from);
      }
    }
    // The last parts lie as their points do at home.
    const unsigned log_w = plan().levels()[depth + 1].log_width;
    for (std::size_t i = 0; i < mine.problems; ++i) {
      const frame done = frames_.child(depth, f, before, mine.first_problem + i);
      if (!done.present) continue;
      for_each_own(mine.part, me.rank(), depth + 1, done,
                   [&](const point<D>& x, const history& values) {
                     if (!frames_.computed_in(done, log_w, frames_.reach_of_points(log_w), x))
                       return;
                     assert(frames_.holder(seg, depth, f, x) == me.rank());
                     cell(depth, f, x) = values;
                   });
    }
  }

  /// A tile of a single VP.
  void compute(const frame& f, coordinate from) const {
    if (!f.present) return;
    const std::size_t depth = plan().levels().size() - 1;
    const coordinate w = plan().levels()[depth].width();
    const interval when = times(f.whole, w, frames_.all()) & interval{0, steps_ - from};
    for (coordinate t = when.first; t < when.last; ++t) {
      const box<D> at = section(f.whole, w, t) & frames_.all().points;
      const std::size_t parity = (t + from) % 2 != 0 ? 1 : 0;
      point<D> x;
      for (std::size_t i = 0; i < D; ++i) x[i] = at.sides[i].first;
      for (bool more = true; more;) {
        compute_point(depth, f, x, parity);
        more = false;
        for (std::size_t i = D; i-- > 0 && !more;) {
          more = ++x[i] < at.sides[i].last;
          if (!more) x[i] = at.sides[i].first;
        }
      }
    }
  }

  /// `parity` is that of the new value; the first step reads parity 1.
  void compute_point(std::size_t depth, const frame& f, const point<D>& x,
                     std::size_t parity) const {
    const coordinate first = plan().side() / 2;
    const coordinate last = first + plan().side() - 1;
    history& own = cell(depth, f, x);
    bool kept = false;
    for (std::size_t i = 0; i < D; ++i)
      kept = kept || (fixed_[i] && (x[i] == first || x[i] == last));
    if (kept) {
      own[parity] = own[1 - parity];
      return;
    }
    alignas(most_aligned) std::array<value, neighbourhood_size<D>()> around;
    for (std::size_t k = 0; k < around.size(); ++k) {
      point<D> y = x;
      for (std::size_t i = D, rest = k; i-- > 0; rest /= 3)
        y[i] = std::clamp(x[i] + static_cast<coordinate>(rest % 3) - 1, first, last);
      around[k] = cell(depth, f, y)[1 - parity];
    }
    update_.call(update_.context, &around[around.size() / 2], &own[parity]);
  }

  /// From where the last stage has computed them, or from home.
  void write_results(const segment& seg, std::size_t rank, const frame& grid,
                     const generation& last) const {
    const std::size_t parity = (steps_ - 1) % 2 != 0 ? 1 : 0;
    const unsigned log_w = plan().levels()[1].log_width;
    const coordinate reach = frames_.reach_of_points(log_w);
    const auto write = [&](const point<D>& x, const history& values) {
      const std::size_t i = frames_.place_in_grid(x);
      now_[i] = values[parity];
      if (before_ != nullptr) before_[i] = values[1 - parity];
    };
    const frame done = frames_.child(0, grid, last, 0);
    if (done.present)
      for_each_own(seg, rank, 1, done, [&](const point<D>& x, const history& values) {
        if (frames_.computed_in(done, log_w, reach, x)) write(x, values);
      });
    for_each_own(seg, rank, 0, grid, [&](const point<D>& x, const history& values) {
      if (!done.present || !frames_.computed_in(done, log_w, reach, x)) write(x, values);
    });
  }

  literal_frames<D> frames_;  // of as many steps as the side; beyond the last nothing is computed
  coordinate steps_;
  std::array<bool, D> fixed_;
  point_update update_;
  history* cells_ = nullptr;
  history* home_ = nullptr;
  value* now_ = nullptr;
  value* before_ = nullptr;
};

// Of the sizes that numbers have, compiled in the library.
#define PLEAT_IN_DIMENSIONS(Bytes)                 \
  extern template class literal_stencil<1, Bytes>; \
  extern template class literal_stencil<2, Bytes>; \
  extern template class literal_stencil<3, Bytes>;
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(4)
PLEAT_IN_DIMENSIONS(8)
#undef PLEAT_IN_DIMENSIONS

/// How `update(at, before)`, which returns the new value, is called for values of type T.
template <class T, class Update> point_update update_by(const Update& update) {
  return {&update, [](const void* context, const void* at, void* value) {
            T& own = *static_cast<T*>(value);
            own = (*static_cast<const Update*>(context))(static_cast<const T*>(at),
                                                         static_cast<const T&>(own));
          }};
}

/// Runs it, with memory of the machine's. Requires as the class does; grids that are not in that
/// memory.
template <std::size_t D, class T, class Update>
requires std::is_trivially_copyable_v<T> run_report run_literal_stencil(
    machine& on, unsigned log_n, coordinate steps, std::size_t vps,
    const std::array<bool, D>& fixed, const Update& update, T* now, T* before = nullptr) {
  const machine::turn mine(on);  // the caller may have claimed the scratch memory already
  static_assert(alignof(T) <= most_aligned);
  literal_stencil<D, sizeof(T)> program(log_n, steps, vps, fixed, update_by<T>(update));
  program.use(on.scratch(program.bytes()).data(), now, before);
  return on.run(vps, [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::diamonds
