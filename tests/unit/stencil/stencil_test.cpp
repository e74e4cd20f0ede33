// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "stencil_reference.hpp"
#include "unit/runtime/machines.hpp"

namespace {

using pleat::boundary;
using pleat::grid_view;
using pleat::stencil;
using pleat::stencil_options;

// Kernels of every shape; not symmetrical, so that a neighbour taken for another shows.
constexpr auto heat1 = [](const auto& u) { return 0.5 * u(0) + 0.3 * u(-1) + 0.2 * u(1); };
constexpr auto heat2 = [](const auto& u) {
  return 0.4 * u(0, 0) + 0.1 * u(-1, 0) + 0.2 * u(1, 0) + 0.25 * u(0, -1) + 0.05 * u(0, 1);
};
constexpr auto heat3 = [](const auto& u) {
  return 0.4 * u(0, 0, 0) + 0.05 * u(-1, 0, 0) + 0.15 * u(1, 0, 0) + 0.12 * u(0, -1, 0) +
         0.08 * u(0, 1, 0) + 0.11 * u(0, 0, -1) + 0.09 * u(0, 0, 1);
};
/// All neighbours, each with its own weight; integers, which wrap round and forget nothing.
constexpr auto all1 = [](const auto& u) {
  return static_cast<std::uint32_t>(3 * u(-1) + 5 * u(0) + 7 * u(1));
};
constexpr auto all2 = [](const auto& u) {
  std::uint32_t sum = 0, weight = 1;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) sum += (weight += 2) * u(i, j);
  return sum;
};
constexpr auto all3 = [](const auto& u) {
  std::uint32_t sum = 0, weight = 1;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) sum += (weight += 2) * u(i, j, k);
  return sum;
};
constexpr auto life = [](const auto& u) {
  const int n = u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1);
  return static_cast<std::uint8_t>(n == 3 || (n == 2 && u(0, 0) != 0));
};
constexpr auto wave2 = [](const auto& u) {
  return 2 * u(0, 0) - u.before() +
         0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + 0.5 * u(0, 1) - 3.5 * u(0, 0));
};

template <std::size_t D> std::size_t product(const sizes<D>& size) {
  std::size_t n = 1;
  for (const std::size_t s : size) n *= s;
  return n;
}
template <std::size_t D> pleat::boundaries edges_for(const edges_of<D>& e) {
  if constexpr (D == 1)
    return {e[0]};
  else if constexpr (D == 2)
    return {e[0], e[1]};
  else
    return {e[0], e[1], e[2]};
}
template <std::size_t D> std::string name_of(const sizes<D>& size, const edges_of<D>& edges) {
  std::string name;
  for (std::size_t i = 0; i < D; ++i)
    name += std::to_string(size[i]) + "fpr"[static_cast<int>(edges[i])] + ' ';
  return name;
}

class stencil_of : public machines {
 protected:
  template <class T, std::size_t D, class Kernel>
  void expect_sweeps(pleat::machine& m, const sizes<D>& size, const edges_of<D>& edges,
                     std::size_t steps, std::optional<std::size_t> vps, const Kernel& kernel) {
    reference_grid<T, D> expected{size,
                                  random_cells<T>(product(size), static_cast<unsigned>(steps))};
    std::vector<T> cells = expected.cells;
    reference_grid<T, D> none = expected;
    for (std::size_t t = 0; t < steps; ++t) reference_step(expected, none, edges, kernel);
    stencil(m, grid_view<T, D>(cells.data(), size), steps, kernel,
            {.edges = edges_for(edges), .vps = vps});
    ASSERT_EQ(cells, expected.cells) << name_of(size, edges) << steps << " steps, "
                                     << vps.value_or(0) << " VPs, " << m.processors() << " workers";
  }

  static constexpr std::array all_edges{boundary::fixed, boundary::periodic, boundary::reflecting};
};

TEST_F(stencil_of, one_dimension_is_the_serial_sweep_for_every_number_of_vps) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    pleat::machine m({.processors = workers});
    for (const boundary edge : all_edges) {
      for (const std::size_t n : {0, 1, 2, 3, 5, 8, 17, 64, 97})
        for (const std::size_t steps : {0, 1, 2, 5, 33})
          for (const std::size_t vps : {std::size_t{1}, std::size_t{2}, std::size_t{3},
                                        std::size_t{8}, std::max<std::size_t>(n, 1)})
            expect_sweeps<std::uint32_t, 1>(m, {n}, {edge}, steps, vps, all1);
    }
  }
}

