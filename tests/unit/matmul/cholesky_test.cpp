// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"

namespace cholesky_test {

using pleat::matrix_op, pleat::strided_view, pleat::triangle;

template <class T> std::vector<T> random_elements(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> element(-1, 1);
  std::vector<T> all(n);
  for (auto& one : all) one = element(random);
  return all;
}

class cholesky_of : public machines {
 protected:
  pleat::machine m{{.processors = 2U}};

  template <class T> void expect_factor(std::size_t n, const std::optional<std::size_t>& vps) {
    SCOPED_TRACE(n);
    const std::size_t stride = n + 5;
    // A product of a matrix with its transpose, and something on the diagonal.
    const auto g = random_elements<T>(n * n, static_cast<unsigned>(n));
    std::vector<T> a(n * stride, T(77)), whole(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        long double sum = i == j ? 1 + static_cast<long double>(n) / 4 : 0;
        for (std::size_t k = 0; k < n; ++k)
          sum += static_cast<long double>(g[i * n + k]) * g[j * n + k];
        a[i * stride + j] = whole[i * n + j] = static_cast<T>(sum);
      }
    }
    pleat::cholesky(m, strided_view<T>(a.data(), n, n, stride), {.vps = vps});
    const long double allowed =
        20 * static_cast<long double>(n + 4) * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        long double sum = 0;
        for (std::size_t k = 0; k <= j; ++k)
          sum += static_cast<long double>(a[i * stride + k]) * a[j * stride + k];
        ASSERT_NEAR(static_cast<double>(sum), static_cast<double>(whole[i * n + j]),
                    static_cast<double>(allowed) * static_cast<double>(n + 1))
            << i << ", " << j;
      }
      for (std::size_t j = i + 1; j < stride; ++j) ASSERT_EQ(a[i * stride + j], T(77));
    }
  }

  template <class T>
  void expect_solved(std::size_t n, std::size_t columns, const pleat::solve_options& how) {
    SCOPED_TRACE(n);
    const bool lower = how.of == triangle::lower;
    const std::size_t stride = n + 3, b_stride = columns + 2;
    auto a = random_elements<T>(n * stride, 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        T& x = a[i * stride + j];
        if (lower ? j > i : j < i)
          x = std::numeric_limits<T>::quiet_NaN();  // is not read
        else if (i == j)
          x = how.unit_diagonal ? std::numeric_limits<T>::quiet_NaN() : 2 + x;
        else
          x /= static_cast<T>(n);
      }
    }
    auto b = random_elements<T>(n * b_stride, 2);
    const auto before = b;
    pleat::solve_triangular(m, strided_view<const T>(a.data(), n, n, stride),
                            strided_view<T>(b.data(), n, columns, b_stride), how);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        long double sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t row = how.op == matrix_op::none ? i : k;
          const std::size_t column = how.op == matrix_op::none ? k : i;
          if (lower ? column > row : column < row) continue;
          const long double x = row == column && how.unit_diagonal ? 1 : a[row * stride + column];
          sum += x * b[k * b_stride + c];
        }
        ASSERT_NEAR(static_cast<double>(sum), static_cast<double>(before[i * b_stride + c]),
                    50 * static_cast<double>(n + 4) * std::numeric_limits<T>::epsilon())
            << i << ", " << c;
      }
      for (std::size_t c = columns; c < b_stride; ++c)
        ASSERT_EQ(b[i * b_stride + c], before[i * b_stride + c]);
    }
  }
};

TEST_F(cholesky_of, any_size_is_the_product_of_its_factor_on_any_number_of_vps) {
  for (const std::size_t n : {1, 2, 3, 63, 64, 65, 150, 200}) {
    for (const std::size_t vps : {1, 2, 3, 7}) expect_factor<double>(n, vps);
    expect_factor<float>(n, std::nullopt);
  }
}

