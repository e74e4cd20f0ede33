// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>

#include "../stencil/stencil_reference.hpp"
#include "on_ranks.hpp"

namespace distributed_stencil_test {

using pleat::boundary;

const auto heat1 = [](const auto& u) { return 0.5 * u(0) + 0.3 * u(-1) + 0.2 * u(1); };
const auto heat2 = [](const auto& u) {
  return 0.5 * u(0, 0) + 0.2 * u(-1, 0) + 0.1 * u(1, 0) + 0.15 * u(0, -1) + 0.05 * u(1, 1);
};
const auto heat3 = [](const auto& u) {
  return 0.5 * u(0, 0, 0) + 0.2 * u(-1, 0, 0) + 0.1 * u(1, 0, 0) + 0.15 * u(0, -1, 0) +
         0.03 * u(0, 1, 1) + 0.02 * u(1, -1, -1);
};
/// Words that no rounding makes alike.
const auto mix1 = [](const auto& u) -> std::uint32_t {
  return u(-1) * 3 + (u(0) ^ (u(1) >> 5)) * 0x9e3779b9U;
};
const auto life = [](const auto& u) -> std::uint8_t {
  int alive = 0;
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy) alive += dx != 0 || dy != 0 ? u(dx, dy) : 0;
  return alive == 3 || (alive == 2 && u(0, 0) != 0) ? 1 : 0;
};

template <std::size_t D> pleat::boundaries boundaries_of(const edges_of<D>& edges) {
  if constexpr (D == 1) return edges[0];
  if constexpr (D == 2) return {edges[0], edges[1]};
  if constexpr (D == 3) return {edges[0], edges[1], edges[2]};
}

template <class T, std::size_t D>
void put(pleat::distributed_grid<T, D>& grid, const std::vector<T>& all) {
  const std::size_t row = grid.size()[0] == 0 ? 0 : all.size() / grid.size()[0];
  const auto local = grid.local_span();
  for (std::size_t j = 0; j < local.size(); ++j) local[j] = all[grid.rows().first * row + j];
}
template <class T, std::size_t D>
void expect_slab(const pleat::distributed_grid<T, D>& grid, const std::vector<T>& all,
                 const char* what) {
  const std::size_t row = grid.size()[0] == 0 ? 0 : all.size() / grid.size()[0];
  const auto local = grid.local_span();
  for (std::size_t j = 0; j < local.size(); ++j)
    ASSERT_EQ(local[j], all[grid.rows().first * row + j])
        << what << ": cell " << j << " of rank " << grid.rank() << " of " << grid.ranks()
        << ", rows " << grid.size()[0];
}

template <class T, std::size_t D, class Kernel>
void check(const std::vector<machine_of_ranks*>& machines, const sizes<D>& size,
           const edges_of<D>& edges, std::size_t steps, const Kernel& kernel) {
  std::size_t cells = 1;
  for (const std::size_t n : size) cells *= n;
  const std::vector<T> start = random_cells<T>(cells, static_cast<unsigned>(cells + steps));
  reference_grid<T, D> now{size, start}, earlier{size, start};
  for (std::size_t s = 0; s < steps; ++s) reference_step(now, earlier, edges, kernel);
  for (machine_of_ranks* machine : machines) {
    on_ranks(*machine, [&](pleat::machine& on) {
      pleat::distributed_grid<T, D> grid(on, size);
      // Little work is done by few, unless more are asked for; there may be more than workers.
      const std::size_t many = on.threads() + (on.ranks() == 2 ? 4 : 0);
      for (const std::size_t vps : {std::size_t{0}, many}) {
        put(grid, start);
        pleat::stencil_options options{.edges = boundaries_of<D>(edges)};
        if (vps != 0) options.vps = vps;
        pleat::stencil(on, grid, steps, kernel, options);
        expect_slab(grid, now.cells, "stencil");
      }
    });
  }
}