TEST_F(stencil_of, long_rows_are_the_serial_sweep) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    for (const std::size_t n : {4'999, 7'000}) {
      for (const std::size_t steps : {1, 6, 151}) {
        expect_sweeps<double, 1>(m, {n}, {edge}, steps, 2, heat1);
        expect_sweeps<double, 1>(m, {n}, {edge}, steps, 1, heat1);
        expect_sweeps<std::uint32_t, 1>(m, {n}, {edge}, steps, 3, all1);
      }
    }
  }
}

TEST_F(stencil_of, two_dimensions_are_the_serial_sweep_for_all_pairs_of_boundaries) {
  for (const unsigned workers : {2U, 3U}) {
    pleat::machine m({.processors = workers});
    for (const boundary rows : all_edges) {
      for (const boundary columns : all_edges) {
        for (const auto& size : {sizes<2>{1, 1},
                                 {1, 9},
                                 {2, 2},
                                 {3, 5},
                                 {9, 1},
                                 {17, 40},
                                 {40, 17},
                                 {7, 64},
                                 {33, 2},
                                 {0, 4},
                                 {4, 0}})
          for (const std::size_t steps : {1, 2, 7})
            for (const std::size_t vps : {1, 2, 5})
              expect_sweeps<std::uint32_t, 2>(m, size, {rows, columns}, steps, vps, all2);
      }
    }
  }
}

TEST_F(stencil_of, three_dimensions_are_the_serial_sweep_for_all_triples_of_boundaries) {
  pleat::machine m({.processors = 3U});
  for (const boundary x : all_edges) {
    for (const boundary y : all_edges) {
      for (const boundary z : all_edges) {
        for (const auto& size :
             {sizes<3>{1, 1, 1}, {2, 3, 4}, {1, 2, 9}, {11, 6, 7}, {5, 17, 4}, {3, 4, 21}})
          for (const std::size_t steps : {1, 2, 5})
            for (const std::size_t vps : {1, 2, 3})
              expect_sweeps<std::uint32_t, 3>(m, size, {x, y, z}, steps, vps, all3);
      }
    }
  }
}

TEST_F(stencil_of, one_cell_a_vp_is_computed_in_diamonds) {
  for (const unsigned workers : {1U, 2U, 3U, 6U}) {
    pleat::machine m({.processors = workers});
    for (const std::size_t n : {2, 4, 16, 32})
      for (const std::size_t steps : {1, 2, 16, 17, 33})
        expect_sweeps<std::uint32_t, 1>(m, {n}, {boundary::fixed}, steps, n, all1);
    for (const boundary x : {boundary::fixed, boundary::reflecting}) {
      for (const boundary y : {boundary::fixed, boundary::reflecting}) {
        for (const std::size_t steps : {1, 4, 7})
          expect_sweeps<std::uint32_t, 2>(m, {8, 8}, {x, y}, steps, 64, all2);
        expect_sweeps<std::uint32_t, 3>(m, {4, 4, 4}, {x, y, x}, 5, 64, all3);
      }
    }
    std::vector<double> now = random_cells<double>(64, 3), past = random_cells<double>(64, 4);
    auto expected = now, expected_past = past;
    const auto grid = [](auto& cells) { return grid_view<double, 2>(cells.data(), {8, 8}); };
    stencil(m, grid(expected), grid(expected_past), 9, wave2, {.vps = 1});
    stencil(m, grid(now), grid(past), 9, wave2, {.vps = 64});
    EXPECT_EQ(now, expected);
    EXPECT_EQ(past, expected_past);

    std::vector<float> cells(16, 1);
    const auto fails = [](const auto& u) -> float {
      throw std::domain_error("kernel " + std::to_string(u(0)));
    };
    EXPECT_THROW(stencil(m, cells, 16, fails, {.vps = 16}), std::domain_error);
    const auto keep = [](const auto& u) { return u(0); };
    // Five stages of the row; bands of tiles would be two.
    EXPECT_GT(stencil(m, cells, 16, keep, {.vps = 16}).supersteps.front(), 4u);
  }
}

TEST_F(stencil_of, random_sizes_steps_boundaries_and_vps_are_the_serial_sweep) {
  std::mt19937 random(7);
  const auto upto = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto edge = [&] { return all_edges[upto(3)]; };
  for (const unsigned workers : {2U, 5U}) {
    pleat::machine m({.processors = workers});
    for (int i = 0; i < 20; ++i) {
      expect_sweeps<std::uint32_t, 1>(m, {upto(3000)}, {edge()}, upto(200), 1 + upto(9), all1);
      expect_sweeps<std::uint32_t, 2>(m, {upto(90), upto(90)}, {edge(), edge()}, upto(40),
                                      1 + upto(9), all2);
      expect_sweeps<double, 2>(m, {upto(60), upto(400)}, {edge(), edge()}, upto(40), 1 + upto(9),
                               heat2);
      expect_sweeps<std::uint32_t, 3>(m, {upto(25), upto(25), upto(25)}, {edge(), edge(), edge()},
                                      upto(12), 1 + upto(9), all3);
    }
  }
}

