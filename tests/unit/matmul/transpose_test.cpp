// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/transpose.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"

namespace transpose_test {

using pleat::strided_view, pleat::transpose;

class transpose_of : public machines {
 protected:
  pleat::machine m{{.processors = 2U}};

  template <class T, class Number>
  void expect_transposed(std::size_t rows, std::size_t columns, std::optional<std::size_t> vps,
                         const Number& number) {
    const std::size_t in_stride = columns + 3, out_stride = rows + 1;
    std::vector<T> in(rows * in_stride), out(columns * out_stride, number(77));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = number(i % 100'000);
    transpose(m, strided_view<const T>(in.data(), rows, columns, in_stride),
              strided_view<T>(out.data(), columns, rows, out_stride), {.vps = vps});
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < rows; ++i)
        ASSERT_EQ(out[j * out_stride + i], in[i * in_stride + j]) << rows << " x " << columns;
      ASSERT_EQ(out[j * out_stride + rows], number(77));
    }
    if (rows != columns) return;
    const auto before = in;
    transpose(m, strided_view<T>(in.data(), rows, rows, in_stride), {.vps = vps});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < in_stride; ++j)
        ASSERT_EQ(in[i * in_stride + j],
                  j < rows ? before[j * in_stride + i] : before[i * in_stride + j]);
  }
};

TEST_F(transpose_of, any_size_and_element_on_any_number_of_vps) {
  const auto plain = [](auto x) {
    return [](std::size_t i) { return decltype(x)(static_cast<std::uint16_t>(i)); };
  };
  for (const std::size_t rows : {1, 2, 7, 16, 33, 100})
    for (const std::size_t columns : {1, 3, 16, 33, 100})
      for (const std::size_t vps : {1, 2, 3, 9})
        expect_transposed<double>(rows, columns, vps, plain(double()));
  for (const std::size_t rows : {33, 100}) {
    const auto narrow = [](auto x) {
      return [](std::size_t i) { return static_cast<decltype(x)>(i % 100); };
    };
    expect_transposed<std::uint8_t>(rows, 100, 2, narrow(std::uint8_t()));
    expect_transposed<std::int16_t>(rows, 100, 2, narrow(std::int16_t()));
    expect_transposed<float>(rows, 100, 3, plain(float()));
    expect_transposed<std::complex<double>>(rows, 100, 2, plain(std::complex<double>()));
    expect_transposed<std::array<std::uint32_t, 3>>(rows, 100, 2, [](std::size_t i) {
      return std::array<std::uint32_t, 3>{std::uint32_t(i), 1, 2};
    });
  }
  expect_transposed<float>(700, 700, std::nullopt, plain(float()));
}

using counts = std::vector<std::vector<std::uint64_t>>;  // [from][to]

/// Moves each element from the VP that has its row to the one that has its row of the result.
counts moved(std::size_t rows, std::size_t columns, std::size_t vps) {
  const auto holder = [vps](std::size_t i, std::size_t of) {
    std::size_t q = 0;
    while (of * (q + 1) / vps <= i) ++q;
    return q;
  };
  counts all(vps, std::vector<std::uint64_t>(vps));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t from = holder(i, rows), to = holder(j, columns);
      if (from != to) ++all[from][to];
    }
  return all;
}

TEST_F(transpose_of, elements_counts_those_that_change_their_vp) {
  for (const std::size_t vps : {2, 3, 8, 12}) {
    pleat::machine counting({.trace = pleat::tracing{.processors = vps}});
    const auto counted = [&](const pleat::run_report& report) {
      EXPECT_EQ(report.costs.value().S(0), 1);
      counts all(vps, std::vector<std::uint64_t>(vps));
      for (std::size_t from = 0; from < vps; ++from)
        for (std::size_t to = 0; to < vps; ++to)
          all[from][to] = report.costs->messages_between(0, from, to);
      return all;
    };
    for (const auto& [rows, columns] : {std::array<std::size_t, 2>{5, 5}, {48, 48}, {37, 50}}) {
      std::vector<int> x(rows * columns), y(rows * columns);
      const strided_view<int> in(x.data(), rows, columns, columns);
      const strided_view<int> out(y.data(), columns, rows, rows);
      const counts expected = moved(rows, columns, vps);
      EXPECT_EQ(counted(transpose(counting, in, out, {.vps = vps})), expected)
          << rows << ' ' << vps;
      if (rows == columns) {
        EXPECT_EQ(counted(transpose(counting, in, {.vps = vps})), expected) << rows << ' ' << vps;
      }
    }
  }
}

TEST_F(transpose_of, what_makes_no_sense_is_refused) {
  std::vector<int> x(32);
  const auto refused = [&](const auto& call) { EXPECT_THROW(call(), pleat::usage_error); };
  using view = strided_view<int>;
  refused([&] { transpose(m, view(x.data(), 2, 4, 4)); });
  refused([&] { transpose(m, view(x.data(), 2, 4, 4), view(x.data() + 16, 2, 4, 4)); });
  refused([&] { transpose(m, view(x.data(), 2, 4, 4), view(x.data() + 4, 4, 2, 2)); });
  refused([&] { transpose(m, view(x.data(), 4, 2, 4), view(x.data(), 2, 4, 4)); });
  refused([&] { transpose(m, view(x.data(), 4, 4, 3)); });
  refused([&] { transpose(m, view(x.data(), 4, 4, 4), {.vps = 0}); });
  transpose(view(x.data(), 0, 4, 4), view(x.data(), 4, 0, 0));
}

}  // namespace transpose_test
