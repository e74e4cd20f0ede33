// SPDX-License-Identifier: Apache-2.0
#include "arrays/distributed_numbers.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrays/fft_numbers.hpp"
#include "arrays/matmul_numbers.hpp"
#include "arrays/sort_numbers.hpp"
#include "arrays/typed_array.hpp"
#include "rank_threads.hpp"

// Over three ranks the results are those of one machine, which are tried beside NumPy's.

namespace distributed_numbers_test {

using namespace pleat::arrays;
using bytes = std::vector<std::byte>;

const number_type all_types[] = {
    {number_kind::boolean, 1},          {number_kind::signed_integer, 1},
    {number_kind::signed_integer, 2},   {number_kind::signed_integer, 4},
    {number_kind::signed_integer, 8},   {number_kind::unsigned_integer, 1},
    {number_kind::unsigned_integer, 2}, {number_kind::unsigned_integer, 4},
    {number_kind::unsigned_integer, 8}, {number_kind::floating, 2},
    {number_kind::floating, 4},         {number_kind::floating, 8},
    {number_kind::floating, 16},        {number_kind::complex, 8},
    {number_kind::complex, 16},         {number_kind::complex, 32}};

std::string name_of(const number_type& type) {
  return "biufc"[static_cast<std::size_t>(type.kind)] + std::to_string(type.bytes);
}

/// A number out of few, NaN and the infinities among them; both zeros where their order is told.
template <class T> T number(std::size_t i, bool zeros) {
  using limits = std::numeric_limits<T>;
  switch (i % 7) {
    case 0:
      return limits::quiet_NaN();
    case 1:
      return i % 2 == 0 ? limits::infinity() : -limits::infinity();
    case 2:
      return zeros ? -T(0) : T(0);
    case 3:
      return T(0);
    default:
      return static_cast<T>(i % 31) - T(12.5);
  }
}

std::size_t mixed(std::size_t i) { return (i * 0x9e3779b97f4a7c15U) >> 40U; }

bytes some_numbers(const number_type& type, std::size_t n) {
  bytes made(n * type.bytes);
  with_number(type, [&]<class T>() {
    const typed_array array{type, {n}, made.data()};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t x = mixed(i);
      if constexpr (std::is_same_v<T, half>) {
        const std::uint16_t halves[] = {0x7e00, 0xfe00, 0x7c00, 0xfc00, 0x0000,
                                        0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001};
        array.as<T>()[i] = {halves[x % std::size(halves)]};
      } else if constexpr (requires { typename T::value_type; }) {
        using part = typename T::value_type;
        array.as<T>()[i] = {number<part>(x, false), number<part>(x / 7, false)};
      } else if constexpr (std::is_floating_point_v<T>) {
        array.as<T>()[i] = number<T>(x, sizeof(T) <= sizeof(double));
      } else if constexpr (std::is_same_v<T, bool>) {
        array.as<T>()[i] = x % 2 != 0;
      } else {
        array.as<T>()[i] = static_cast<T>(x % 5 == 0 ? x : x << (8 * sizeof(T) - 7));
      }
    }
  });
  return made;
}

/// Without the bytes of long doubles that mean nothing.
bytes meaning(const number_type& type, bytes numbers) {
  const bool padded = (type.kind == number_kind::floating && type.bytes == 16) || type.bytes == 32;
  constexpr std::size_t used = 10;  // of 16
  for (std::size_t i = 0; padded && i < numbers.size(); ++i)
    if (i % 16 >= used) numbers[i] = std::byte{0};
  return numbers;
}

/// On all ranks: `call` with what reads blocks of `from` and writes those of the result.
template <class Call>
bytes over_ranks(machine_of_ranks& all, const number_type& type, const bytes& from,
                 const number_type& result, const Call& call) {
  bytes to(from.size() / type.bytes * result.bytes);
  const auto thrown = on_all_ranks(all.ranks(), [&](std::size_t rank) {
    const block_reader read = [&](std::span<std::byte> block, std::size_t first) {
      std::ranges::copy(std::span(from).subspan(first * type.bytes, block.size()), block.begin());
    };
    const block_writer write = [&](std::span<const std::byte> block, std::size_t first) {
      std::ranges::copy(block, std::span(to).subspan(first * result.bytes).begin());
    };
    call(all.on(rank), read, write);
  });
  for (const auto& one : thrown) EXPECT_EQ(words_of(one), "");
  return to;
}

