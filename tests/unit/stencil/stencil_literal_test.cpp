// SPDX-License-Identifier: Apache-2.0
// The stencil program of the model against a serial sweep, bit for bit.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/stencil/literal.hpp>
#include <pleat/runtime/detail/sanitizer.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

using pleat::detail::diamonds::coordinate;
using pleat::detail::diamonds::literal_stencil;
using pleat::detail::diamonds::update_by;

/// Depends on all neighbours, on which is which, and on the value two steps ago.
struct mixing {
  std::size_t neighbours;
  std::uint32_t operator()(const std::uint32_t* at, const std::uint32_t& before) const {
    std::uint32_t h = before * 31;
    const auto reach = static_cast<std::ptrdiff_t>(neighbours / 2);
    for (std::ptrdiff_t i = -reach; i <= reach; ++i) h = (h ^ at[i]) * 2654435761u + 1;
    return h;
  }
};
/// Products and sums in one order.
struct heat {
  std::size_t neighbours;
  double operator()(const double* at, const double& before) const {
    double sum = 0.1 * before;
    const auto reach = static_cast<std::ptrdiff_t>(neighbours / 2);
    for (std::ptrdiff_t i = -reach; i <= reach; ++i) sum += at[i] / (7.0 + static_cast<double>(i));
    return sum / 5;
  }
};

template <class T> struct grids {
  std::vector<T> now, before;
  friend bool operator==(const grids&, const grids&) = default;
};

template <class T> grids<T> random_grids(std::size_t points, unsigned seed) {
  std::mt19937 random(seed);
  grids<T> g{std::vector<T>(points), std::vector<T>(points)};
  for (T& x : g.now) x = static_cast<T>(random());
  for (T& x : g.before) x = static_cast<T>(random());
  return g;
}

constexpr std::size_t power(std::size_t base, std::size_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

template <std::size_t D, class T, class Update>
void sweep(grids<T>& g, std::size_t n, std::size_t steps, const std::array<bool, D>& fixed,
           const Update& update) {
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<T> next = g.before;
    for (std::size_t place = 0; place < next.size(); ++place) {
      std::array<std::size_t, D> x{};
      bool kept = false;
      for (std::size_t i = D, rest = place; i-- > 0; rest /= n) {
        x[i] = rest % n;
        kept = kept || (fixed[i] && (x[i] == 0 || x[i] == n - 1));
      }
      std::array<T, power(3, D)> around{};
      for (std::size_t k = 0; k < around.size(); ++k) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < D; ++i) {
          const std::size_t delta = k / power(3, D - 1 - i) % 3;  // 0, 1, 2
          const std::size_t y = delta == 0 && x[i] == 0 ? 0 : x[i] + delta - 1;
          at = at * n + std::min(y, n - 1);
        }
        around[k] = g.now[at];
      }
      next[place] = kept ? g.now[place] : update(&around[around.size() / 2], g.before[place]);
    }
    g.before = std::exchange(g.now, next);
  }
}

template <std::size_t D, class T, class Update>
pleat::run_report run(pleat::machine& on, grids<T>& g, unsigned log_n, std::size_t steps,
                      std::size_t vps, const std::array<bool, D>& fixed, const Update& update) {
  literal_stencil<D, sizeof(T)> program(log_n, static_cast<coordinate>(steps), vps, fixed,
                                        update_by<T>(update));
  std::vector<std::byte> memory(program.bytes());
  program.use(memory.data(), g.now.data(), g.before.data());
  return on.run(vps, [&program](pleat::vp& me) { return program(me); });
}

template <std::size_t D, class T, class Update>
void expect_like_serial(pleat::machine& on, unsigned log_n, std::size_t steps, std::size_t vps,
                        const std::array<bool, D>& fixed, const Update& update) {
  const std::size_t n = std::size_t{1} << log_n;
  grids<T> g = random_grids<T>(power(n, D), log_n);
  grids<T> expected = g;
  sweep<D>(expected, n, steps, fixed, update);
  run<D>(on, g, log_n, steps, vps, fixed, update);
  EXPECT_EQ(g, expected) << "n = " << n << ", " << steps << " steps, " << vps << " VPs, "
                         << on.processors() << " workers";
}

