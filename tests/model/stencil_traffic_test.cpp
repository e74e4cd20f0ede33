// SPDX-License-Identifier: Apache-2.0
// Compares what a stencil counts with what crosses: the costs of a run over ranks are compared with
// the bytes that ranks hand to their links, with what each rank's kernel has read that other ranks
// have computed, and with the costs of the same steps in one process.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

#include "random_rounds.hpp"
#include "ranks_traffic.hpp"

namespace stencil_traffic_test {

using pleat::boundary;

/// Cell of so many bytes that what is sent besides does not matter. It says where and when it was
/// computed.
struct heavy_cell {
  std::uint32_t place, step, maker;
  std::array<std::byte, 1012> weight;
};
thread_local std::uint32_t this_rank = 0;

/// A cell at a step.
using moment = std::pair<std::uint32_t, std::uint32_t>;

template <std::size_t D> struct shape_of_run {
  std::array<std::size_t, D> size;
  boundary edge;
  std::size_t steps, ranks;
  bool two;

  [[nodiscard]] std::size_t cells() const {
    std::size_t count = 1;
    for (const std::size_t n : size) count *= n;
    return count;
  }
  [[nodiscard]] std::string words() const {
    std::string all;
    for (const std::size_t n : size) all += std::to_string(n) + ' ';
    return all + std::to_string(static_cast<int>(edge)) + ", " + std::to_string(steps) +
           " steps, " + std::to_string(ranks) + " ranks" + (two ? ", two steps back" : "");
  }
};

template <std::size_t D> shape_of_run<D> random_shape(dice& random) {
  shape_of_run<D> shape{};
  for (std::size_t& n : shape.size) n = 1 + random(D == 1 ? 150 : D == 2 ? 24 : 9);
  shape.edge = random.one_of({boundary::fixed, boundary::periodic, boundary::reflecting});
  shape.steps = 1 + random(12);
  shape.ranks = 2 + random(4);
  shape.two = random(3) == 0;
  return shape;
}

/// Adds what the kernel reads of others to `seen`.
template <std::size_t D, bool Two>
heavy_cell next_cell(const auto& u, std::vector<std::set<moment>>& seen) {
  const auto read = [&](const heavy_cell& cell) {
    if (cell.maker != this_rank) seen[this_rank].insert({cell.place, cell.step});
  };
  heavy_cell here{};
  for (int i = -1; i <= 1; ++i) {
    if constexpr (D == 1) {
      read(u(i));
      here = u(0);
    } else {
      for (int j = -1; j <= 1; ++j) {
        if constexpr (D == 2) {
          read(u(i, j));
          here = u(0, 0);
        } else {
          for (int k = -1; k <= 1; ++k) read(u(i, j, k));
          here = u(0, 0, 0);
        }
      }
    }
  }
  if constexpr (Two) read(u.before());
  ++here.step;
  here.maker = this_rank;
  return here;
}

template <std::size_t D, bool Two> void expect_counted(const shape_of_run<D>& shape) {
  SCOPED_TRACE(shape.words());
  using grid = pleat::distributed_grid<heavy_cell, D>;
  std::vector<std::set<moment>> seen(shape.ranks);
  const traffic of =
      traffic_of(shape.ranks, [&](pleat::machine& on, std::size_t rank) -> call_on_rank {
        this_rank = static_cast<std::uint32_t>(rank);
        const auto now = std::make_shared<grid>(on, shape.size);
        const auto before = std::make_shared<grid>(on, shape.size);
        const std::size_t row = shape.cells() / shape.size[0];
        for (const auto& one : {now, before}) {
          auto place = static_cast<std::uint32_t>(one->rows().first * row);
          for (heavy_cell& cell : one->local_span())
            cell = {place++, one == now ? 1U : 0U, this_rank, {}};
        }
        return [&, now, before] {
          const pleat::stencil_options options{.edges = shape.edge, .vps = shape.ranks};
          const auto kernel = [&](const auto& u) { return next_cell<D, Two>(u, seen); };
          pleat::run_report report;
          if constexpr (Two)
            report = pleat::stencil(on, *now, *before, shape.steps, kernel, options);
          else
            report = pleat::stencil(on, *now, shape.steps, kernel, options);
          for (const heavy_cell& cell : now->local_span()) {
            if (cell.maker != this_rank) seen[this_rank].insert({cell.place, cell.step});
            // Cells that never change are only moved.
            EXPECT_TRUE(cell.step == shape.steps + 1 || cell.step == 1);
          }
          return report;
        };
      });
  expect_counted_bytes(of, sizeof(heavy_cell));
  const square counted = counted_between(*of.costs);
  for (std::size_t to = 0; to < shape.ranks; ++to) {
    std::uint64_t arrived = 0;
    for (const auto& row : counted) arrived += row[to];
    EXPECT_GE(arrived, seen[to].size()) << "rank " << to << " has read more than it was sent";
  }
}

template <std::size_t D> void try_shapes(int rounds) {
  random_rounds(rounds, [&](dice& random) {
    const shape_of_run<D> shape = random_shape<D>(random);
    if (shape.two)
      expect_counted<D, true>(shape);
    else
      expect_counted<D, false>(shape);
  });
}

constexpr int rounds = 20;

TEST(traffic_of_stencils, that_is_counted_is_what_crosses_of_a_row) { try_shapes<1>(rounds); }
TEST(traffic_of_stencils, that_is_counted_is_what_crosses_of_a_square) { try_shapes<2>(rounds); }
TEST(traffic_of_stencils, that_is_counted_is_what_crosses_of_a_cube) { try_shapes<3>(rounds); }

/// Over ranks one superstep before the first brings the cells, and two behind the last take them
/// back; what is between is what one process counts, which takes borders back in one.
TEST(traffic_of_stencils, in_one_process_is_that_over_ranks) {
  random_rounds(rounds, [&](dice& random) {
    const shape_of_run<2> shape = random_shape<2>(random);
    if (shape.cells() == shape.ranks) return;  // may be diamonds in one process
    SCOPED_TRACE(shape.words());
    const auto heat = [](const auto& u) { return 0.5 * u(0, 0) + 0.25 * (u(-1, 0) + u(0, 1)); };
    const pleat::stencil_options options{.edges = shape.edge, .vps = shape.ranks};
    pleat::machine alone({.trace = pleat::tracing{}});
    std::vector<double> cells(shape.cells());
    const pleat::cost_trace expected =
        *pleat::stencil(alone, pleat::grid_view<double, 2>(cells.data(), shape.size), shape.steps,
                        heat, options)
             .costs;
    machine_of_ranks ranks(std::vector<unsigned>(shape.ranks, 1), {.trace = pleat::tracing{}});
    const auto thrown = on_all_ranks(shape.ranks, [&](std::size_t rank) {
      pleat::distributed_grid<double, 2> grid(ranks.on(rank), shape.size);
      const auto report = pleat::stencil(ranks.on(rank), grid, shape.steps, heat, options);
      const auto all = report.costs->supersteps();
      ASSERT_EQ(all.size(), expected.supersteps().size() + 2);
      for (std::size_t s = 0; s + 1 < expected.supersteps().size(); ++s) {
        EXPECT_EQ(all[s + 1].label, expected.supersteps()[s].label);
        EXPECT_EQ(all[s + 1].h, expected.supersteps()[s].h);
      }
      EXPECT_EQ(all.back().h.back(), 0U);
    });
    for (const auto& one : thrown) EXPECT_EQ(words_of(one), "");
  });
}

/// A cell and the thread that has computed it last.
struct made_cell {
  std::size_t step;
  std::thread::id maker;
};

/// The last superstep has the cells that were computed last by another VP than the one that has
/// them at home: on a ring, equal shares. Each VP has a thread of its own.
TEST(traffic_of_stencils, ends_with_the_cells_that_others_have_computed) {
  random_rounds(rounds, [&](dice& random) {
    const std::size_t vps = 2 + random(4), columns = 1 + random(5), rows = vps * (16 + random(20));
    const std::size_t steps = 1 + random(30);
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                 std::to_string(steps) + " steps, " + std::to_string(vps) + " VPs");
    const pleat::stencil_options options{.edges = pleat::boundary::periodic, .vps = vps};
    const auto run = [&](pleat::machine& on, std::vector<made_cell>& cells) {
      cells.resize(rows * columns);
      const pleat::grid_view<made_cell, 2> grid(cells.data(), {rows, columns});
      return pleat::stencil(
          on, grid, steps,
          [](const auto& u) {
            return made_cell{u(0, 0).step + 1, std::this_thread::get_id()};
          },
          options);
    };
    pleat::machine threads(
        {.processors = vps, .workers = pleat::workers::free, .threads = {.each = true}});
    std::vector<std::thread::id> ids(vps);
    threads.run(vps, [&](pleat::vp& me) -> pleat::task<> {
      ids[me.rank()] = std::this_thread::get_id();
      co_await me.sync(0);
    });
    std::vector<made_cell> cells, same;
    run(threads, cells);
    std::vector<std::size_t> sent(vps), received(vps);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto maker =
          static_cast<std::size_t>(std::ranges::find(ids, cells[i].maker) - ids.begin());
      const std::size_t home = i / columns / (rows / vps);
      ASSERT_LT(maker, vps);
      EXPECT_EQ(cells[i].step, steps);
      if (maker != home) ++sent[maker], ++received[home];
    }
    pleat::machine counting({.trace = pleat::tracing{}});
    const pleat::run_report report = run(counting, same);
    EXPECT_EQ(report.costs.value().supersteps().back().h.back(),
              std::max(std::ranges::max(sent), std::ranges::max(received)));
  });
}

}  // namespace stencil_traffic_test
