// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/diamonds.hpp>
#include <pleat/oblivious/detail/stencil/levels.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>
#include <pleat/oblivious/detail/stencil/refine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {
namespace {

/// Below this many bytes of cells times steps per VP, waking another processor costs more than it
/// saves.
constexpr std::size_t least_work = std::size_t{1} << 18;

/// How many steps, and when the caller is told how far the run has come.
struct schedule {
  offset steps;
  offset every;  ///< 0: never
  std::function<void(std::size_t)> after;

  /// The steps until the next stop.
  [[nodiscard]] offset stretch(offset done) const noexcept {
    return every > 0 ? std::min(every, steps - done) : steps;
  }
};

/// The program of P VPs that carry out the steps, phase by phase of a partition of space-time:
/// `bands` or `diamonds`. Both levels of the fields are in memory all VPs see. A tile is computed
/// in place: a value is overwritten two steps later, when all that depends on it is there. Whose
/// turn it is to read or write which cells changes with the supersteps.
///
/// A partition says which cells are at `home` with each of the `holders`; what the phases of a
/// piece of space-time are, beginning with the `whole` (`first`, `next`); of a phase, which `part`
/// of the piece a VP's segment computes, or which tiles the VP itself; and which cells a VP holds
/// before it and others need in it.
template <std::size_t D, class Partition> class stencil_program {
 public:
  stencil_program(const any_sweeper<D>& with, const schedule& when, std::size_t cell_bytes,
                  Partition partition)
      : with_(with),
        when_(when),
        cell_bytes_(cell_bytes),
        fine_(grain<D>::with_chunk(with.chunk())),
        partition_(std::move(partition)) {}

  task<> operator()(vp& me) const {
    if (me.rank() >= partition_.holders()) co_return;  // nobody waits for those without cells
    for (offset done = 0; done < when_.steps;) {
      const offset steps = when_.stretch(done);
      const auto start = static_cast<unsigned>(steps % 2);  // the last step writes the user's level
      prepare_levels(with_, partition_.home(me.rank()), start);
      const piece whole = partition_.whole(me.all(), steps);
      co_await compute(me, whole, start);
      done += steps;
      if (steps != when_.every) continue;
      co_await me.sync(0);
      if (me.rank() == 0) when_.after(static_cast<std::size_t>(done));
      co_await me.sync(0);
    }
  }

 private:
  using piece = typename Partition::piece;
  using phase = typename Partition::phase;

  /// A piece of space-time, by the segment it belongs to. Step k reads level (start + k) mod 2.
  task<> compute(vp& me, piece of, unsigned start) const {
    std::optional<phase> before;
    for (std::optional<phase> now = partition_.first(of); now; now = partition_.next(of, *now)) {
      exchange(me, of, before, *now, start);
      co_await me.sync(of.vps.label);
      while (me.receive()) {
      }
      if (!partition_.divides(of)) {
        partition_.for_each_tile(me.rank(), of, *now,
                                 [&](const zoid<D>& tile) { sweep(tile, start); });
      } else if constexpr (Partition::recursive) {
        const piece part = partition_.part(of, *now, me.rank());
        co_await compute(me, part, start);
      }
      before = now;
    }
  }

  /// A tile, refined into parts that fit the cache.
  void sweep(const zoid<D>& tile, unsigned start) const {
    const unsigned level = start + static_cast<unsigned>(tile.from);
    const auto visit = [&](const part_of_zoid<D>& part) { with_.sweep(tile, part, level); };
    refinement<D, decltype(visit)>(tile, cell_bytes_, fine_, visit).run();
  }

  /// Hands over what this VP holds and others need: the intersections.
  void exchange(vp& me, const piece& of, const std::optional<phase>& before, const phase& now,
                unsigned start) const {
    partition_.for_each_held(me.rank(), of, before, [&](const auto& held) {
      partition_.for_each_needed(me.rank(), of, now, held,
                                 [&](const transfer<D>& what) { hand_over(me, what, start); });
    });
    if (me.rank() - of.vps.first < of.vps.size / 2)
      me.dummy(me.rank() + of.vps.size / 2, Partition::dummies);
  }
  /// A cell whose two values are read is named, in one message. Other cells are lent.
  void hand_over(vp& me, const transfer<D>& what, unsigned start) const {
    point<D> x;
    for (std::size_t i = 0; i < D; ++i) x[i] = what.cells.sides[i].first;
    if (what.level == transfer<D>::both) return me.send(what.to, x);
    for (const auto& f : with_.fields()) {
      const auto& g = f.level[(start + what.level) % 2];
      std::array<std::size_t, D> size;
      for (std::size_t i = 0; i < D; ++i)
        size[i] = static_cast<std::size_t>(what.cells.sides[i].size());
      if constexpr (D == 1) {
        f.lend(me, what.to, cell_at(g, x), 1, size[0], size[0]);
      } else if constexpr (D == 2) {
        f.lend(me, what.to, cell_at(g, x), size[0], size[1], g.stride[0]);
      } else {
        for (point<D> plane = x; plane[0] < what.cells.sides[0].last; ++plane[0])
          f.lend(me, what.to, cell_at(g, plane), size[1], size[2], g.stride[1]);
      }
    }
  }

  const any_sweeper<D>& with_;
  const schedule& when_;
  std::size_t cell_bytes_;  ///< both levels of all fields
  grain<D> fine_;
  Partition partition_;
};

}  // namespace