TEST_F(cholesky_of, triangles_are_solved_any_way_round) {
  for (const std::size_t n : {1, 2, 63, 64, 65, 150})
    for (const std::size_t columns : {1, 2, 9, 70})
      for (const auto of : {triangle::lower, triangle::upper})
        for (const auto op : {matrix_op::none, matrix_op::transpose})
          for (const bool unit : {false, true}) {
            expect_solved<double>(n, columns, {of, op, unit, 1 + n % 3});
            expect_solved<float>(n, columns, {of, op, unit});
          }
}

/// Elements of the lower triangle that each VP reads and another one has made, [from][to]: the
/// program element by element.
class simulated_factorisation {
 public:
  using counts = std::vector<std::vector<std::uint64_t>>;

  simulated_factorisation(std::size_t n, std::size_t vps, std::size_t block)
      : n_(n), vps_(vps), all_(vps, std::vector<std::uint64_t>(vps)) {
    for (std::size_t first = 0; first < n; first += block) step(first, std::min(first + block, n));
  }
  [[nodiscard]] const counts& all() const { return all_; }

 private:
  using place = std::pair<std::size_t, std::size_t>;

  void read(std::size_t q, place at) {
    const auto made = maker_.find(at);
    if (made != maker_.end() && made->second != q && held_.insert({at, q}).second)
      ++all_[made->second][q];
  }
  void write(std::size_t q, place at) {
    maker_[at] = q;
    held_.erase(held_.lower_bound({at, 0}), held_.upper_bound({at, vps_}));
  }
  void step(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = first; j <= i; ++j) {
        read(0, {i, j});
        write(0, {i, j});
      }
    for (std::size_t i = last; i < n_; ++i) {
      std::size_t q = 0;
      while ((n_ - last) * (q + 1) / vps_ <= i - last) ++q;
      for (std::size_t j = first; j < last; ++j) {
        for (std::size_t k = first; k <= j; ++k) read(q, {j, k});
        read(q, {i, j});
      }
      for (std::size_t j = first; j < last; ++j) write(q, {i, j});
    }
    for (std::size_t i = last; i < n_; ++i) {
      const auto begin_of = [&](std::size_t q) {  // bands of equal areas
        const double share = std::sqrt(static_cast<double>(q) / static_cast<double>(vps_));
        return last + static_cast<std::size_t>(share * static_cast<double>(n_ - last) + 0.5);
      };
      std::size_t q = 0;
      while (begin_of(q + 1) <= i) ++q;
      for (std::size_t j = last; j <= i; ++j) {
        for (std::size_t k = first; k < last; ++k) {
          read(q, {i, k});
          read(q, {j, k});
        }
        read(q, {i, j});
        write(q, {i, j});
      }
    }
  }

  std::size_t n_, vps_;
  std::map<place, std::size_t> maker_;
  std::set<std::pair<place, std::size_t>> held_;
  counts all_;
};

/// Messages of a program of one label.
simulated_factorisation::counts counted_in(const pleat::run_report& report) {
  const std::size_t vps = report.vps;
  simulated_factorisation::counts counted(vps, std::vector<std::uint64_t>(vps));
  for (std::size_t from = 0; from < vps; ++from)
    for (std::size_t to = 0; to < vps; ++to)
      counted[from][to] = report.costs.value().messages_between(0, from, to);
  return counted;
}

TEST_F(cholesky_of, counts_the_elements_that_change_their_vp) {
  for (const auto& [n, vps, block] : {std::array<std::size_t, 3>{12, 3, 12},
                                      {24, 5, 12},
                                      {31, 4, 15},
                                      {40, 9, 13},
                                      {48, 16, 12},
                                      {70, 2, 64}}) {
    std::vector<double> a(n * n);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] = 2;
    pleat::machine counting({.trace = pleat::tracing{.processors = vps}});
    const auto report =
        pleat::cholesky(counting, strided_view<double>(a.data(), n, n, n), {.vps = vps});
    EXPECT_EQ(counted_in(report), simulated_factorisation(n, vps, block).all())
        << n << " on " << vps;
  }
}