class distributed_stencil : public ::testing::Test {
 protected:
  distributed_stencil() {
    for (const auto& workers : machines_of_ranks())
      made_.push_back(std::make_unique<machine_of_ranks>(workers));
    for (const auto& one : made_) machines_.push_back(one.get());
    few_.assign(machines_.begin(), machines_.end() - 1);
  }
  std::vector<machine_of_ranks*> machines_;
  std::vector<machine_of_ranks*> few_;  ///< of no more than 5 ranks

 private:
  std::vector<std::unique_ptr<machine_of_ranks>> made_;
};

const boundary all_boundaries[] = {boundary::fixed, boundary::periodic, boundary::reflecting};

TEST_F(distributed_stencil, of_a_row_is_that_of_serial_sweeps) {
  for (const boundary edge : all_boundaries) {
    for (const std::size_t n : {0, 1, 2, 17, 333})
      check<double, 1>(n == 17 ? machines_ : few_, {n}, {edge}, n == 2 ? 1 : 34, heat1);
    check<std::uint32_t, 1>(few_, {1500}, {edge}, 101, mix1);
  }
}

TEST_F(distributed_stencil, of_a_square_is_that_of_serial_sweeps) {
  for (const boundary rows : all_boundaries) {
    for (const sizes<2>& size : {sizes<2>{1, 5}, sizes<2>{2, 40}, sizes<2>{18, 300}})
      check<double, 2>(few_, size, {rows, size[0] == 2 ? boundary::periodic : boundary::fixed}, 13,
                       heat2);
    check<double, 2>(machines_, {16, 33}, {rows, boundary::periodic}, 5, heat2);
    check<double, 2>(few_, {110, 40}, {rows, boundary::reflecting}, 33, heat2);
    check<std::uint8_t, 2>(few_, {90, 64}, {rows, boundary::periodic}, 24, life);
  }
}

TEST_F(distributed_stencil, of_a_cube_is_that_of_serial_sweeps) {
  for (const boundary rows : all_boundaries) {
    for (const sizes<3>& size : {sizes<3>{1, 2, 3}, sizes<3>{5, 4, 9}, sizes<3>{19, 8, 20}})
      check<double, 3>(few_, size, {rows, boundary::fixed, boundary::periodic},
                       size[0] == 5 ? 1 : 9, heat3);
    check<float, 3>(
        machines_, {40, 12, 33}, {rows, boundary::reflecting, boundary::fixed}, 11,
        [](const auto& u) { return 0.5F * u(0, 0, 0) + 0.25F * u(-1, 0, 0) + 0.25F * u(1, 0, 0); });
  }
}

TEST_F(distributed_stencil, makes_several_steps_between_exchanges_of_thick_slabs) {
  machine_of_ranks two({1, 2}), three({2, 1, 2});
  const std::vector<machine_of_ranks*> some{&two, &three};
  for (const boundary rows : all_boundaries) {
    check<double, 2>(some, {700, 20}, {rows, boundary::fixed}, 50, heat2);
    check<std::uint32_t, 1>(some, {9000}, {rows}, 120, mix1);
  }
}