template <std::size_t D> std::array<boundary, D> check_options(const stencil_options& options) {
  if (options.edges.given != 1 && options.edges.given != D)
    throw usage_error("stencil: " + std::to_string(options.edges.given) + " boundaries for " +
                      std::to_string(D) + " dimensions; give one for all or one for each");
  if (options.every > 0 && !options.after)
    throw usage_error("stencil: stencil_options::every is set; say what to call in `after`");
  if (options.every == 0 && options.after)
    throw usage_error(
        "stencil: stencil_options::after is set; say after how many steps in `every`");
  std::array<boundary, D> edges{};
  std::copy_n(options.edges.of.begin(), D, edges.begin());
  return edges;
}

std::size_t stencil_vps(machine& on, std::size_t bytes, std::size_t steps,
                        const stencil_options& options) {
  const double work = static_cast<double>(bytes) * static_cast<double>(steps);
  return choose_vps("stencil", options.vps, work / static_cast<double>(least_work), on.threads());
}

template <std::size_t D>
run_report run_steps(machine& on, const any_sweeper<D>& with, std::size_t steps,
                     const stencil_options& options) {
  const std::size_t cells = with.fields().front().level[0].cells();
  std::size_t cell_bytes = 0;
  for (const auto& f : with.fields()) cell_bytes += f.level[0].cell_bytes;
  const std::size_t vps = stencil_vps(on, cells * cell_bytes, steps, options);
  if (cells == 0 || steps == 0) return {};
  cell_bytes *= 2;
  const schedule when{static_cast<offset>(steps), static_cast<offset>(options.every),
                      options.after};
  const offset longest = when.stretch(0);
  const auto run = [&](auto partition) {
    const stencil_program<D, decltype(partition)> program(with, when, cell_bytes,
                                                          std::move(partition));
    return run_program(on, vps, [&program](vp& me) { return program(me); });
  };
  if (diamonds<D>::fit(with.size(), with.edges(), vps))
    return run(diamonds<D>(with.size(), with.edges(), longest));
  return run(bands<D>(with.size(), with.edges(), cell_bytes, with.two(), longest, vps));
}

#define PLEAT_IN_DIMENSIONS(D)                                                   \
  template std::array<boundary, D> check_options<D>(const stencil_options&);     \
  template run_report run_steps<D>(machine&, const any_sweeper<D>&, std::size_t, \
                                   const stencil_options&);
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