/// Substitutes element by element: each VP has columns of B, and gets each element of A that it
/// reads once, from the VP that has its row.
simulated_factorisation::counts simulated_solution(std::size_t n, std::size_t m,
                                                   const pleat::solve_options& how) {
  const std::size_t vps = *how.vps;
  const auto holder = [vps](std::size_t i, std::size_t of) {
    std::size_t q = 0;
    while (of * (q + 1) / vps <= i) ++q;
    return q;
  };
  std::set<std::array<std::size_t, 3>> read;
  simulated_factorisation::counts all(vps, std::vector<std::uint64_t>(vps));
  const auto get = [&](std::size_t me, std::size_t i, std::size_t k) {
    const std::size_t row = how.op == matrix_op::none ? i : k;
    if (holder(row, n) != me && read.insert({me, i, k}).second) ++all[holder(row, n)][me];
  };
  const bool forward = (how.of == triangle::lower) == (how.op == matrix_op::none);
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k)
        if (forward ? k < i : k > i) get(holder(j, m), i, k);
      if (!how.unit_diagonal) get(holder(j, m), i, i);
    }
  return all;
}

TEST_F(cholesky_of, solutions_count_the_triangle_that_vps_read) {
  for (const auto& [n, m, vps] :
       {std::array<std::size_t, 3>{100, 7, 4}, {150, 30, 3}, {9, 3, 5}, {20, 20, 20}}) {
    const std::vector<double> a(n * n, 1);
    std::vector<double> b(n * m);
    pleat::machine counting({.trace = pleat::tracing{.processors = vps}});
    for (const auto of : {triangle::lower, triangle::upper})
      for (const auto op : {matrix_op::none, matrix_op::transpose})
        for (const bool unit : {false, true}) {
          const pleat::solve_options how{.of = of, .op = op, .unit_diagonal = unit, .vps = vps};
          const auto report =
              pleat::solve_triangular(counting, strided_view<const double>(a.data(), n, n, n),
                                      strided_view<double>(b.data(), n, m, m), how);
          EXPECT_EQ(report.costs.value().S(0), 1);
          EXPECT_EQ(counted_in(report), simulated_solution(n, m, how)) << n << " on " << vps;
        }
  }
}

TEST_F(cholesky_of, what_has_no_factor_is_refused) {
  std::vector<double> a(100 * 100);
  for (std::size_t i = 0; i < 100; ++i) a[i * 101] = i == 70 ? -1 : 1;
  for (const std::size_t vps : {1, 3}) {
    auto copy = a;
    try {
      pleat::cholesky(m, strided_view<double>(copy.data(), 100, 100, 100), {.vps = vps});
      FAIL();
    } catch (const pleat::usage_error& why) {
      EXPECT_NE(std::string(why.what()).find("row 70"), std::string::npos) << why.what();
    }
  }
  const auto refused = [&](const auto& call) { EXPECT_THROW(call(), pleat::usage_error); };
  const strided_view<double> square(a.data(), 4, 4, 4), wide(a.data() + 50, 4, 5, 5);
  refused([&] { pleat::cholesky(m, wide); });
  refused([&] { pleat::cholesky(m, square, {.vps = 0}); });
  refused([&] { pleat::solve_triangular(m, wide, square); });
  refused([&] { pleat::solve_triangular(m, square, strided_view<double>(a.data() + 8, 4, 2, 2)); });
  refused(
      [&] { pleat::solve_triangular(m, square, strided_view<double>(a.data() + 50, 3, 2, 2)); });
  pleat::cholesky(strided_view<double>(nullptr, 0, 0, 0));
  pleat::solve_triangular(square, strided_view<double>(a.data() + 50, 4, 0, 0));
}

}  // namespace cholesky_test
