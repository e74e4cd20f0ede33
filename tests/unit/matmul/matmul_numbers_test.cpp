// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

#include "random_rounds.hpp"

// Products over numbers and semirings of the user's own, which only just satisfy the concept, and
// over the library's at the ends of what they can represent.

namespace matmul_numbers_test {

template <class T> struct matrix {
  std::size_t rows, columns, stride;
  std::vector<T> data;

  template <class Make>
  matrix(std::size_t r, std::size_t c, std::size_t gap, const Make& make)
      : rows(r), columns(c), stride(c + gap) {
    for (std::size_t i = 0; i < rows * stride; ++i) data.push_back(make());
  }
  T& operator()(std::size_t i, std::size_t j) { return data[i * stride + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
  operator pleat::strided_view<T>() { return {data.data(), rows, columns, stride}; }
  pleat::strided_view<const T> read() const { return {data.data(), rows, columns, stride}; }
  bool operator==(const matrix&) const = default;
};

/// Random sizes, gaps between rows, VPs, operands turned, sums kept: `times_plus(sum, x, y)` is the
/// serial oracle's step, `zero` what it begins with.
template <class Semiring, class T, class Make, class Step>
void expect_products(const Make& make, const T& zero, const Step& step) {
  pleat::machine machine({.processors = 2, .strict = true});
  random_rounds(25, [&](dice& random) {
    const std::size_t most = random.one_of({3, 12, 25});
    const std::size_t m = random(most + 1), n = random(most + 1), k = random(most + 1);
    const auto element = [&] { return make(random); };
    const bool turn_a = random(2) == 0, turn_b = random(2) == 0;
    const matrix<T> a(turn_a ? k : m, turn_a ? m : k, random(3), element);
    const matrix<T> b(turn_b ? n : k, turn_b ? k : n, random(3), element);
    matrix<T> c(m, n, random(3), element);
    const bool accumulate = random(2) == 0;
    auto expected = c;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (!accumulate) expected(i, j) = zero;
        for (std::size_t p = 0; p < k; ++p)
          step(expected(i, j), turn_a ? a(p, i) : a(i, p), turn_b ? b(j, p) : b(p, j));
      }
    // So that scratch memory is not all zeros.
    std::vector<std::uint64_t> keys(3000);
    for (auto& key : keys) key = random.word();
    pleat::sort(machine, keys, {}, {.vps = 2});
    pleat::matmul_options<T> options;
    if (turn_a) options.op_a = pleat::matrix_op::transpose;
    if (turn_b) options.op_b = pleat::matrix_op::transpose;
    options.accumulate = accumulate;
    if (random(2) == 0) options.recursion = pleat::matmul_recursion::four_way;
    options.vps = random.one_of<std::size_t>({1, 2, 4, 7, 8, 16, 64});
    pleat::matmul<Semiring>(machine, a.read(), b.read(), pleat::strided_view<T>(c), options);
    ASSERT_TRUE(c == expected) << m << " x " << n << " x " << k << ", " << *options.vps << " VPs";
  });
}

struct residue {  // modulo 101, without a way to make one of a 1 or a 0
  std::uint32_t value = 0;
  friend residue operator+(residue a, residue b) { return {(a.value + b.value) % 101}; }
  friend residue operator*(residue a, residue b) { return {a.value * b.value % 101}; }
  bool operator==(const residue&) const = default;
};

TEST(matmul_numbers, sums_and_products_of_numbers_of_ones_own) {
  expect_products<pleat::plus_times, residue>(
      [](dice& random) { return residue{static_cast<std::uint32_t>(random(101))}; }, residue{0},
      [](residue& sum, residue x, residue y) { sum = {(sum.value + x.value * y.value) % 101}; });
}

/// No default constructor, copies that own memory; only what the concept asks for.
class word {
 public:
  explicit word(std::string s) : letters_(std::move(s)) {}
  [[nodiscard]] const std::string& letters() const { return letters_; }
  bool operator==(const word&) const = default;

 private:
  std::string letters_;
};
/// Semiring of words: of two the greater; one behind the other. "-" is none.
struct greatest_word {
  struct none {
    operator word() const { return word("-"); }
  };
  static none zero() { return {}; }
  static const word& plus(const word& a, const word& b) {
    if (a.letters() == "-") return b;
    return b.letters() != "-" && a.letters() < b.letters() ? b : a;
  }
  static word times(const word& a, const word& b) {
    if (a.letters() == "-" || b.letters() == "-") return word("-");
    return word(a.letters() + b.letters());
  }
};

TEST(matmul_numbers, elements_that_own_memory) {
  expect_products<greatest_word, word>(
      [](dice& random) {
        if (random(4) == 0) return word("-");
        return word(std::string(random(40), 'q') + static_cast<char>('a' + random(26)));
      },
      word("-"),
      [](word& sum, const word& x, const word& y) {
        if (x.letters() == "-" || y.letters() == "-") return;
        const std::string both = x.letters() + y.letters();
        if (sum.letters() == "-" || sum.letters() < both) sum = word(both);
      });
}

struct refusal : std::exception {};
struct refusing_strings {
  static std::string zero() { return {}; }
  static std::string plus(const std::string& a, const std::string& b) { return a < b ? b : a; }
  static std::string times(const std::string& a, const std::string& b) {
    if (a == "refuse") throw refusal();
    return a + b;
  }
};
TEST(matmul_numbers, what_a_semiring_throws_arrives_and_nothing_is_lost_of_what_it_made) {
  pleat::machine machine({.processors = 2});
  const matrix<std::string> b(8, 8, 0, [] { return std::string(50, 'x'); });
  for (std::size_t bad = 0; bad < 64; bad += 9) {
    matrix<std::string> a = b, c = b;
    a.data[bad] = "refuse";
    EXPECT_THROW(pleat::matmul<refusing_strings>(machine, a.read(), b.read(),
                                                 pleat::strided_view<std::string>(c), {.vps = 8}),
                 refusal);
  }
}

// ---------------------------------------------------------------- minima and where they are

template <class T, class Index> void expect_minima() {
  pleat::machine machine({.processors = 2, .strict = true});
  constexpr T greatest = std::numeric_limits<T>::max();
  constexpr bool integers = std::is_integral_v<T>;
  constexpr T none = integers ? greatest / 2 : std::numeric_limits<T>::infinity();
  random_rounds(30, [&](dice& random) {
    const std::size_t most = random.one_of({2, 9, 40});
    const std::size_t m = 1 + random(most), k = random(most + 1);
    // Packed blocks hold some hundred columns at a time.
    const std::size_t n = 1 + random(random(10) == 0 ? 3000 : most);
    const auto length = [&] {
      switch (random(integers ? 6 : 3)) {
        case 0:
          return none;
        case 3:
          return greatest;
        case 4:  // beyond a quarter of the greatest: no path
          return static_cast<T>(greatest / 4 + 1 + static_cast<T>(random(1000)));
        case 5:
          return static_cast<T>(greatest - static_cast<T>(random(1000)));
        default:
          return static_cast<T>(random(50));
      }
    };
    const matrix<T> a(m, k, random(3), length), b(k, n, random(3), length);
    matrix<T> c(m, n, random(3), length);
    matrix<Index> index(m, n, random(3), [] { return Index{-7}; });
    const bool accumulate = random(2) == 0;
    auto least = c;
    auto where = index;
    const auto no_path = [&](T x) { return integers ? x > greatest / 4 : x == none; };
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (!accumulate) least(i, j) = none, where(i, j) = -1;
        for (std::size_t p = 0; p < k; ++p) {
          if (no_path(a(i, p)) || no_path(b(p, j))) continue;
          const T sum = static_cast<T>(a(i, p) + b(p, j));
          if (no_path(sum) || (!no_path(least(i, j)) && least(i, j) <= sum)) continue;
          least(i, j) = sum;
          where(i, j) = static_cast<Index>(p);
        }
      }
    const std::size_t vps = random.one_of<std::size_t>({1, 2, 4, 8, 16, 64, 100, 256});
    pleat::matmul_argmin(machine, a.read(), b.read(), pleat::strided_view<T>(c),
                         pleat::strided_view<Index>(index), {.accumulate = accumulate, .vps = vps});
    ASSERT_EQ(c.data, least.data) << m << " x " << n << " x " << k << ", " << vps << " VPs";
    ASSERT_EQ(index.data, where.data) << m << " x " << n << " x " << k << ", " << vps << " VPs";
  });
}
TEST(matmul_numbers, minima_of_ints_change_only_where_there_is_a_shorter_path) {
  expect_minima<std::int32_t, std::int32_t>();
}
TEST(matmul_numbers, minima_of_long_ints) {
  expect_minima<std::uint64_t, std::int64_t>();
  expect_minima<std::int64_t, std::int64_t>();
}
TEST(matmul_numbers, minima_of_floats) { expect_minima<float, std::int32_t>(); }

// ---------------------------------------------------------------- what does not compile

struct thing {};
struct uncopied {
  uncopied(const uncopied&) = delete;
};
static_assert(pleat::semiring<pleat::plus_times, residue>);
static_assert(pleat::semiring<greatest_word, word>);
static_assert(!pleat::semiring<pleat::plus_times, thing>);
static_assert(!pleat::semiring<pleat::plus_times, std::string>);  // a sum, but no product
static_assert(!pleat::semiring<pleat::min_plus, residue>);
static_assert(!pleat::semiring<pleat::min_plus, bool>);
static_assert(!pleat::semiring<pleat::min_plus, std::complex<double>>);
static_assert(!pleat::semiring<pleat::max_plus, thing>);
static_assert(!pleat::semiring<pleat::max_min, residue>);
static_assert(!pleat::semiring<pleat::max_min, bool>);
static_assert(pleat::max_min::zero<unsigned>() == 0);
static_assert(pleat::max_min::zero<signed char>() == -128);
static_assert(!pleat::semiring<pleat::or_and, double>);
static_assert(!pleat::semiring<greatest_word, uncopied>);

}  // namespace matmul_numbers_test