TEST_F(distributed_stencil, of_several_fields_and_two_steps_back) {
  const sizes<2> size{37, 20};
  const std::size_t cells = 37 * 20, steps = 10;
  const auto reaction = [](const auto& u, const auto& v) {
    return std::tuple(u(0, 0) + 0.1 * (v(-1, 0) - u(1, 0)), v(0, 1) * 0.5F + 0.25F);
  };
  const auto wave = [](const auto& u) {
    return 1.2 * u(0, 0) - 0.9 * u.before() + 0.3 * (u(-1, 0) + u(1, 0)) + 0.1 * u(0, 1);
  };
  const auto a = random_cells<double>(cells, 1);
  const auto b = random_cells<float>(cells, 2);
  const auto c = random_cells<double>(cells, 3);
  for (const boundary rows : {boundary::periodic, boundary::reflecting}) {
    const edges_of<2> edges{rows, boundary::periodic};
    reference_grid<double, 2> u{size, a};
    reference_grid<float, 2> v{size, b};
    for (std::size_t s = 0; s < steps; ++s) {
      reference_grid<double, 2> u_next = u;
      reference_grid<float, 2> v_next = v;
      for_each_cell<2>(size, edges, [&](const std::array<long, 2>& x) {
        const auto [p, q] = reaction(reference_cell<double, 2>{&u, &u, edges, x},
                                     reference_cell<float, 2>{&v, &v, edges, x});
        u_next.cells[u.place(x)] = p;
        v_next.cells[v.place(x)] = q;
      });
      u = u_next;
      v = v_next;
    }
    reference_grid<double, 2> now{size, a}, before{size, c};
    for (std::size_t s = 0; s < steps + 1; ++s) reference_step(now, before, edges, wave);
    for (machine_of_ranks* machine : machines_) {
      on_ranks(*machine, [&](pleat::machine& on) {
        const pleat::stencil_options options{.edges = boundaries_of<2>(edges), .vps = on.threads()};
        pleat::distributed_grid<double, 2> x(on, size), z(on, size), w(on, size);
        pleat::distributed_grid<float, 2> y(on, size);
        put(x, a);
        put(y, b);
        pleat::stencil(on, std::tie(x, y), steps, reaction, options);
        expect_slab(x, u.cells, "first field");
        expect_slab(y, v.cells, "second field");
        put(z, a);
        put(w, c);
        pleat::stencil(on, z, w, steps + 1, wave, options);
        expect_slab(z, now.cells, "now");
        expect_slab(w, before.cells, "before");
      });
    }
  }
}

// All rows are alike at every step, so that neighbours of different steps are told apart.
TEST_F(distributed_stencil, shows_kernels_no_neighbours_but_those_of_serial_sweeps) {
  const auto next = [](const auto& u) -> std::int64_t {
    if (u(-1, 0) != u(0, 0) || u(1, 0) != u(0, 0)) throw std::runtime_error("of different steps");
    return u(0, 0) + 1;
  };
  for (machine_of_ranks* machine : machines_) {
    for (const std::size_t rows : {3, 300}) {
      on_ranks(*machine, [&](pleat::machine& on) {
        pleat::distributed_grid<std::int64_t, 2> grid(on, {rows, 12});
        grid.fill(on, [](std::size_t, std::size_t y) { return y; });
        for (const boundary edge : {boundary::periodic, boundary::reflecting})
          pleat::stencil(on, grid, 20, next, {.edges = edge, .vps = on.threads()});
        for (std::size_t x = 0; x < grid.local().size[0]; ++x)
          for (std::size_t y = 0; y < 12; ++y)
            ASSERT_EQ(grid.local()(x, y), static_cast<int>(y) + 40);
      });
    }
  }
}

TEST_F(distributed_stencil, shows_the_grid_between_steps_and_lets_it_be_changed) {
  const sizes<2> size{23, 8};
  const edges_of<2> edges{boundary::reflecting, boundary::periodic};
  const auto start = random_cells<double>(23 * 8, 5);
  reference_grid<double, 2> now{size, start}, earlier = now;
  std::vector<std::vector<double>> seen;
  for (std::size_t s = 1; s <= 14; ++s) {
    reference_step(now, earlier, edges, heat2);
    if (s % 4 != 0) continue;
    seen.push_back(now.cells);
    for (double& cell : now.cells) cell *= 3;
  }
  for (machine_of_ranks* machine : machines_) {
    for (const std::size_t steps : {14, 12}) {
      on_ranks(*machine, [&](pleat::machine& on) {
        pleat::distributed_grid<double, 2> grid(on, size);
        put(grid, start);
        std::size_t calls = 0;
        const auto after = [&](std::size_t so_far) {
          ++calls;
          ASSERT_EQ(so_far, 4 * calls);
          expect_slab(grid, seen[calls - 1], "between steps");
          for (double& cell : grid.local_span()) cell *= 3;
        };
        pleat::stencil(
            on, grid, steps, heat2,
            {.edges = boundaries_of<2>(edges), .every = 4, .after = after, .vps = on.threads()});
        EXPECT_EQ(calls, 3u);
        if (steps == 14) expect_slab(grid, now.cells, "in the end");
      });
    }
  }
}