TEST_F(stencil_of, grids_larger_than_any_part_are_refined_to_the_same_values) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    expect_sweeps<double, 2>(m, {50, 1500}, {edge, edge}, 11, 2, heat2);
    expect_sweeps<float, 2>(m, {12, 30'000}, {edge, edge}, 5, 2, heat2);
    expect_sweeps<double, 3>(m, {30, 40, 50}, {edge, edge, edge}, 7, 2, heat3);
    expect_sweeps<std::uint8_t, 2>(m, {90, 700}, {edge, edge}, 16, 2, life);
  }
}

TEST_F(stencil_of, wave_equations_see_two_steps_back) {
  for (const unsigned workers : {1U, 2U}) {
    pleat::machine m({.processors = workers});
    for (const boundary rows : all_edges) {
      for (const boundary columns : all_edges) {
        for (const auto& size : {sizes<2>{1, 3}, {12, 9}, {30, 100}, {70, 110}}) {
          for (const std::size_t steps : {0, 1, 2, 9, 30}) {
            const edges_of<2> edges{rows, columns};
            reference_grid<double, 2> now{size, random_cells<double>(product(size), 3)};
            reference_grid<double, 2> earlier{size, random_cells<double>(product(size), 4)};
            for_each_cell<2>(size, {boundary::periodic, boundary::periodic},
                             [&](const std::array<long, 2>& x) {  // edges that never change
                               const std::size_t at = now.place(x);
                               earlier.cells[at] += 0;
                             });
            auto cells = now.cells, past = earlier.cells;
            for (std::size_t t = 0; t < steps; ++t) reference_step(now, earlier, edges, wave2);
            stencil(m, grid_view<double, 2>(cells.data(), size),
                    grid_view<double, 2>(past.data(), size), steps, wave2,
                    {.edges = {rows, columns}});
            ASSERT_EQ(cells, now.cells) << name_of(size, edges) << steps;
            if (steps > 0) {
              ASSERT_EQ(past, earlier.cells) << name_of(size, edges) << steps;
            }
          }
        }
      }
    }
  }
}

/// Gray and Scott's: two fields that react and diffuse.
constexpr auto reaction = [](const auto& u, const auto& v) {
  const auto around = [](const auto& w) { return w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1); };
  const auto both = u(0, 0) * v(0, 0) * v(0, 0);
  return std::tuple(0.2 * u(0, 0) + 0.2 * around(u) - both + 0.03 * (1 - u(0, 0)),
                    static_cast<float>(0.6 * v(0, 0) + 0.1 * around(v) + both - 0.09 * v(0, 0)));
};

TEST_F(stencil_of, several_fields_of_several_types_go_together) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    for (const std::size_t steps : {1, 10, 25}) {
      const sizes<2> size{60, 70};
      const edges_of<2> edges{edge, edge};
      reference_grid<double, 2> u{size, std::vector<double>(product(size), 1)};
      reference_grid<float, 2> v{size, std::vector<float>(product(size), 0)};
      for (std::size_t i = 1900; i < 2300; i += 3) {
        u.cells[i] = 0.5;
        v.cells[i] = 0.25F;
      }
      auto a = u.cells;
      auto b = v.cells;
      for (std::size_t t = 0; t < steps; ++t) {
        auto next_u = u;
        auto next_v = v;
        for_each_cell<2>(size, edges, [&](const std::array<long, 2>& x) {
          std::tie(next_u.cells[u.place(x)], next_v.cells[u.place(x)]) =
              reaction(reference_cell<double, 2>{&u, &u, edges, x},
                       reference_cell<float, 2>{&v, &v, edges, x});
        });
        u = next_u;
        v = next_v;
      }
      stencil(m,
              std::tuple(grid_view<double, 2>(a.data(), size), grid_view<float, 2>(b.data(), size)),
              steps, reaction, {.edges = edge});
      ASSERT_EQ(a, u.cells) << steps;
      ASSERT_EQ(b, v.cells) << steps;
    }
  }
}