class stencil_literal : public testing::TestWithParam<std::size_t> {
 protected:
  pleat::machine on{{.processors = GetParam()}};
  /// More workers than cores take their time.
  static unsigned bits_less() { return GetParam() > 2 ? 1 : 0; }
};

TEST_P(stencil_literal, of_one_dimension_is_the_serial_sweep_for_any_number_of_vps) {
  for (unsigned log_n = 0; log_n <= (pleat::detail::sanitized ? 4u : 6u - bits_less()); ++log_n)
    for (std::size_t vps = 1; vps <= std::size_t{1} << log_n; vps *= 2)
      expect_like_serial<1, std::uint32_t>(on, log_n, std::size_t{1} << log_n, vps, {true},
                                           mixing{3});
}
TEST_P(stencil_literal, of_two_dimensions_is_the_serial_sweep_for_any_number_of_vps) {
  for (unsigned log_n = 0; log_n <= (pleat::detail::sanitized ? 2u : 3u); ++log_n)
    for (std::size_t vps = 1; vps <= std::size_t{1} << 2 * log_n; vps *= 2)
      expect_like_serial<2, std::uint32_t>(on, log_n, std::size_t{1} << log_n, vps, {false, true},
                                           mixing{9});
}
TEST_P(stencil_literal, of_three_dimensions_is_the_serial_sweep_for_any_number_of_vps) {
  for (unsigned log_n = 0; log_n <= (pleat::detail::sanitized ? 1u : 2u); ++log_n)
    for (std::size_t vps = 1; vps <= std::size_t{1} << 3 * log_n; vps *= 2)
      expect_like_serial<3, std::uint32_t>(on, log_n, std::size_t{1} << log_n, vps,
                                           {false, true, false}, mixing{27});
}
TEST_P(stencil_literal, takes_any_number_of_steps) {
  for (const std::size_t steps : {0, 1, 2, 7, 16, 17, 33})
    expect_like_serial<1, std::uint32_t>(on, 4, steps, 16, {false}, mixing{3});
  for (const std::size_t steps : {1, 3, 4, 5, 9})
    expect_like_serial<2, std::uint32_t>(on, 2, steps, 16, {true, true}, mixing{9});
}
TEST_P(stencil_literal, is_the_serial_sweep_in_floating_point_too) {
  expect_like_serial<1, double>(on, 5, 32, 32, {false}, heat{3});
  expect_like_serial<2, double>(on, 3, 8, 64, {true, false}, heat{9});
}
INSTANTIATE_TEST_SUITE_P(workers, stencil_literal, testing::Values(1, 2, 3, 6));

TEST(stencil_literals, need_no_earlier_grid) {
  std::vector<std::uint32_t> now = random_grids<std::uint32_t>(16, 1).now;
  grids<std::uint32_t> expected{now, now};
  sweep<1>(expected, 16, 16, {true}, mixing{3});
  const mixing update{3};
  literal_stencil<1, sizeof(std::uint32_t)> program(4, 16, 16, {true},
                                                    update_by<std::uint32_t>(update));
  std::vector<std::byte> memory(program.bytes());
  program.use(memory.data(), now.data(), nullptr);
  pleat::machine on({.processors = 2});
  on.run(16, [&program](pleat::vp& me) { return program(me); });
  EXPECT_EQ(now, expected.now);
}

TEST(stencil_literals, that_throw_leave_the_grid_as_it_was) {
  struct refusing {
    std::uint32_t operator()(const std::uint32_t* at, const std::uint32_t&) const {
      if (at[0] == 3) throw std::domain_error("3");
      return at[0] + 1;
    }
  };
  pleat::machine on({.processors = 2});
  grids<std::uint32_t> g{std::vector<std::uint32_t>(16), std::vector<std::uint32_t>(16)};
  const grids<std::uint32_t> was = g;
  EXPECT_THROW(run<1>(on, g, 4, 16, 16, {false}, refusing{}), pleat::vp_failed);
  EXPECT_EQ(g, was);
}

}  // namespace