TEST_F(distributed_stencil, throws_on_all_ranks_what_one_throws_and_leaves_the_grid) {
  const sizes<1> size{200};
  const auto start = random_cells<double>(200, 7);
  for (machine_of_ranks* machine : machines_) {
    if (machine->ranks() == 1) continue;
    std::vector<std::unique_ptr<pleat::distributed_grid<double, 1>>> grids(machine->ranks());
    const auto expect_thrown = [&](const char* words,
                                   const std::function<void(pleat::machine&)>& act) {
      expect_words(*machine, words, act);
      on_ranks(*machine,
               [&](pleat::machine& on) { expect_slab(*grids[on.rank()], start, "left"); });
    };
    on_ranks(*machine, [&](pleat::machine& on) {
      grids[on.rank()] = std::make_unique<pleat::distributed_grid<double, 1>>(on, size);
      put(*grids[on.rank()], start);
    });
    const std::size_t last = machine->ranks() - 1;
    for (const std::size_t fails_at : {0, 40}) {
      std::vector<std::atomic<std::size_t>> calls(machine->ranks());
      expect_thrown("no more", [&](pleat::machine& on) {
        const std::size_t rank = on.rank();
        const auto failing = [&, rank](const auto& u) {
          if (calls[rank]++ >= fails_at && rank == last) throw std::runtime_error("no more");
          return 0.5 * u(0) + 0.25 * (u(-1) + u(1));
        };
        pleat::stencil(on, *grids[rank], 100, failing, {.vps = on.threads()});
      });
    }
    expect_thrown("no more", [&](pleat::machine& on) {
      const pleat::stencil_options options{.every = 100,
                                           .after = [&, rank = on.rank()](std::size_t) {
                                             put(*grids[rank], start);
                                             if (rank == last) throw std::runtime_error("no more");
                                           }};
      pleat::stencil(on, *grids[on.rank()], 100, heat1, options);
    });
    expect_thrown("steps or options differ", [&](pleat::machine& on) {
      pleat::stencil(on, *grids[on.rank()], on.rank() == last ? 0 : 7, heat1);
    });
    expect_thrown("steps or options differ", [&](pleat::machine& on) {
      pleat::stencil(on, *grids[on.rank()], 7, heat1,
                     {.edges = on.rank() == last ? boundary::periodic : boundary::fixed});
    });
    expect_thrown("2 boundaries for 1 dimensions", [&](pleat::machine& on) {
      pleat::stencil(on, *grids[on.rank()], 7, heat1,
                     {.edges = {boundary::periodic, boundary::fixed}});
    });
    expect_thrown("0 virtual processors", [&](pleat::machine& on) {
      pleat::stencil(on, *grids[on.rank()], 7, heat1, {.vps = 0});
    });
    expect_thrown("different sizes", [&](pleat::machine& on) {
      pleat::distributed_grid<double, 1> other(on, {201});
      pleat::stencil(on, *grids[on.rank()], other, 7, [](const auto& u) { return u.before(); });
    });
    expect_thrown("one grid is two", [&](pleat::machine& on) {
      auto& grid = *grids[on.rank()];
      pleat::stencil(on, std::tie(grid, grid), 7,
                     [](const auto& u, const auto& v) { return std::tuple(u(0), v(0)); });
    });
    pleat::machine alone({.processors = 1, .workers = pleat::workers::free});
    pleat::distributed_grid<double, 1> whole(alone, size);
    on_ranks(*machine, [&](pleat::machine& on) {  // as good as before
      EXPECT_THROW(pleat::stencil(on, whole, 7, heat1), pleat::usage_error);
      EXPECT_THROW(pleat::stencil(alone, *grids[on.rank()], 7, heat1), pleat::usage_error);
      pleat::stencil(on, *grids[on.rank()], 1, [](const auto& u) { return u(0); });
      expect_slab(*grids[on.rank()], start, "copied");
    });
  }
}

}  // namespace distributed_stencil_test