TEST_F(stencil_of, several_fields_and_callbacks_go_with_one_cell_a_vp_too) {
  pleat::machine m({.processors = 2U});
  const sizes<2> size{8, 8};
  auto start = random_cells<double>(64, 1);
  for (double& u : start) u /= 20;  // so that the reaction does not explode
  const std::vector<float> start_too(64, 0.25F);
  const auto run = [&](std::size_t vps) {
    auto a = start;
    auto b = start_too;
    stencil(m,
            std::tuple(grid_view<double, 2>(a.data(), size), grid_view<float, 2>(b.data(), size)),
            21, reaction, {.every = 5, .after = [&](std::size_t) { a[27] += 0.1; }, .vps = vps});
    return std::tuple(a, b);
  };
  EXPECT_EQ(run(64), run(1));
}

TEST_F(stencil_of, parts_of_larger_grids_leave_the_rest_alone) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    const sizes<2> size{50, 33};
    std::vector<double> large = random_cells<double>(60 * 48, 5);
    const std::vector<double> untouched = large;
    reference_grid<double, 2> expected{size, {}};
    for (std::size_t i = 0; i < size[0]; ++i)
      for (std::size_t j = 0; j < size[1]; ++j)
        expected.cells.push_back(large[(i + 3) * 48 + j + 7]);
    auto none = expected;
    for (int t = 0; t < 11; ++t) reference_step(expected, none, {edge, edge}, heat2);
    stencil(m, pleat::strided_view<double>(&large[3 * 48 + 7], size[0], size[1], 48), 11, heat2,
            {.edges = edge});
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t j = 0; j < 48; ++j) {
        const bool inside = i >= 3 && i < 53 && j >= 7 && j < 40;
        ASSERT_EQ(large[i * 48 + j],
                  inside ? expected.cells[(i - 3) * 33 + j - 7] : untouched[i * 48 + j]);
      }
    }
  }
}

TEST_F(stencil_of, every_so_many_steps_the_callback_sees_the_grid_and_may_change_it) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    for (const std::size_t every : {1, 2, 3, 7, 20, 21}) {
      const sizes<2> size{40, 50};
      reference_grid<double, 2> expected{size, random_cells<double>(product(size), 1)};
      auto none = expected;
      std::vector<double> cells = expected.cells;
      std::vector<std::size_t> told, wanted;
      std::vector<std::vector<double>> seen, should;
      for (std::size_t t = 1; t <= 20; ++t) {
        reference_step(expected, none, {edge, edge}, heat2);
        if (t % every != 0) continue;
        wanted.push_back(t);
        should.push_back(expected.cells);
        expected.cells[777] += 5;
        expected.cells[0] = 9;
      }
      const auto caller = std::this_thread::get_id();
      stencil(m, grid_view<double, 2>(cells.data(), size), 20, heat2,
              {.edges = edge, .every = every, .after = [&](std::size_t step) {
                 EXPECT_EQ(std::this_thread::get_id(), caller);
                 told.push_back(step);
                 seen.push_back(cells);
                 cells[777] += 5;
                 cells[0] = 9;
               }});
      ASSERT_EQ(told, wanted);
      ASSERT_EQ(seen, should);
      ASSERT_EQ(cells, expected.cells);
    }
  }
}

TEST_F(stencil_of, a_callback_that_throws_reaches_the_caller_and_leaves_its_grid) {
  pleat::machine m({.processors = 2U});
  const sizes<2> size{64, 64};
  reference_grid<double, 2> expected{size, random_cells<double>(product(size), 2)};
  auto none = expected;
  std::vector<double> cells = expected.cells;
  for (int t = 0; t < 9; ++t)
    reference_step(expected, none, {boundary::fixed, boundary::fixed}, heat2);
  const auto stop = [](std::size_t step) {
    if (step == 9) throw std::out_of_range("enough");
  };
  EXPECT_THROW(stencil(m, grid_view<double, 2>(cells.data(), size), 100, heat2,
                       {.every = 3, .after = stop, .vps = 2}),
               std::out_of_range);
  EXPECT_EQ(cells, expected.cells);
  stencil(m, grid_view<double, 2>(cells.data(), size), 1, heat2);  // the machine goes on
}

TEST_F(stencil_of, a_kernel_that_throws_reaches_the_caller) {
  pleat::machine m({.processors = 2U});
  for (const std::size_t n : {10, 1000}) {
    std::vector<double> cells(n, 1);
    cells[n / 2] = 100;
    const auto careful = [](const auto& u) {
      if (u(0) > 50) throw std::domain_error("too hot");
      return u(0);
    };
    EXPECT_THROW(stencil(m, cells, 20, careful, {.vps = 2}), std::domain_error);
    cells[n / 2] = 1;
    EXPECT_NO_THROW(stencil(m, cells, 20, careful, {.vps = 2}));
  }
}

