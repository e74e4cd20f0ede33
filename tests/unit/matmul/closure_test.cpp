// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/closure.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"

namespace closure_test {

using pleat::strided_view;

/// Paths by the probability that all edges hold.
struct most_reliable {
  static constexpr bool idempotent = true;
  static double zero() { return 0; }
  static double plus(double a, double b) { return std::max(a, b); }
  static double times(double a, double b) { return a * b; }
};

template <class S, class T> std::vector<T> three_loops(std::vector<T> d, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        d[i * n + j] =
            S::plus(d[i * n + j], static_cast<T>(S::times(T(d[i * n + k]), T(d[k * n + j]))));
  return d;
}

class closure_of : public machines {
 protected:
  pleat::machine m{{.processors = 2U}};

  /// Matrices of edges that `edge` makes, most of them missing; elements must be equal.
  template <class S, class T, class Edge>
  void expect_three_loops(std::size_t n, const std::optional<std::size_t>& vps, const Edge& edge) {
    std::mt19937_64 random(n);
    std::vector<T> edges(n * n);
    for (auto& one : edges)
      one = random() % n < 3 ? static_cast<T>(edge(random))
                             : T(pleat::detail::matmul::zero_of<S, T>());
    const auto expected = three_loops<S>(edges, n);
    const std::size_t stride = n + 3;
    constexpr T gap = T(1);
    std::vector<T> rows(n * stride, gap);
    for (std::size_t i = 0; i < n * n; ++i) rows[i / n * stride + i % n] = edges[i];
    pleat::closure<S>(m, strided_view<T>(rows.data(), n, n, stride), {.vps = vps});
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_EQ(rows[i * stride + j], expected[i * n + j]) << n << ": " << i << ", " << j;
      ASSERT_EQ(std::count(rows.begin() + static_cast<std::ptrdiff_t>(i * stride + n),
                           rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * stride), gap),
                3);
    }
  }
};

TEST_F(closure_of, any_size_is_the_three_loops_on_any_number_of_vps) {
  const auto length = [](auto& random) { return 1 + random() % 1000; };
  for (const std::size_t n : {1, 2, 3, 63, 64, 65, 130, 200}) {
    for (const std::size_t vps : {1, 2, 3, 4, 8, 40})
      expect_three_loops<pleat::min_plus, float>(n, vps, length);
    expect_three_loops<pleat::min_plus, std::int32_t>(n, 4, length);
    expect_three_loops<pleat::max_min, double>(n, std::nullopt, length);
    expect_three_loops<pleat::or_and, std::uint8_t>(n, 2, [](auto&) { return 1; });
    expect_three_loops<most_reliable, double>(n, 4, [](auto&) { return 0.5; });
    expect_three_loops<pleat::min_plus, std::int16_t>(n, 2, length);  // no kernel
  }
}

TEST_F(closure_of, larger_matrices_have_larger_blocks) {
  const auto length = [](auto& random) { return 1 + random() % 1000; };
  expect_three_loops<pleat::min_plus, float>(600, std::nullopt, length);
  expect_three_loops<pleat::max_plus, double>(
      530, 4, [](auto& random) { return -1.0 - static_cast<double>(random() % 1000); });
}

TEST_F(closure_of, what_makes_no_sense_is_refused) {
  std::vector<float> d(16);
  const auto refused = [&](strided_view<float> view, std::optional<std::size_t> vps = {}) {
    EXPECT_THROW(pleat::closure<pleat::min_plus>(m, view, {.vps = vps}), pleat::usage_error);
  };
  refused({d.data(), 2, 4, 4});
  refused({d.data(), 4, 4, 3});
  refused({nullptr, 2, 2, 2});
  refused({d.data(), 4, 4, 4}, 0);
  pleat::closure<pleat::min_plus>(strided_view<float>(d.data(), 0, 0, 0));
}

}  // namespace closure_test