class distributed_numbers : public testing::Test {
 protected:
  machine_of_ranks ranks{{1, 2, 1}};
  pleat::machine one{{.processors = 1}};
};

TEST_F(distributed_numbers, of_every_type_are_sorted_as_by_one_machine) {
  const number_type index{number_kind::signed_integer, 8};
  for (const number_type& type : all_types) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{2}, std::size_t{1003}}) {
      bytes from = some_numbers(type, n);
      const bytes order =
          over_ranks(ranks, type, from, index, [&](auto& on, auto& read, auto& write) {
            argsort_distributed_numbers(on, type, n, read, write);
          });
      const bytes sorted =
          over_ranks(ranks, type, from, type, [&](auto& on, auto& read, auto& write) {
            sort_distributed_numbers(on, type, n, read, write);
          });
      bytes expected(n * index.bytes);
      argsort_numbers(one, {type, {n}, from.data()}, {index, {n}, expected.data()});
      EXPECT_EQ(order, expected) << n << " of " << name_of(type);
      sort_numbers(one, {type, {n}, from.data()});
      EXPECT_EQ(meaning(type, sorted), meaning(type, from)) << n << " of " << name_of(type);
    }
  }
}

template <class T> double distance(const bytes& a, const bytes& b) {
  const std::span<const T> x{reinterpret_cast<const T*>(a.data()), a.size() / sizeof(T)};
  const std::span<const T> y{reinterpret_cast<const T*>(b.data()), b.size() / sizeof(T)};
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    most = std::max(most, static_cast<double>(std::abs(x[i] - y[i])));
  return most;
}

TEST_F(distributed_numbers, have_the_transforms_that_one_machine_makes) {
  const std::vector<std::vector<std::size_t>> shapes{{300}, {1}, {0}, {12, 10}, {0, 3}, {3, 0}};
  for (const number_type& type :
       {number_type{number_kind::complex, 8}, number_type{number_kind::complex, 16}}) {
    for (const auto kind : {fft_kind::fft, fft_kind::ifft, fft_kind::fft2, fft_kind::ifft2}) {
      for (const auto& shape : shapes) {
        const bool matrix = kind == fft_kind::fft2 || kind == fft_kind::ifft2;
        if (matrix && shape.size() != 2) continue;
        typed_array array{type, shape};
        bytes expected(array.elements() * type.bytes);
        array.data = expected.data();
        const std::size_t parts = 2 * array.elements();
        for (std::size_t i = 0; i < parts; ++i) {
          const double part = static_cast<double>(mixed(i)) * 0x1p-24 - 0.5;
          if (type.bytes == 8)
            reinterpret_cast<float*>(expected.data())[i] = static_cast<float>(part);
          else
            reinterpret_cast<double*>(expected.data())[i] = part;
        }
        const bytes result =
            over_ranks(ranks, type, expected, type, [&](auto& on, auto& read, auto& write) {
              transform_distributed_numbers(on, kind, type, shape, read, write);
            });
        transform_numbers("fft", one, kind, array, array);
        const double error = type.bytes == 8 ? distance<std::complex<float>>(result, expected)
                                             : distance<std::complex<double>>(result, expected);
        EXPECT_LT(error, type.bytes == 8 ? 1e-4 : 1e-13)
            << fft_kind_names[static_cast<std::size_t>(kind)] << ' ' << shape.size()
            << " dimensions of " << name_of(type);
      }
    }
  }
}