TEST_F(stencil_of, every_instruction_set_gives_the_same_values) {
  pleat::machine m({.processors = 2U});
  namespace inner = pleat::detail::stencils;
  const sizes<2> size{64, 203};
  const auto start = random_cells<double>(product(size), 8);
  std::vector<std::vector<double>> results;
  for (const auto set : inner::all_instructions()) {
    std::vector<double> cells = start, second(start.size());
    const grid_view<double, 2> a(cells.data(), size), b(second.data(), size);
    inner::run_stencil<false>(m, std::tuple<inner::field<double, 2>>({{a, b}}), 50, heat2,
                              {.edges = boundary::reflecting}, set);
    results.push_back(cells);
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
  reference_grid<double, 2> expected{size, start};
  auto none = expected;
  for (int t = 0; t < 50; ++t)
    reference_step(expected, none, {boundary::reflecting, boundary::reflecting}, heat2);
  EXPECT_EQ(results[0], expected.cells);
}

TEST_F(stencil_of, all_kinds_of_grids_step_on_the_default_machine_too) {
  pleat::machine m({.processors = 2U});
  const auto start = random_cells<double>(60, 1), earlier = random_cells<double>(60, 2);
  const auto grid = [](auto& cells) { return grid_view<double, 2>(cells.data(), {6, 10}); };
  const auto keep = [](const auto& u, const auto& v) { return std::tuple(v(0, 1), u(1, 0)); };
  const auto run = [&](auto&&... on) {
    std::vector<std::vector<double>> x(7, start);
    x[6] = earlier;
    stencil(on..., x[0], 9, heat1);
    stencil(on..., grid(x[1]), 9, heat2);
    stencil(on..., pleat::strided_view<double>(x[2].data(), 5, 9, 10), 9, heat2,
            {.edges = boundary::periodic});
    stencil(on..., std::tuple(grid(x[3]), grid(x[4])), 9, keep);
    stencil(on..., grid(x[5]), grid(x[6]), 9, wave2);
    return x;
  };
  EXPECT_EQ(run(), run(m));
}

TEST_F(stencil_of, what_makes_no_sense_is_refused) {
  pleat::machine m({.processors = 2U});
  std::vector<double> x(100), y(100);
  const grid_view<double, 2> a(x.data(), {10, 10}), b(y.data(), {10, 10});
  const grid_view<double, 2> smaller(y.data(), {10, 9}), shifted(x.data() + 5, {9, 10}),
      folded(x.data(), {10, 10}, {9, 1}), sparse(x.data(), {10, 5}, {10, 2});
  const auto keep = [](const auto& u) { return u(0, 0); };
  const auto keep_both = [](const auto& u, const auto& v) { return std::tuple(u(0, 0), v(0, 0)); };
  EXPECT_THROW(stencil(m, folded, 1, keep), pleat::usage_error);
  EXPECT_THROW(stencil(m, sparse, 1, keep), pleat::usage_error);
  EXPECT_THROW(stencil(m, a, a, 1, keep), pleat::usage_error);
  EXPECT_THROW(stencil(m, a, smaller, 1, keep), pleat::usage_error);
  EXPECT_THROW(stencil(m, std::tuple(a, b, a), 1,
                       [](const auto& u, const auto& v, const auto&) {
                         return std::tuple(u(0, 0), v(0, 0), 0.0);
                       }),
               pleat::usage_error);
  EXPECT_THROW(
      stencil(m, std::tuple(grid_view<double, 2>(x.data(), {9, 10}), shifted), 1, keep_both),
      pleat::usage_error);
  EXPECT_NO_THROW(stencil(m, a, b, 1, keep));
  EXPECT_NO_THROW(stencil(m, std::tuple(a, b), 1, keep_both));
  EXPECT_THROW(stencil(m, a, 1, keep, {.vps = 0}), pleat::usage_error);
  EXPECT_THROW(stencil(m, a, 1, keep, {.every = 1}), pleat::usage_error);
  EXPECT_THROW(stencil(m, a, 1, keep, {.after = [](std::size_t) {}}), pleat::usage_error);
  EXPECT_THROW(
      stencil(m, a, 1, keep, {.edges = {boundary::fixed, boundary::fixed, boundary::fixed}}),
      pleat::usage_error);
  EXPECT_THROW(stencil(m, x, 1, [](const auto& u) { return u(0); },
                       {.edges = {boundary::fixed, boundary::fixed}}),
               pleat::usage_error);
}

}  // namespace
