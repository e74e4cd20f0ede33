// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/diamonds.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/rank_run.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {
namespace {

/// Least work of a VP, in bytes of cells times steps: below it, waking another worker costs more
/// than it saves.
constexpr std::size_t least_work = std::size_t{1} << 18;
/// Approximate number of cells that are updated in the time of an exchange between ranks.
constexpr double cells_per_exchange = 1 << 14;

/// Number of steps, and the steps after which `after` is called.
struct schedule {
  offset steps;
  offset every;  ///< 0: never
  std::function<void(std::size_t)> after;

  /// Number of steps until `after` is called or the run ends.
  [[nodiscard]] offset stretch(offset done) const noexcept {
    return every > 0 ? std::min(every, steps - done) : steps;
  }
};

/// Program of P VPs that perform the steps in the phases of a partition of space-time: `bands` or
/// `diamonds`. A tile is computed in place: a value is overwritten two steps later, when all values
/// that depend on it are computed. In each superstep a cell belongs to one VP. A VP reads and
/// writes only cells of its home, or that it has computed or received.
///
/// In one process both levels of the fields are in shared memory, the caller's grid is one of them,
/// and received cells are already in place. Over ranks the fields are a window of the grid, into
/// which cells from other ranks are copied; the caller's cells are loaded first and stored at the
/// end.
///
/// A partition defines the `home` of each of the `holders`, which is the cells that the VP owns;
/// the phases (`first`, `next`) of a piece of space-time, the largest of which is the `whole`; for
/// each phase the `part` of the piece that a VP's segment computes, or the tiles of the VP itself;
/// and the cells that one VP holds before the phase and another one needs in it.
template <std::size_t D, class Partition> class stencil_program {
 public:
  stencil_program(const any_sweeper<D>& with, const schedule& when, std::size_t cell_bytes,
                  const Partition& partition, const rank_run<D>* ranks = nullptr)
      : with_(with),
        when_(when),
        cell_bytes_(cell_bytes),
        fine_(grain<D>::with_chunk(with.chunk())),
        partition_(partition),
        ranks_(ranks) {
    if (ranks != nullptr) first_ = ranks->cells.first();
  }

  task<> operator()(vp& me) const {
    // In one process no VP waits for VPs without cells. Over ranks these have shares of the slabs.
    if (ranks_ == nullptr && !holds(me)) co_return;
    for (offset done = 0; done < when_.steps;) {
      const offset steps = when_.stretch(done);
      const auto start = static_cast<unsigned>(steps % 2);  // the last step writes the user's level
      if (ranks_ != nullptr)
        co_await ranks_->cells.load(me, ranks_->slabs, with_.fields(), with_.two(), start);
      if (holds(me)) prepare(me.rank(), start);
      const piece whole = partition_.whole(me.all(), steps);
      co_await compute(me, whole, start);
      if (ranks_ == nullptr) {
        count_away(me, whole);
        co_await me.sync(0);
      } else if constexpr (!Partition::recursive) {
        co_await ranks_->cells.store(me, ranks_->slabs, with_.fields(), with_.two(),
                                     partition_.last(whole), ranks_->landing);
        if (steps == when_.every) co_await me.sync(0);
      }
      done += steps;
      if (steps != when_.every) continue;
      const std::exception_ptr failed = me.rank() == first_here() ? tell_caller(done) : nullptr;
      co_await me.sync(0);
      if (failed) std::rethrow_exception(failed);
    }
  }

 private:
  using piece = typename Partition::piece;
  using phase = typename Partition::phase;

  [[nodiscard]] bool holds(const vp& me) const { return me.rank() < partition_.holders(); }
  /// The VP on the thread of this process that called the run.
  [[nodiscard]] std::size_t first_here() const {
    return ranks_ == nullptr ? 0 : ranks_->cells.here().first;
  }

  /// Calls `after`. If it throws over ranks, the run continues until all ranks have called `after`;
  /// no VP writes to the slabs before the next store. In one process the run ends at once, so that
  /// the grid does not change.
  [[nodiscard]] std::exception_ptr tell_caller(offset done) const {
    try {
      when_.after(static_cast<std::size_t>(done));
    } catch (...) {
      if (ranks_ == nullptr) throw;
      return std::current_exception();
    }
    return nullptr;
  }

  void prepare(std::size_t rank, unsigned start) const {
    const box<D> home = partition_.home(rank);
    if (ranks_ != nullptr) {
      copy_fixed_cells<D>(with_.fields(), first_, ranks_->cells.size(),
                          ranks_->cells.partition().edges(), home, start);
    } else {
      if (start == 1) move_to_other_level<D>(with_.fields(), home, with_.two());
      if (start == 0 || with_.two())  // else both levels are equal
        copy_fixed_cells<D>(with_.fields(), first_, with_.size(), with_.edges(), home, start);
    }
  }

  /// Computes a piece of space-time on its segment. Step k reads level (start + k) mod 2.
  task<> compute(vp& me, piece of, unsigned start) const {
    std::optional<phase> before;
    for (std::optional<phase> now = partition_.first(of); now; now = partition_.next(of, *now)) {
      if (holds(me)) exchange(me, of, before, *now, start);
      co_await me.sync(of.vps.label);
      if (holds(me)) take(me, of, before, *now, start);
      if (!partition_.divides(of)) {
        if (holds(me))
          partition_.for_each_tile(me.rank(), of, *now,
                                   [&](const zoid<D>& tile) { sweep(tile, start); });
      } else if constexpr (Partition::recursive) {
        const piece part = partition_.part(of, *now, me.rank());
        co_await compute(me, part, start);
      }
      before = now;
    }
  }

  /// Computes a tile, refined into parts that fit in the cache.
  void sweep(const zoid<D>& of, unsigned start) const {
    zoid<D> tile = of;
    for (std::size_t i = 0; i < D; ++i) {
      tile.in[i].first -= first_[i];
      tile.in[i].last -= first_[i];
    }
    const unsigned level = start + static_cast<unsigned>(tile.from);
    const auto visit = [&](const part_of_zoid<D>& part) { with_.sweep(tile, part, level); };
    refinement<D, decltype(visit)>(tile, cell_bytes_, fine_, visit).run();
  }

  /// Counts the cells of other VPs' homes whose last value this VP has computed. Over ranks `store`
  /// sends these cells instead.
  void count_away(vp& me, const piece& whole) const {
    if (!counts_crossings(me)) return;
    const std::size_t values = with_.fields().size() * (with_.two() ? 2 : 1);
    partition_.for_each_held(me.rank(), whole, partition_.last(whole), [&](const auto& held) {
      partition_.for_each_away(me.rank(), whole, held, [&](std::size_t q, const box<D>& cells) {
        // With diamonds one message names a cell and stands for all its values.
        me.count_crossing(q, Partition::recursive ? 1 : cells.size() * values);
      });
    });
  }

  /// Sends the cells that this VP holds and other VPs need. If both levels of a cell are read, a
  /// message names the cell; the memory of other cells is lent.
  void exchange(vp& me, const piece& of, const std::optional<phase>& before, const phase& now,
                unsigned start) const {
    for_each_transfer(me.rank(), of, before, now, [&](const transfer<D>& what) {
      if (what.level == transfer<D>::both) {
        point<D> x;
        for (std::size_t i = 0; i < D; ++i) x[i] = what.cells.sides[i].first;
        return me.send(what.to, x);
      }
      // Memory lent to another VP of this process may be written by that VP.
      const bool own = ranks_ == nullptr || ranks_->cells.here().contains(what.to);
      for (const auto& f : with_.fields())
        lend_cells(me, what.to, f, level(f, what, start), placed(what.cells, what.held_off), own);
    });
    if (me.rank() - of.vps.first < of.vps.size / 2)
      me.dummy(me.rank() + of.vps.size / 2, Partition::dummies);
  }
  /// Takes the cells that were sent to this VP. Named cells are already in place, because diamonds
  /// run in one process.
  void take(vp& me, const piece& of, const std::optional<phase>& before, const phase& now,
            unsigned start) const {
    if constexpr (Partition::recursive) {
      while (me.receive()) {
      }
    } else {
      partition_.for_each_neighbour(me.rank(), [&](std::size_t q) {
        for_each_transfer(q, of, before, now, [&](const transfer<D>& what) {
          if (what.to != me.rank()) return;
          for (const auto& f : with_.fields())
            take_cells(me, f, level(f, what, start), placed(what.cells, what.needed_off));
        });
      });
    }
  }
  /// Calls visit(transfer) for the cells that VP q sends.
  template <class Visit>
  void for_each_transfer(std::size_t q, const piece& of, const std::optional<phase>& before,
                         const phase& now, const Visit& visit) const {
    partition_.for_each_held(q, of, before, [&](const auto& held) {
      partition_.for_each_needed(q, of, now, held, visit);
    });
  }
  [[nodiscard]] placed_grid<D> level(const untyped_field<D>& f, const transfer<D>& what,
                                     unsigned start) const {
    return {f.level[(start + what.level) % 2], first_};
  }
  [[nodiscard]] box<D> placed(const box<D>& cells, const point<D>& off) const {
    return ranks_ == nullptr ? cells : moved(cells, off);
  }

  const any_sweeper<D>& with_;
  const schedule& when_;
  std::size_t cell_bytes_;  ///< both levels of all fields
  grain<D> fine_;
  const Partition& partition_;
  const rank_run<D>* ranks_;
  point<D> first_{};  ///< position in the grid of the first cell of the fields
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

namespace {

/// Size of a cell: both levels of all fields.
template <std::size_t D> std::size_t cell_bytes_of(const any_sweeper<D>& with) noexcept {
  std::size_t bytes = 0;
  for (const auto& f : with.fields()) bytes += 2 * f.level[0].cell_bytes;
  return bytes;
}

schedule schedule_of(std::size_t steps, const stencil_options& options) {
  return {static_cast<offset>(steps), static_cast<offset>(options.every), options.after};
}

}  // namespace

template <std::size_t D>
run_report run_steps(machine& on, const any_sweeper<D>& with, std::size_t steps,
                     const stencil_options& options) {
  const std::size_t cells = with.fields().front().level[0].cells();
  const std::size_t cell_bytes = cell_bytes_of(with);
  const std::size_t vps = stencil_vps(on, cells * cell_bytes / 2, steps, options);
  if (cells == 0 || steps == 0) return {};
  const schedule when = schedule_of(steps, options);
  const offset longest = when.stretch(0);
  const auto run = [&](const auto& partition) {
    const stencil_program<D, std::remove_cvref_t<decltype(partition)>> program(
        with, when, cell_bytes, partition);
    return run_program(on, vps, [&program](vp& me) { return program(me); });
  };
  if (diamonds<D>::fit(with.size(), with.edges(), vps))
    return run(diamonds<D>(with.size(), with.edges(), longest));
  return run(bands<D>(with.size(), with.edges(), cell_bytes, with.two(), longest, vps));
}

template <std::size_t D>
std::size_t vps_over_ranks(std::size_t threads, const std::array<offset, D>& size,
                           std::size_t bytes, std::size_t steps, const stencil_options& options) {
  double cells = 1;
  for (const offset n : size) cells *= static_cast<double>(n);
  const auto n = static_cast<double>(
      size[0] >= static_cast<offset>(16 * threads) ? size[0] : std::ranges::max(size));
  const auto s = static_cast<double>(std::max<std::size_t>(steps, 1));
  const double work = static_cast<double>(bytes) * s / static_cast<double>(least_work);
  // A VP updates cells/P · n/(8P) cells in a superstep if a band has n/(4P) steps.
  const double exchanges = std::sqrt(cells * n / (8 * cells_per_exchange));
  return choose_vps("stencil", options.vps, std::min(work, std::max(exchanges, n / (4 * s))),
                    threads);
}

template <std::size_t D>
run_report run_steps_over_ranks(distribution::collective_call& call, const rank_run<D>* ready,
                                std::size_t steps, const stencil_options& options) {
  const schedule when = schedule_of(steps, options);
  std::optional<stencil_program<D, bands<D>>> program;
  if (ready != nullptr)
    program.emplace(ready->with, when, cell_bytes_of(ready->with), ready->cells.partition(), ready);
  return call.run_again([&](vp& me, const distribution::rank_places&) -> task<> {
    if (program) co_await (*program)(me);  // else this rank's first VP throws the reason
  });
}

#define PLEAT_IN_DIMENSIONS(D)                            \
  template decltype(check_options<D>) check_options<D>;   \
  template decltype(run_steps<D>) run_steps<D>;           \
  template decltype(vps_over_ranks<D>) vps_over_ranks<D>; \
  template decltype(run_steps_over_ranks<D>) run_steps_over_ranks<D>;
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
