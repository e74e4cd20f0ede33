// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>

#include <pleat/oblivious/detail/stencil/program.hpp>
#include <pleat/oblivious/detail/stencil/shape.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {
namespace {

/// Below this many bytes of cells times steps per VP, waking another processor costs more than it
/// saves.
constexpr std::size_t least_work = std::size_t{1} << 18;

/// When the caller is told how far the run has come.
struct schedule {
  offset steps;
  offset every;  ///< 0: never
  std::function<void(std::size_t)> after;
};

/// The program of P VPs that carry out the steps. Both levels of the fields are in memory all VPs
/// see. Whose turn it is to read or write which cells changes with the supersteps, and what changes
/// hands is lent.
template <std::size_t D> class stencil_program {
 public:
  stencil_program(const any_sweeper<D>& with, const schedule& when, std::size_t vps)
      : with_(with),
        cell_bytes_(bytes_of_cell(with)),
        when_(when),
        shape_(with.size(), with.edges(), cell_bytes_, longest(when), vps) {}

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
  /// Of one level of all fields.
  static std::size_t bytes_of_cell(const any_sweeper<D>& with) {
    std::size_t bytes = 0;
    for (const auto& f : with.fields()) bytes += f.level[0].cell_bytes;
    return bytes;
  }
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
    for (const auto& f : with_.fields()) {
      if (start == 1)
        for_each_row(f, mine, [this](std::byte* user, std::byte* scratch, std::size_t bytes) {
          if (with_.two())
            std::swap_ranges(user, user + bytes, scratch);
          else
            std::copy_n(user, bytes, scratch);
        });
      if (start == 0 || with_.two()) copy_faces(f, mine, start);
    }
  }
  /// visit(in level 0, in level 1, bytes) for every row of what is held.
  template <class Visit>
  void for_each_row(const untyped_field<D>& f, const range& mine, const Visit& visit) const {
    std::array<offset, D> low{}, high = with_.size();
    low[shape_.shared()] = mine.first;
    high[shape_.shared()] = mine.last;
    rows_of<0>(f, low, high, low, visit);
  }
  template <std::size_t I, class Visit>
  void rows_of(const untyped_field<D>& f, const std::array<offset, D>& low,
               const std::array<offset, D>& high, std::array<offset, D> x,
               const Visit& visit) const {
    if constexpr (I + 1 == D) {
      const offset n = high[I] - low[I];
      if (n > 0)
        visit(cell(f.level[0], x), cell(f.level[1], x),
              static_cast<std::size_t>(n) * f.level[0].cell_bytes);
    } else {
      for (x[I] = low[I]; x[I] < high[I]; ++x[I]) rows_of<I + 1>(f, low, high, x, visit);
    }
  }
  /// The fixed cells, from one level to the other.
  void copy_faces(const untyped_field<D>& f, const range& mine, unsigned from) const {
    for (std::size_t i = 0; i < D; ++i) {
      if (with_.edges()[i] != boundary::fixed) continue;
      for (const offset face : {offset{0}, with_.size()[i] - 1}) {
        std::array<offset, D> low{}, high = with_.size();
        low[shape_.shared()] = mine.first;
        high[shape_.shared()] = mine.last;
        low[i] = std::max(low[i], face);
        high[i] = std::min(high[i], face + 1);
        rows_of<0>(f, low, high, low, [from](std::byte* user, std::byte* other, std::size_t bytes) {
          if (from == 0)
            std::copy_n(user, bytes, other);
          else
            std::copy_n(other, bytes, user);
        });
      }
    }
  }
  static std::byte* cell(const untyped_grid<D>& g, const std::array<offset, D>& x) {
    offset cells = 0;
    for (std::size_t i = 0; i < D; ++i) cells += x[i] * static_cast<offset>(g.stride[i]);
    return g.data + cells * static_cast<offset>(g.cell_bytes);
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
    if (with_.two()) lend(me, shape_.left(p), 1 - level, slope);
    lend(me, shape_.left(p), level, {mine.first, mine.first + 1});
  }
  /// All cells with these indices in the shared dimension.
  void lend(vp& me, std::size_t to, unsigned level, const range& indices) const {
    for (const auto& f : with_.fields()) {
      const auto& g = f.level[level];
      auto size = g.size;
      size[shape_.shared()] = static_cast<std::size_t>(indices.size());
      std::array<offset, D> x{};
      x[shape_.shared()] = indices.first;
      if constexpr (D == 1) {
        f.lend(me, to, cell(g, x), 1, size[0], size[0]);
      } else if constexpr (D == 2) {
        f.lend(me, to, cell(g, x), size[0], size[1], g.stride[0]);
      } else {
        for (std::size_t i = 0; i < size[0]; ++i, ++x[0])
          f.lend(me, to, cell(g, x), size[1], size[2], g.stride[1]);
      }
    }
  }

  const any_sweeper<D>& with_;
  std::size_t cell_bytes_;
  const schedule& when_;
  shape<D> shape_;
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
  if (options.vps == std::size_t{0})
    throw usage_error(
        "stencil: 0 virtual processors cannot compute; leave stencil_options::vps unset");
  std::array<boundary, D> edges{};
  std::copy_n(options.edges.of.begin(), D, edges.begin());
  return edges;
}

std::size_t stencil_vps(machine& on, std::size_t bytes, std::size_t steps,
                        const stencil_options& options) {
  const double work = static_cast<double>(bytes) * static_cast<double>(steps);
  const double worth =
      std::clamp(work / static_cast<double>(least_work), 1.0, static_cast<double>(on.processors()));
  return options.vps.value_or(static_cast<std::size_t>(worth));
}

template <std::size_t D>
run_report run_in_bands(machine& on, const any_sweeper<D>& with, std::size_t steps,
                        const stencil_options& options) {
  const std::size_t cells = with.fields().front().level[0].cells();
  if (cells == 0 || steps == 0) return {};
  std::size_t bytes = 0;
  for (const auto& f : with.fields()) bytes += cells * f.level[0].cell_bytes;
  const std::size_t vps = stencil_vps(on, bytes, steps, options);
  const schedule when{static_cast<offset>(steps), static_cast<offset>(options.every),
                      options.after};
  stencil_program<D> program(with, when, vps);
  try {
    return on.run(vps, [&program](vp& me) { return program(me); });
  } catch (const vp_failed& failure) {
    failure.rethrow_cause();
  }
}

#define PLEAT_IN_DIMENSIONS(D)                                                      \
  template std::array<boundary, D> check_options<D>(const stencil_options&);        \
  template run_report run_in_bands<D>(machine&, const any_sweeper<D>&, std::size_t, \
                                      const stencil_options&);
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
