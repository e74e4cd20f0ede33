// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/stencil/literal_plan.hpp>
#include <pleat/oblivious/stencil/tiles.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::diamonds {

/// 3^D.
template <std::size_t D> constexpr std::size_t neighbourhood_size() noexcept {
  return D == 1 ? 3 : D == 2 ? 9 : 27;
}

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
/// `update(at, before)` is the new value of a point: at[0] is its value one step earlier and at[δ_1
/// · 3^(D−1) + … + δ_D] that of its neighbours, δ_i ∈ {−1, 0, 1}; `before` its value two steps
/// earlier. In dimensions that are `fixed` the outermost points keep their values, in the others
/// the neighbour of an outermost point is the point itself.
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
template <std::size_t D, class T, class Update>
requires(1 <= D && D <= 3 && std::is_trivially_copyable_v<T> &&
         std::default_initializable<T>) class literal_stencil {
 public:
  /// Requires log_n · D < 32; vps, a power of two, ≤ n^D; steps ≥ 0.
  literal_stencil(unsigned log_n, coordinate steps, std::size_t vps,
                  const std::array<bool, D>& fixed, const Update& update)
      : plan_(log_n, steps, vps),
        all_(plan_.all(plan_.side())),
        steps_(steps),
        fixed_(fixed),
        update_(update) {}
  literal_stencil(const literal_stencil&) = delete;
  literal_stencil& operator=(const literal_stencil&) = delete;

  /// Memory it needs, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (plan_.memory() + points()) * sizeof(history);
  }
  /// `now` and `before`: the grid, row-major, and how it was a step earlier, which may be null: it
  /// counts as `now` then. Both are written when all has been computed. Requires: memory aligned
  /// for T; nothing overlaps.
  void use(std::byte* memory, T* now, T* before) noexcept {
    cells_ = reinterpret_cast<history*>(memory);
    home_ = cells_ + plan_.memory();
    now_ = now;
    before_ = before;
  }

  [[nodiscard]] const literal_plan<D>& plan() const noexcept { return plan_; }

  /// The program of one VP. Requires as many as the constructor was told.
  task<> operator()(vp& me) {
    if (steps_ == 0) co_return;
    const segment seg = me.all();
    const frame grid{{}, grid_corner(), 0, 0, true};
    for_each_own(seg, me.rank(), 0, grid, [this](const point<D>& x, history& cell) {
      const std::size_t i = place_in_grid(x);
      cell = {before_ == nullptr ? now_[i] : before_[i], now_[i]};
    });
    generation last{};
    for (coordinate done = 0; done < steps_; done += plan_.side()) {
      for (const literal_stage<D>& stage : plan_.stages()) {
        const generation next = stage_generation(stage);
        hand_over(me, seg, 0, grid, last, next);
        co_await me.sync(seg.label);
        take_over(me, seg, 0, grid, last, next);
        const frame whole = child(0, grid, next, 0);
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
  /// The values of a point at the latest two times, each where its parity says.
  using history = std::array<T, 2>;
  struct carried {
    std::array<std::uint32_t, D> at;
    history values;
  };

  /// Where a tile is evaluated.
  struct frame {
    tile<D> whole;
    point<D> corner;    ///< of its cube
    std::size_t index;  ///< of its memory
    unsigned kind;      ///< of the tile
    bool present;       ///< or is it only to go through the motions?
  };

  /// The tiles of a phase: u_i in u[i], z_i = s_i − u_i, those that have points in the domain.
  struct generation {
    sums<D> s{};
    std::array<interval, D> u{};
    unsigned kind = 0;
  };

  [[nodiscard]] std::size_t points() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 0; i < D; ++i) product *= static_cast<std::size_t>(plan_.side());
    return product;
  }
  [[nodiscard]] point<D> grid_corner() const noexcept {
    point<D> corner;
    corner.fill(plan_.side() / 2);
    return corner;
  }
  [[nodiscard]] std::size_t place_in_grid(const point<D>& x) const noexcept {
    std::size_t i = 0;
    for (const coordinate one : x)
      i = i * static_cast<std::size_t>(plan_.side()) +
          static_cast<std::size_t>(one - plan_.side() / 2);
    return i;
  }

  // ---------------------------------------------------------------- which tiles there are

  [[nodiscard]] generation stage_generation(const literal_stage<D>& stage) const {
    generation result{sums_of(stage.whole), {}, 0};
    for (std::size_t i = 0; i < D; ++i)
      result.u[i] = {stage.whole.in[i].u, stage.whole.in[i].u + 1};
    result.kind = kind_of(result.s);
    return result;
  }
  [[nodiscard]] generation parts_of(std::size_t depth, const frame& f, const sums<D>& phase) const {
    const coordinate k = coordinate{1} << plan_.levels()[depth].log_cuts;
    const sums<D> own = sums_of(f.whole);
    const coordinate base = k * *std::min_element(own.begin(), own.end());
    generation result;
    for (std::size_t i = 0; i < D; ++i) {
      result.s[i] = phase[i] + base;
      if (f.present) result.u[i] = parts_with_sum(f.whole.in[i], k, result.s[i]);
    }
    result.kind = kind_of(phase);
    return result;
  }

  /// The corner of the cube of a diamond: half its width before its middle.
  [[nodiscard]] static constexpr coordinate corner_of(const diamond& of, unsigned log_w) noexcept {
    const coordinate w = coordinate{1} << log_w;
    return (w * (of.u - of.z) - (w & ~coordinate{1})) >> 1;
  }

  /// The tile that sub-segment `part` evaluates below f; not present if there is none.
  [[nodiscard]] frame child(std::size_t depth, const frame& f, const generation& of,
                            std::size_t part) const {
    const literal_level& cut = plan_.levels()[depth];
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    const coordinate half = (coordinate{1} << log_w) / 2;
    frame result{{}, {}, f.index << D * cut.log_cuts | part, of.kind, true};
    for (std::size_t i = D; i-- > 0; part >>= cut.log_cuts) {
      const auto j = static_cast<coordinate>(part) & ((coordinate{1} << cut.log_cuts) - 1);
      diamond& one = result.whole.in[i];
      if (cut.log_cuts == 0) {
        one.u = of.u[i].first;
      } else {
        // Cubes begin at multiples of half a width; of two that begin in mine one is of this sum.
        const bool shifted = literal_plan<D>::shifted(depth, f.kind, i);
        const coordinate middle =
            f.corner[i] + (j << log_w) - (shifted ? half : 0) + half;  // if it begins where I do
        coordinate twice_u = ((2 * middle) >> log_w) + of.s[i];
        if (twice_u % 2 != 0) ++twice_u;  // then half a width later
        one.u = twice_u / 2;
      }
      one.z = of.s[i] - one.u;
      result.corner[i] = corner_of(one, log_w);
      result.present = result.present && of.u[i].contains(one.u);
    }
    result.present = result.present && !times(result.whole, coordinate{1} << log_w, all_).empty();
    return result;
  }

  /// f(frame, part) for the tiles below f whose middle is at most `reach` from x.
  template <class F>
  void for_each_child(std::size_t depth, const frame& f, const generation& of, const point<D>& x,
                      coordinate reach, const F& visit) const {
    const literal_level& cut = plan_.levels()[depth];
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    std::array<interval, D> u{};
    for (std::size_t i = 0; i < D; ++i) {
      // w(2u − s)/2 from x − reach to x + reach
      const coordinate offset = of.s[i] << log_w;
      const coordinate low = 2 * (x[i] - reach) + offset, high = 2 * (x[i] + reach) + offset;
      const coordinate round_up = (coordinate{2} << log_w) - 1;
      u[i] = of.u[i] & interval{(low + round_up) >> (log_w + 1), (high >> (log_w + 1)) + 1};
      if (u[i].empty()) return;
    }
    frame result{{}, {}, 0, of.kind, true};
    const auto choose = [&](const auto& self, std::size_t i, std::size_t part) -> void {
      if (i == D) {
        if (times(result.whole, coordinate{1} << log_w, all_).empty()) return;
        result.index = f.index << D * cut.log_cuts | part;
        visit(static_cast<const frame&>(result), part);
        return;
      }
      const coordinate half = (coordinate{1} << log_w) / 2;
      const coordinate shift = literal_plan<D>::shifted(depth, f.kind, i) ? half : 0;
      for (coordinate one = u[i].first; one < u[i].last; ++one) {
        result.whole.in[i] = {one, of.s[i] - one};
        result.corner[i] = corner_of(result.whole.in[i], log_w);
        const coordinate offset = (result.corner[i] - f.corner[i] + shift) & (cut.width() - 1);
        const auto j = static_cast<std::size_t>(cut.log_cuts == 0 ? 0 : offset >> log_w);
        self(self, i + 1, part << cut.log_cuts | j);
      }
    };
    choose(choose, 0, 0);
  }

  /// How far from the middle of a tile its points lie, and those they depend on.
  [[nodiscard]] static constexpr coordinate reach_of_points(unsigned log_w) noexcept {
    return log_w == 0 ? 0 : (coordinate{1} << log_w) / 2 - 1;
  }
  [[nodiscard]] static constexpr coordinate reach_of_inputs(unsigned log_w) noexcept {
    return reach_of_points(log_w) + 1;
  }

  // ---------------------------------------------------------------- who holds what

  [[nodiscard]] std::size_t holder(const segment& seg, std::size_t depth, const frame& f,
                                   const point<D>& x) const {
    if (seg.size == 1) return seg.first;
    const literal_level& of = plan_.levels()[depth];
    std::size_t place = 0;
    for (std::size_t i = 0; i < D; ++i) {
      const coordinate at = std::clamp<coordinate>(x[i] - f.corner[i], 0, of.width() - 1);
      place = place << of.log_width | static_cast<std::size_t>(at);
    }
    return seg.first + plan_.layout(depth, f.kind).holder[place];
  }

  /// The segment of a part.
  [[nodiscard]] segment segment_of(const segment& seg, std::size_t depth, std::size_t part) const {
    const unsigned log_parts = static_cast<unsigned>(D) * plan_.levels()[depth].log_cuts;
    const std::size_t first = seg.first + (part * seg.size >> log_parts);
    const std::size_t size = std::max<std::size_t>(seg.size >> log_parts, 1);
    return {first, size, seg.label + log_parts};  // nobody syncs on one of a single VP
  }

  [[nodiscard]] history& cell(std::size_t depth, const frame& f, const point<D>& x) const {
    if (depth == 0) return home_[place_in_grid(x)];
    const literal_level& of = plan_.levels()[depth];
    const coordinate stride = of.width() + 2;
    coordinate place = 0;
    for (std::size_t i = 0; i < D; ++i) place = place * stride + (x[i] - f.corner[i] + 1);
    return cells_[of.memory + f.index * literal_plan<D>::frame_cells(of) +
                  static_cast<std::size_t>(place)];
  }

  /// f(x, cell) for the points of the grid that a VP has of a tile's cube, and beyond its upper
  /// ends.
  template <class F>
  void for_each_own(const segment& seg, std::size_t rank, std::size_t depth, const frame& f,
                    const F& visit) const {
    const literal_level& of = plan_.levels()[depth];
    const bool alone = of.vps == 1 && depth > 0;
    const std::size_t each = std::size_t{1} << D * of.log_width >> std::countr_zero(of.vps);
    const std::uint32_t* const places =
        alone ? nullptr : &plan_.layout(depth, f.kind).points[(rank - seg.first) * each];
    for (std::size_t k = 0; k < each; ++k) {
      std::size_t place = alone ? k : places[k];
      point<D> at;
      unsigned ends = 0;
      for (std::size_t i = D; i-- > 0; place >>= of.log_width) {
        const coordinate offset = static_cast<coordinate>(place) & (of.width() - 1);
        at[i] = f.corner[i] + offset;
        if (depth > 0 && offset + 1 == of.width()) ends |= 1u << i;
      }
      for (unsigned beyond = ends;; beyond = (beyond - 1) & ends) {
        point<D> x = at;
        for (std::size_t i = 0; i < D; ++i) x[i] += beyond >> i & 1;
        if (all_.points.contains(x)) visit(x, cell(depth, f, x));
        if (beyond == 0) break;
      }
    }
  }

  // ---------------------------------------------------------------- between two phases

  /// Sends what this VP holds to those who need it in the next phase, and home.
  void hand_over(vp& me, const segment& seg, std::size_t depth, const frame& f,
                 const generation& before, const generation& next) const {
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    const coordinate reach = reach_of_points(log_w);
    const auto carry = [&](const point<D>& x, const history& values, bool computed) {
      std::array<std::size_t, neighbourhood_size<D>() + 1> to;
      std::size_t count = 0;
      if (computed) to[count++] = holder(seg, depth, f, x);
      for_each_child(
          depth, f, next, x, reach_of_inputs(log_w), [&](const frame& one, std::size_t part) {
            const std::size_t q = holder(segment_of(seg, depth, part), depth + 1, one, x);
            if (std::find(to.begin(), to.begin() + count, q) == to.begin() + count) to[count++] = q;
          });
      if (count == 0) return;
      carried message{{}, values};
      for (std::size_t i = 0; i < D; ++i)
        message.at[i] = static_cast<std::uint32_t>(x[i] - plan_.side() / 2);
      for (std::size_t i = 0; i < count; ++i) me.send(to[i], message);
    };
    const division mine = divide(seg, depth, me.rank());
    for (std::size_t i = 0; i < mine.problems; ++i) {
      const frame done = child(depth, f, before, mine.first_problem + i);
      if (!done.present) continue;
      for_each_own(mine.part, me.rank(), depth + 1, done,
                   [&](const point<D>& x, const history& values) {
                     if (computed_in(done, log_w, reach, x)) carry(x, values, true);
                   });
    }
    if (f.present)
      for_each_own(seg, me.rank(), depth, f, [&](const point<D>& x, const history& values) {
        bool newer = false;
        for_each_child(depth, f, before, x, reach,
                       [&](const frame&, std::size_t) { newer = true; });
        if (!newer) carry(x, values, false);
      });
    if (me.rank() - seg.first < seg.size / 2)
      me.dummy(me.rank() + seg.size / 2, plan_.points_each() << D);
  }

  /// … and receives it.
  void take_over(vp& me, const segment& seg, std::size_t depth, const frame& f,
                 const generation& before, const generation& next) const {
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    while (const auto m = me.receive()) {
      const auto message = m->template get<carried>();
      point<D> x;
      for (std::size_t i = 0; i < D; ++i) x[i] = message.at[i] + plan_.side() / 2;
      if (holder(seg, depth, f, x) == me.rank())
        for_each_child(depth, f, before, x, reach_of_points(log_w),
                       [&](const frame&, std::size_t) { cell(depth, f, x) = message.values; });
      for_each_child(depth, f, next, x, reach_of_inputs(log_w),
                     [&](const frame& one, std::size_t part) {
                       if (holder(segment_of(seg, depth, part), depth + 1, one, x) == me.rank())
                         cell(depth + 1, one, x) = message.values;
                     });
    }
  }

  [[nodiscard]] static bool computed_in(const frame& f, unsigned log_w, coordinate reach,
                                        const point<D>& x) {
    for (std::size_t i = 0; i < D; ++i) {
      const coordinate middle = f.corner[i] + (coordinate{1} << log_w) / 2;
      if (x[i] < middle - reach || x[i] > middle + reach) return false;
    }
    return true;
  }
  [[nodiscard]] division divide(const segment& seg, std::size_t depth, std::size_t rank) const {
    return seg.divide(std::size_t{1} << D * plan_.levels()[depth].log_cuts, rank);
  }

  // ---------------------------------------------------------------- one tile

  /// A tile of a segment of several VPs. Times count from step `from` on.
  task<> evaluate(vp& me, segment seg, std::size_t depth, frame f,
                  const std::vector<sums<D>>& phases, coordinate from) {
    const division mine = divide(seg, depth, me.rank());
    const bool alone = plan_.levels()[depth + 1].vps == 1;
    generation before{};
    for (const sums<D>& phase : phases) {
      const generation next = parts_of(depth, f, phase);
      hand_over(me, seg, depth, f, before, next);
      co_await me.sync(seg.label);
      take_over(me, seg, depth, f, before, next);
      before = next;
      if (alone) {
        for (std::size_t i = 0; i < mine.problems; ++i)
          compute(child(depth, f, next, mine.first_problem + i), from);
      } else {
        const frame part = child(depth, f, next, mine.first_problem);
        co_await evaluate(me, mine.part, depth + 1, part, plan_.phases(depth + 1, part.kind), from);
      }
    }
    // The last parts lie as their points do at home.
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    for (std::size_t i = 0; i < mine.problems; ++i) {
      const frame done = child(depth, f, before, mine.first_problem + i);
      if (!done.present) continue;
      for_each_own(mine.part, me.rank(), depth + 1, done,
                   [&](const point<D>& x, const history& values) {
                     if (!computed_in(done, log_w, reach_of_points(log_w), x)) return;
                     assert(holder(seg, depth, f, x) == me.rank());
                     cell(depth, f, x) = values;
                   });
    }
  }

  /// A tile of a single VP.
  void compute(const frame& f, coordinate from) const {
    if (!f.present) return;
    const std::size_t depth = plan_.levels().size() - 1;
    const coordinate w = plan_.levels()[depth].width();
    const interval when = times(f.whole, w, all_) & interval{0, steps_ - from};
    for (coordinate t = when.first; t < when.last; ++t) {
      const box<D> at = section(f.whole, w, t) & all_.points;
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
    const coordinate first = plan_.side() / 2;
    const coordinate last = first + plan_.side() - 1;
    history& own = cell(depth, f, x);
    bool kept = false;
    for (std::size_t i = 0; i < D; ++i)
      kept = kept || (fixed_[i] && (x[i] == first || x[i] == last));
    if (kept) {
      own[parity] = own[1 - parity];
      return;
    }
    std::array<T, neighbourhood_size<D>()> around{};
    for (std::size_t k = 0; k < around.size(); ++k) {
      point<D> y = x;
      for (std::size_t i = D, rest = k; i-- > 0; rest /= 3)
        y[i] = std::clamp(x[i] + static_cast<coordinate>(rest % 3) - 1, first, last);
      around[k] = cell(depth, f, y)[1 - parity];
    }
    own[parity] = update_(&around[around.size() / 2], static_cast<const T&>(own[parity]));
  }

  /// From where the last stage has computed them, or from home.
  void write_results(const segment& seg, std::size_t rank, const frame& grid,
                     const generation& last) const {
    const std::size_t parity = (steps_ - 1) % 2 != 0 ? 1 : 0;
    const unsigned log_w = plan_.levels()[1].log_width;
    const coordinate reach = reach_of_points(log_w);
    const auto write = [&](const point<D>& x, const history& values) {
      const std::size_t i = place_in_grid(x);
      now_[i] = values[parity];
      if (before_ != nullptr) before_[i] = values[1 - parity];
    };
    const frame done = child(0, grid, last, 0);
    if (done.present)
      for_each_own(seg, rank, 1, done, [&](const point<D>& x, const history& values) {
        if (computed_in(done, log_w, reach, x)) write(x, values);
      });
    for_each_own(seg, rank, 0, grid, [&](const point<D>& x, const history& values) {
      if (!done.present || !computed_in(done, log_w, reach, x)) write(x, values);
    });
  }

  literal_plan<D> plan_;
  domain<D> all_;  // as many steps as the side; what lies beyond the last is not computed
  coordinate steps_;
  std::array<bool, D> fixed_;
  Update update_;
  history* cells_ = nullptr;
  history* home_ = nullptr;
  T* now_ = nullptr;
  T* before_ = nullptr;
};

/// Runs it, with memory of the machine's. Requires as the class does; grids that are not in that
/// memory.
template <std::size_t D, class T, class Update>
run_report run_literal_stencil(machine& on, unsigned log_n, coordinate steps, std::size_t vps,
                               const std::array<bool, D>& fixed, const Update& update, T* now,
                               T* before = nullptr) {
  literal_stencil<D, T, Update> program(log_n, steps, vps, fixed, update);
  program.use(on.scratch(program.bytes()).data(), now, before);
  return on.run(vps, [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::diamonds
