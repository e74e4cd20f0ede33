// SPDX-License-Identifier: Apache-2.0
// Both partitions of space-time, carried out with memory of each VP's own: what a VP reads it has
// computed itself or been sent.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/diamonds.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "random_rounds.hpp"
#include "stencil_reference.hpp"

namespace stencil_exchange_test {

using namespace pleat::detail::stencils;
using value = std::uint64_t;  // wraps: every cell that is read wrongly shows
using pleat::boundary;

/// All neighbours, each with its own weight.
template <std::size_t D, bool Two> value mix(const auto& u) {
  value sum = 0;
  const auto take = [&sum](value x) { sum = (sum ^ x) * 0x9e3779b97f4a7c15U + 1; };
  for (long i = -1; i <= 1; ++i)
    if constexpr (D == 1) {
      take(u(i));
    } else {
      for (long j = -1; j <= 1; ++j)
        if constexpr (D == 2)
          take(u(i, j));
        else
          for (long k = -1; k <= 1; ++k) take(u(i, j, k));
    }
  if constexpr (Two) take(u.before());
  return sum;
}

/// f(x) for all cells of a box.
template <std::size_t D, class F> void for_each_cell_of(const box<D>& cells, const F& f) {
  if (cells.empty()) return;
  std::array<long, D> x;
  for (std::size_t i = 0; i < D; ++i) x[i] = cells.sides[i].first;
  for (;;) {
    f(x);
    std::size_t i = D;
    while (i > 0 && ++x[i - 1] == cells.sides[i - 1].last) {
      x[i - 1] = cells.sides[i - 1].first;
      --i;
    }
    if (i == 0) return;
  }
}

template <std::size_t D, bool Two, class Partition> class private_run {
 public:
  using levels = std::array<reference_grid<value, D>, 2>;

  /// Every VP finds nonsense where nothing is at home with it.
  private_run(const Partition& partition, const levels& start, const edges_of<D>& edges,
              offset steps, std::size_t vps)
      : partition_(partition), edges_(edges), steps_(steps), result_(start[0]) {
    for (std::size_t p = 0; p < vps; ++p) {
      memory_.push_back(start);
      if (p >= partition.holders()) continue;
      for (auto& level : memory_[p])
        for (std::size_t i = 0; i < level.cells.size(); ++i) level.cells[i] = p << 32 | i;
      for_each_cell_of(partition.home(p), [&](const std::array<long, D>& x) {
        const std::size_t at = start[0].place(x);
        for (std::size_t l = 0; l < 2; ++l) memory_[p][l].cells[at] = start[l].cells[at];
      });
    }
  }

  pleat::task<> operator()(pleat::vp& me) {
    if (me.rank() >= partition_.holders()) co_return;
    const piece whole = partition_.whole(me.all(), steps_);
    co_await compute(me, whole);
  }
  /// The cells after the last step, from those who computed them.
  [[nodiscard]] const reference_grid<value, D>& result() const { return result_; }

 private:
  using piece = typename Partition::piece;
  using phase = typename Partition::phase;
  struct sent_cell {
    std::size_t level, at;
    value now;
  };

  pleat::task<> compute(pleat::vp& me, piece of) {
    levels& mine = memory_[me.rank()];
    std::optional<phase> before;
    for (std::optional<phase> now = partition_.first(of); now; now = partition_.next(of, *now)) {
      partition_.for_each_held(me.rank(), of, before, [&](const auto& held) {
        partition_.for_each_needed(me.rank(), of, *now, held,
                                   [&](const transfer<D>& what) { send(me, what); });
      });
      co_await me.sync(of.vps.label);
      while (const auto m = me.receive()) {
        const auto cell = m->template get<sent_cell>();
        mine[cell.level].cells[cell.at] = cell.now;
      }
      if (!partition_.divides(of)) {
        partition_.for_each_tile(me.rank(), of, *now,
                                 [&](const zoid<D>& tile) { sweep(mine, tile); });
      } else if constexpr (Partition::recursive) {
        const piece part = partition_.part(of, *now, me.rank());
        co_await compute(me, part);
      }
      before = now;
    }
  }
  void send(pleat::vp& me, const transfer<D>& what) const {
    for_each_cell_of(what.cells, [&](const std::array<long, D>& x) {
      for (std::size_t l = 0; l < 2; ++l) {
        const auto& level = memory_[me.rank()][l];
        const std::size_t at = level.place(x);
        if (what.level == transfer<D>::both || what.level == l)
          me.send(what.to, sent_cell{l, at, level.cells[at]});
      }
    });
  }
  void sweep(levels& mine, const zoid<D>& tile) {
    for (offset k = 0; k < tile.height; ++k) {
      box<D> cells;
      for (std::size_t i = 0; i < D; ++i) cells.sides[i] = {tile.in[i].low(k), tile.in[i].high(k)};
      const auto level = static_cast<std::size_t>(tile.from + k) % 2;
      for_each_cell_of(cells, [&](std::array<long, D> x) {
        for (std::size_t i = 0; i < D; ++i) {
          const auto n = static_cast<long>(result_.size[i]);
          x[i] = (x[i] + n) % n;
        }
        const value next =
            mix<D, Two>(reference_cell<value, D>{&mine[level], &mine[1 - level], edges_, x});
        mine[1 - level].cells[mine[0].place(x)] = next;
        if (tile.from + k + 1 == steps_) result_.cells[mine[0].place(x)] = next;
      });
    }
  }

  const Partition& partition_;
  edges_of<D> edges_;
  offset steps_;
  std::vector<levels> memory_;  ///< by VP
  reference_grid<value, D> result_;
};

template <std::size_t D, bool Two, class Partition>
void expect_serial_sweep(pleat::machine& on, const Partition& partition, const sizes<D>& size,
                         const edges_of<D>& edges, std::size_t steps, std::size_t vps) {
  std::size_t cells = 1;
  for (const std::size_t n : size) cells *= n;
  reference_grid<value, D> now{size, random_cells<value>(cells, 1)}, earlier = now;
  private_run<D, Two, Partition> run(partition, {now, earlier}, edges, static_cast<offset>(steps),
                                     vps);
  on.run(vps, [&run](pleat::vp& me) { return run(me); });
  for (std::size_t t = 0; t < steps; ++t)
    reference_step(now, earlier, edges, [](const auto& u) { return mix<D, Two>(u); });
  std::string name;
  for (std::size_t i = 0; i < D; ++i)
    name += std::to_string(size[i]) + "fpr"[static_cast<int>(edges[i])] + ' ';
  ASSERT_EQ(run.result().cells, now.cells) << name << steps << " steps, " << vps << " VPs";
}

template <std::size_t D> std::array<offset, D> offsets(const sizes<D>& size) {
  std::array<offset, D> result;
  for (std::size_t i = 0; i < D; ++i) result[i] = static_cast<offset>(size[i]);
  return result;
}

template <std::size_t D> void try_bands(std::size_t most) {
  pleat::machine on({.processors = 2});
  random_rounds(60, [&](dice& random) {
    sizes<D> size;
    edges_of<D> edges;
    for (std::size_t i = 0; i < D; ++i) {
      size[i] = 1 + random(most);
      edges[i] = random.one_of({boundary::fixed, boundary::periodic, boundary::reflecting});
    }
    const std::size_t steps = 1 + random(40), vps = 1 + random(6);
    const auto try_kernel = [&]<bool Two>() {
      // Cells of many bytes: so that few are worth cutting.
      const bands<D> partition(offsets(size), edges, random.one_of<std::size_t>({8, 4096}), Two,
                               static_cast<offset>(steps), vps);
      expect_serial_sweep<D, Two>(on, partition, size, edges, steps, vps);
    };
    try_kernel.template operator()<false>();
    try_kernel.template operator()<true>();
  });
}
TEST(exchange, of_bands_brings_what_tiles_read) {
  try_bands<1>(150);
  try_bands<2>(40);
  try_bands<3>(12);
}

template <std::size_t D> void try_diamonds(std::size_t n, std::size_t steps) {
  pleat::machine on({.processors = 2});
  sizes<D> size;
  size.fill(n);
  edges_of<D> edges;
  edges.fill(boundary::reflecting);
  edges[D - 1] = boundary::fixed;
  std::size_t vps = 1;
  for (std::size_t i = 0; i < D; ++i) vps *= n;
  ASSERT_TRUE(diamonds<D>::fit(offsets(size), edges, vps));
  const diamonds<D> partition(offsets(size), edges, static_cast<offset>(steps));
  expect_serial_sweep<D, false>(on, partition, size, edges, steps, vps);
  expect_serial_sweep<D, true>(on, partition, size, edges, steps, vps);
}
TEST(exchange, of_diamonds_brings_what_points_read) {
  for (const std::size_t steps : {1, 2, 5, 16, 33}) {
    for (const std::size_t n : {2, 4, 8, 16, 32}) try_diamonds<1>(n, steps);
    for (const std::size_t n : {2, 4, 8}) try_diamonds<2>(n, steps);
    for (const std::size_t n : {2, 4}) try_diamonds<3>(n, steps);
  }
}

}  // namespace stencil_exchange_test
