// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "host/binding.hpp"
#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_callbacks_test {

using namespace stencil_tests;

class stencil_callbacks : public stencil_sweeps {};

TEST_F(stencil_callbacks, every_so_many_steps_the_callback_sees_the_grid_and_may_change_it) {
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

TEST_F(stencil_callbacks, what_a_callback_starts_may_run_where_its_caller_could) {
  const auto may_run_on = [] { return pleat::detail::affinity::current().pus(); };
  const std::vector<unsigned> all = may_run_on();
  for (const auto wait : {pleat::wait_policy::automatic, pleat::wait_policy::park}) {
    pleat::machine m({.processors = 2U, .wait = wait});
    std::vector<double> cells(1 << 12, 1.0);
    int calls = 0;
    stencil(m, cells, 20, [](const auto& u) { return 0.5 * (u(-1) + u(1)); },
            {.every = 5, .after = [&](std::size_t) {
               ++calls;
               EXPECT_EQ(may_run_on(), all);
               std::thread([&] { EXPECT_EQ(may_run_on(), all); }).join();
             }});
    EXPECT_EQ(calls, 4);
  }
}

TEST_F(stencil_callbacks, a_callback_that_throws_reaches_the_caller_and_leaves_its_grid) {
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

TEST_F(stencil_callbacks, what_makes_no_sense_is_refused) {
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

}  // namespace stencil_callbacks_test