TEST_F(distributed_numbers, make_the_steps_of_every_kernel_in_every_dimension) {
  const std::vector<std::vector<std::size_t>> shapes{{50}, {17, 9}, {7, 5, 6}, {0, 4}, {2, 3}};
  for (const number_type& type :
       {number_type{number_kind::floating, 4}, number_type{number_kind::floating, 8},
        number_type{number_kind::unsigned_integer, 1}}) {
    for (const auto kernel : {stencil_kernel::heat, stencil_kernel::wave, stencil_kernel::life}) {
      for (const auto& shape : shapes) {
        if (!steps_cells(kernel, type)) continue;
        if (kernel == stencil_kernel::life && shape.size() != 2) continue;
        typed_array grid{type, shape};
        bytes expected(grid.elements() * type.bytes);
        grid.data = expected.data();
        for (std::size_t i = 0; i < grid.elements(); ++i) {
          if (type.bytes == 1) grid.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(mixed(i) % 3);
          if (type.bytes == 4) grid.as<float>()[i] = static_cast<float>(mixed(i)) * 0x1p-24F;
          if (type.bytes == 8) grid.as<double>()[i] = static_cast<double>(mixed(i)) * 0x1p-24;
        }
        const pleat::stencil_options options{.edges = pleat::boundary::periodic};
        constexpr std::size_t steps = 11;
        const bytes result =
            over_ranks(ranks, type, expected, type, [&](auto& on, auto& read, auto& write) {
              step_distributed_cells(on, kernel, steps, type, shape, read, write, options);
            });
        bytes before = expected;
        step_cells(one, kernel, steps, grid, {type, shape, before.data()}, options);
        EXPECT_EQ(result, expected) << stencil_kernel_names[static_cast<std::size_t>(kernel)] << ' '
                                    << shape.size() << " dimensions of " << name_of(type);
      }
    }
  }
}

/// The numbers of rows and columns of a matrix, and back.
void copy_rectangle(const std::byte* matrix, std::size_t row_bytes, std::size_t number,
                    std::span<std::byte> part, const pleat::interval<>& rows,
                    const pleat::interval<>& columns, bool back) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto* const there =
        const_cast<std::byte*>(matrix) + (rows.first + i) * row_bytes + columns.first * number;
    std::byte* const here = part.data() + i * columns.size() * number;
    std::memcpy(back ? there : here, back ? here : there, columns.size() * number);
  }
}

TEST_F(distributed_numbers, of_every_type_and_semiring_have_the_product_of_one_machine) {
  constexpr std::size_t m = 14, k = 9, n = 11;
  const std::vector<std::array<std::size_t, 3>> sizes{{m, k, n}, {3, 0, 2}, {0, 2, 3}};
  for (const number_type& type : all_types) {
    for (std::size_t s = 0; s < semiring_names.size(); ++s) {
      const auto semiring = static_cast<semiring_kind>(s);
      if (!has_products(semiring, type)) continue;
      for (const auto& size : sizes) {
        bytes a(size[0] * size[1] * type.bytes), b(size[1] * size[2] * type.bytes);
        bytes expected(size[0] * size[2] * type.bytes), result(expected.size());
        with_number(type, [&]<class T>() {  // whole numbers, whose sums are exact in any order
          if constexpr (!std::is_same_v<T, half>) {
            std::size_t x = s;
            for (bytes* factor : {&a, &b})
              for (std::size_t i = 0; i < factor->size() / sizeof(T); ++i)
                reinterpret_cast<T*>(factor->data())[i] = mixed(++x) % 2 == 0 ? T(0) : T(1);
          }
        });
        const auto matrix = [&](bytes& of, std::size_t rows, std::size_t columns) {
          return typed_matrix{of.data(), rows, columns, columns};
        };
        multiply_matrices(one, semiring, type, matrix(a, size[0], size[1]),
                          matrix(b, size[1], size[2]), matrix(expected, size[0], size[2]));
        const auto mover = [&](bytes& of, std::size_t columns, bool back) {
          return [&of, columns, back, &type](std::span<std::byte> part,
                                             const pleat::interval<>& in_rows,
                                             const pleat::interval<>& in_columns) {
            copy_rectangle(of.data(), columns * type.bytes, type.bytes, part, in_rows, in_columns,
                           back);
          };
        };
        const auto thrown = on_all_ranks(ranks.ranks(), [&](std::size_t rank) {
          multiply_distributed_numbers(ranks.on(rank), semiring, type, size[0], size[1], size[2],
                                       mover(a, size[1], false), mover(b, size[2], false),
                                       mover(result, size[2], true));
        });
        for (const auto& one_thrown : thrown) EXPECT_EQ(words_of(one_thrown), "");
        EXPECT_EQ(meaning(type, result), meaning(type, expected))
            << name_of(type) << " over " << semiring_names[s];
      }
    }
  }
}

}  // namespace distributed_numbers_test
