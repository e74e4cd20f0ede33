// SPDX-License-Identifier: Apache-2.0
// Compares what a product of distributed matrices counts with what must cross, element by element:
// each element of a factor goes once to each other rank that has elements of C in its row or
// column. Besides, counts are compared with the bytes that ranks hand to their links, and with the
// elements that each rank's semiring has read.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/machine.hpp>

#include "random_rounds.hpp"
#include "ranks_traffic.hpp"

namespace matmul_traffic_test {

using pleat::distributed_matrix, pleat::matrix_op;

struct product_of_ranks {
  std::size_t m, n, k;
  matrix_op op_a, op_b;
  std::size_t ranks;
  std::size_t vps;  ///< of each rank
  bool in_rounds;

  [[nodiscard]] std::string words() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           ", operations " + std::to_string(static_cast<int>(op_a)) + " and " +
           std::to_string(static_cast<int>(op_b)) + ", " + std::to_string(ranks) + " ranks of " +
           std::to_string(vps) + " VPs" + (in_rounds ? ", in rounds" : "");
  }
};

product_of_ranks random_product(dice& random, std::size_t most, std::size_t most_inner,
                                std::size_t most_vps) {
  const auto op = [&] { return random.one_of({matrix_op::none, matrix_op::transpose}); };
  const auto size = [&](std::size_t up_to) { return random(8) == 0 ? 0 : 1 + random(up_to); };
  return {size(most), size(most),    size(most_inner),     op(),
          op(),       2 + random(6), 1 + random(most_vps), random(3) == 0};
}

template <class T>
std::size_t holder(const distributed_matrix<T>& of, std::size_t i, std::size_t j) {
  std::size_t rank = 0;
  while (!of.rows_of(rank).contains(i) || !of.columns_of(rank).contains(j)) ++rank;
  return rank;
}

/// Finds what is exchanged by looking at every element.
template <class T>
square needed(const product_of_ranks& shape, const distributed_matrix<T>& a,
              const distributed_matrix<T>& b, const distributed_matrix<T>& c) {
  square all(shape.ranks, std::vector<std::uint64_t>(shape.ranks));
  const auto count = [&](const distributed_matrix<T>& of, matrix_op op, bool left) {
    for (std::size_t i = 0; i < of.row_count(); ++i)
      for (std::size_t j = 0; j < of.column_count(); ++j) {
        const std::size_t outer = left == (op == matrix_op::none) ? i : j;
        const std::size_t from = holder(of, i, j);
        for (std::size_t to = 0; to < shape.ranks; ++to) {
          if (to == from || c.rows_of(to).empty() || c.columns_of(to).empty()) continue;
          const auto part = left ? c.rows_of(to) : c.columns_of(to);
          if (part.contains(outer)) ++all[from][to];
        }
      }
  };
  count(a, shape.op_a, true);
  count(b, shape.op_b, false);
  return all;
}

template <class T> struct matrices { distributed_matrix<T> a, b, c; };

struct product_traffic : traffic {
  square needed, counted;
};

template <class S, class T, class Value>
product_traffic traffic_of_product(const product_of_ranks& shape, const Value& value) {
  square need;
  traffic of = traffic_of(shape.ranks, [&](pleat::machine& on, std::size_t rank) -> call_on_rank {
    const bool turn_a = shape.op_a != matrix_op::none, turn_b = shape.op_b != matrix_op::none;
    const std::shared_ptr<matrices<T>> all(new matrices<T>{
        distributed_matrix<T>(on, turn_a ? shape.k : shape.m, turn_a ? shape.m : shape.k),
        distributed_matrix<T>(on, turn_b ? shape.n : shape.k, turn_b ? shape.k : shape.n),
        distributed_matrix<T>(on, shape.m, shape.n)});
    std::size_t number = 0;
    for (distributed_matrix<T>* const matrix : {&all->a, &all->b, &all->c}) {
      const pleat::strided_view<T> mine = matrix->local();
      for (std::size_t i = 0; i < mine.rows; ++i)
        for (std::size_t j = 0; j < mine.columns; ++j) mine(i, j) = value(rank, ++number);
    }
    if (rank == 0) need = needed(shape, all->a, all->b, all->c);
    return [&on, &shape, all] {
      pleat::matmul_options<T> options{.op_a = shape.op_a, .op_b = shape.op_b, .vps = shape.vps};
      if (shape.in_rounds) options.recursion = pleat::matmul_recursion::four_way;
      return pleat::matmul<S>(on, all->a, all->b, all->c, options);
    };
  });
  square counted = of.costs ? counted_between(*of.costs)  // else there are no elements
                            : square(shape.ranks, std::vector<std::uint64_t>(shape.ranks));
  return {std::move(of), std::move(need), std::move(counted)};
}

/// An element of so many bytes that what is sent besides does not matter. It says whose it is.
struct heavy_element {
  std::uint32_t number, rank;
  std::array<std::byte, 1016> weight;
};

/// [rank]: the elements of others that it has read.
std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> read_by;
thread_local std::uint32_t this_rank = 0;

struct watched {
  static heavy_element zero() { return {0, this_rank, {}}; }
  static heavy_element plus(const heavy_element& a, const heavy_element&) { return a; }
  static heavy_element times(const heavy_element& a, const heavy_element& b) {
    for (const heavy_element& one : {a, b})
      if (one.rank != this_rank) read_by[this_rank].insert({one.rank, one.number});
    return {0, this_rank, {}};
  }
};

TEST(traffic_of_products, that_is_counted_is_what_crosses_and_what_is_read) {
  random_rounds(30, [](dice& random) {
    const product_of_ranks shape = random_product(random, 10, 14, 9);
    SCOPED_TRACE(shape.words());
    read_by.assign(shape.ranks, {});
    const product_traffic of =
        traffic_of_product<watched, heavy_element>(shape, [](std::size_t rank, std::size_t number) {
          this_rank = static_cast<std::uint32_t>(rank);
          return heavy_element{static_cast<std::uint32_t>(number), this_rank, {}};
        });
    EXPECT_EQ(of.counted, of.needed);
    if (of.costs) expect_counted_bytes(of, sizeof(heavy_element));
    for (std::size_t to = 0; to < shape.ranks; ++to) {
      std::uint64_t arrived = 0;
      for (const auto& row : of.counted) arrived += row[to];
      EXPECT_EQ(arrived, read_by[to].size()) << "rank " << to;
    }
  });
}

/// Covers several steps, and several VPs of a rank, which multiply by the recursion.
template <class S, class T> void expect_counted() {
  random_rounds(20, [](dice& random) {
    const product_of_ranks shape =
        random(3) == 0 ? random_product(random, 5, 9000, 4) : random_product(random, 60, 60, 16);
    SCOPED_TRACE(shape.words());
    const product_traffic of = traffic_of_product<S, T>(shape, [](std::size_t, std::size_t number) {
      return static_cast<T>(static_cast<float>(number % 5));
    });
    EXPECT_EQ(of.counted, of.needed);
  });
}

TEST(traffic_of_products, is_counted_of_elements_of_all_sizes) {
  expect_counted<pleat::plus_times, double>();
  expect_counted<pleat::plus_times, std::complex<float>>();
  expect_counted<pleat::min_plus, std::int16_t>();
}

}  // namespace matmul_traffic_test
