// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/dct.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fftn.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fft_reference.hpp"
#include "unit/runtime/machines.hpp"

namespace fftn_test {

using pleat::array_view, pleat::fft_direction;
using sizes = std::vector<std::size_t>;

std::size_t product(const sizes& of) {
  return std::accumulate(of.begin(), of.end(), std::size_t{1}, std::multiplies<>());
}

/// An array in some order in memory, with gaps between its elements that nobody may touch.
template <class E> class placed_array {
 public:
  /// Dimension order[0] has the longest stride; `reversed` ones run backwards.
  placed_array(const sizes& each, const sizes& order, std::size_t gap, bool reversed) {
    std::vector<std::ptrdiff_t> strides(each.size());
    std::size_t step = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      const std::size_t i = order[k];
      strides[i] = static_cast<std::ptrdiff_t>(step);
      step = (step * each[i]) + gap;
    }
    data_.assign(step + 1, untouched);
    std::ptrdiff_t first = 0;
    for (std::size_t i = 0; reversed && i < each.size(); i += 2) {
      first += strides[i] * static_cast<std::ptrdiff_t>(each[i] - 1);
      strides[i] = -strides[i];
    }
    view_ = array_view<E>(data_.data() + first, each, strides);
  }
  [[nodiscard]] array_view<E> view() const { return view_; }

  void put(const std::vector<E>& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) at(i) = elements[i];
  }
  [[nodiscard]] std::vector<E> elements() {
    std::vector<E> all;
    for (std::size_t i = 0; i < view_.size(); ++i) all.push_back(at(i));
    return all;
  }
  [[nodiscard]] bool gaps_are_whole() const {
    return static_cast<std::size_t>(std::ranges::count(data_, untouched)) >=
           data_.size() - view_.size();
  }

 private:
  static constexpr E untouched = E(12345);
  E& at(std::size_t row_major) {
    E* place = view_.data;
    for (std::size_t i = view_.dimensions; i-- > 0; row_major /= view_.sizes[i])
      place += static_cast<std::ptrdiff_t>(row_major % view_.sizes[i]) * view_.strides[i];
    return *place;
  }
  std::vector<E> data_;
  array_view<E> view_;
};

/// Row-major numbers of an array, cut to other sizes or with zeros added.
std::vector<exact> resized(const std::vector<exact>& x, const sizes& from, const sizes& to) {
  std::vector<exact> result(product(to));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::size_t rest = i, source = 0, step = 1;
    bool there = true;
    for (std::size_t d = to.size(); d-- > 0; rest /= to[d], step *= from[d]) {
      there = there && rest % to[d] < from[d];
      source += rest % to[d] * step;
    }
    if (there) result[i] = x[source];
  }
  return result;
}

using line_function = std::function<std::vector<exact>(const std::vector<exact>&)>;

/// Applies a function to each line along an axis.
std::vector<exact> along(std::vector<exact> x, const sizes& each, std::size_t axis,
                         const line_function& f) {
  const std::size_t inner =
      product(sizes(each.begin() + static_cast<std::ptrdiff_t>(axis) + 1, each.end()));
  const std::size_t n = each[axis];
  for (std::size_t first = 0; first < x.size(); ++first) {
    if (first / inner % n != 0) continue;
    std::vector<exact> line;
    for (std::size_t j = 0; j < n; ++j) line.push_back(x[first + j * inner]);
    line = f(line);
    for (std::size_t j = 0; j < n; ++j) x[first + j * inner] = line[j];
  }
  return x;
}

/// Arguments of a random call.
struct random_call {
  std::mt19937 random;
  sizes in, out, axes, order_in, order_out;
  explicit random_call(unsigned seed) : random(seed) {
    const std::size_t dimensions = 1 + random() % 5;
    const std::size_t most = dimensions < 3 ? 40 : dimensions == 3 ? 20 : 7;
    for (std::size_t i = 0; i < dimensions; ++i) {
      in.push_back(1 + random() % most);
      order_in.push_back(i);
    }
    axes = order_in;
    order_out = order_in;
    std::ranges::shuffle(axes, random);
    axes.resize(1 + random() % dimensions);
    out = in;
    if (random() % 3 == 0)
      for (const std::size_t i : axes) out[i] = 1 + random() % most;
    if (random() % 2 == 0) std::ranges::shuffle(order_in, random);
    if (random() % 2 == 0) std::ranges::shuffle(order_out, random);
  }
  template <class E> placed_array<E> array(const sizes& each, const sizes& order) {
    const bool plain = random() % 2 == 0;
    const std::size_t gap = plain ? 0 : random() % 3;
    return {each, order, gap, !plain && random() % 2 == 0};
  }
};

constexpr unsigned calls = 24;
constexpr std::size_t numbers_of_vps[] = {1, 2, 3, 8, 20};
double allowed(std::size_t n) { return 4 * allowed_error(n) + 8; }

class fftn_of : public machines {
 protected:
  pleat::machine m{{.processors = 2U}};
};

TEST_F(fftn_of, complex_numbers_are_the_definitions_along_any_axes_of_any_arrays) {
  for (unsigned seed = 0; seed < calls; ++seed) {
    SCOPED_TRACE(seed);
    random_call call(seed);
    auto x = call.array<std::complex<double>>(call.in, call.order_in);
    auto y = call.array<std::complex<double>>(call.out, call.order_out);
    const auto before = random_numbers<double>(product(call.in), seed);
    x.put(before);
    auto expected = resized(widened(before), call.in, call.out);
    for (const std::size_t axis : call.axes)
      expected = along(expected, call.out, axis,
                       [](const auto& line) { return reference_transform(line); });
    for (const std::size_t vps : numbers_of_vps) {
      pleat::fftn(m, x.view(), y.view(), {.axes = call.axes, .vps = vps});
      const auto result = y.elements();
      ASSERT_LE(relative_error(result, expected), allowed(expected.size())) << vps;
      pleat::fftn(m, x.view(), y.view(), {.axes = call.axes, .vps = vps});
      ASSERT_EQ(y.elements(), result) << vps;
    }
    ASSERT_EQ(x.elements(), before);
    ASSERT_TRUE(x.gaps_are_whole() && y.gaps_are_whole());
    if (call.in != call.out) continue;
    pleat::fftn(m, x.view(), x.view(), {.axes = call.axes, .vps = 3});
    ASSERT_LE(relative_error(x.elements(), expected), allowed(expected.size())) << "in place";
    pleat::fftn(m, x.view(), x.view(), {.direction = fft_direction::inverse, .axes = call.axes});
    ASSERT_LE(relative_error(x.elements(), widened(before)), 2 * allowed(expected.size()));
    ASSERT_TRUE(x.gaps_are_whole());
  }
}

TEST_F(fftn_of, planes_are_arrays_of_two_axes) {
  using pleat::fft_norm;
  const auto expect_same = [&]<class T>(unsigned seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::size_t most = seed == 0 ? 400 : 70;
    const sizes each{1 + random() % most, 1 + random() % most};
    const std::size_t gap = random() % 9;
    const bool in_place = random() % 2 == 0;
    const fft_norm norms[] = {fft_norm::backward, fft_norm::forward, fft_norm::orthogonal,
                              fft_norm::none};
    const pleat::fft2_options options{
        random() % 2 == 0 ? fft_direction::forward : fft_direction::inverse, norms[random() % 4],
        numbers_of_vps[random() % 5]};
    placed_array<std::complex<T>> x(each, {0, 1}, gap, false), y(each, {0, 1}, 0, false);
    const auto plane = [&](auto& of) {
      const auto v = of.view();
      return pleat::strided_view<std::complex<T>>(v.data, each[0], each[1],
                                                  static_cast<std::size_t>(v.strides[0]));
    };
    const auto before = random_numbers<T>(product(each), seed);
    x.put(before);
    pleat::fftn(m, x.view(), y.view(), {.direction = options.direction, .norm = fft_norm::none});
    auto expected = widened(y.elements());
    const bool inverse = options.direction == fft_direction::inverse;
    const auto n = static_cast<long double>(before.size());
    const bool divides = options.norm == (inverse ? fft_norm::backward : fft_norm::forward);
    const long double by = options.norm == fft_norm::orthogonal ? std::sqrt(n) : divides ? n : 1;
    for (exact& number : expected) number /= by;
    if (in_place)
      pleat::fft2(m, plane(x), options);
    else
      pleat::fft2(m, plane(x), plane(y), options);
    EXPECT_LE(relative_error(in_place ? x.elements() : y.elements(), expected),
              allowed(before.size()));
    EXPECT_TRUE(in_place || x.elements() == before);
    EXPECT_TRUE(x.gaps_are_whole() && y.gaps_are_whole());
  };
  for (unsigned seed = 0; seed < 2 * calls; ++seed)
    seed % 2 == 0 ? expect_same.operator()<double>(seed) : expect_same.operator()<float>(seed);
}

TEST_F(fftn_of, real_numbers_are_those_of_complex_ones_there_and_back) {
  for (unsigned seed = 0; seed < calls; ++seed) {
    SCOPED_TRACE(seed);
    random_call call(seed);
    const std::size_t last = call.axes.back();
    const std::size_t n = call.out[last];
    sizes spectrum = call.out;
    spectrum[last] = n / 2 + 1;
    auto x = call.array<double>(call.in, call.order_in);
    auto y = call.array<std::complex<double>>(spectrum, call.order_out);
    const auto before = random_reals<double>(product(call.in), seed);
    x.put(before);
    const auto time = resized(widened(before), call.in, call.out);
    auto expected = time;
    for (const std::size_t axis : call.axes)
      expected = along(expected, call.out, axis,
                       [](const auto& line) { return reference_transform(line); });
    expected = resized(expected, call.out, spectrum);
    for (const std::size_t vps : numbers_of_vps) {
      pleat::rfftn(m, x.view(), y.view(), {.axes = call.axes, .size_of_last = n, .vps = vps});
      ASSERT_LE(relative_error(y.elements(), expected), allowed(time.size())) << vps;
    }
    ASSERT_EQ(x.elements(), before);
    auto back = call.array<double>(call.out, call.order_in);
    for (const std::size_t vps : numbers_of_vps) {
      pleat::irfftn(m, y.view(), back.view(), {.axes = call.axes, .vps = vps});
      ASSERT_LE(relative_error(as_complex(back.elements()), time), 2 * allowed(time.size())) << vps;
    }
    ASSERT_LE(relative_error(y.elements(), expected), allowed(time.size())) << "is only read";
    ASSERT_TRUE(x.gaps_are_whole() && y.gaps_are_whole() && back.gaps_are_whole());
  }
}

/// The transforms as dct.hpp defines them.
std::vector<exact> trigonometric(const std::vector<exact>& x, unsigned type, bool sines) {
  const std::size_t n = x.size();
  std::vector<exact> y(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto a = static_cast<long double>(j), b = static_cast<long double>(k);
      const auto count = static_cast<long double>(n);
      long double part = 0;
      if (type == 1)
        part = sines ? (a + 1) * (b + 1) / (count + 1) : n == 1 ? 0 : a * b / (count - 1);
      if (type == 2) part = (2 * a + 1) * (sines ? b + 1 : b) / (2 * count);
      if (type == 3) part = (sines ? a + 1 : a) * (2 * b + 1) / (2 * count);
      if (type == 4) part = (2 * a + 1) * (2 * b + 1) / (4 * count);
      const bool end = (type == 1 && !sines && (j == 0 || j == n - 1)) ||
                       (type == 3 && j == (sines ? n - 1 : 0));
      const long double angle = std::numbers::pi_v<long double> * part;
      y[k] += (end ? 1 : 2) * (sines ? std::sin(angle) : std::cos(angle)) * x[j];
    }
  }
  return y;
}

TEST_F(fftn_of, cosines_and_sines_are_the_definitions_there_and_back) {
  for (unsigned seed = 0; seed < 2 * calls; ++seed) {
    SCOPED_TRACE(seed);
    random_call call(seed);
    const unsigned type = 1 + seed % 4;
    const bool sines = seed / 4 % 2 == 1, orthogonal = seed / 8 % 2 == 1;
    if (type == 1 && !sines)
      for (auto& n : call.out) n = std::max<std::size_t>(n, 2);
    call.in = call.out;
    auto x = call.array<double>(call.in, call.order_in);
    auto y = call.array<double>(call.out, call.order_out);
    const auto before = random_reals<double>(product(call.in), seed);
    x.put(before);
    auto expected = widened(before);
    for (const std::size_t axis : call.axes)
      expected = along(expected, call.out, axis,
                       [&](const auto& line) { return trigonometric(line, type, sines); });
    const auto transform = [&](const auto& from, const auto& to, fft_direction direction,
                               std::size_t vps) {
      const pleat::trigonometric_options options{
          .type = type,
          .direction = direction,
          .norm = orthogonal ? pleat::fft_norm::orthogonal : pleat::fft_norm::backward,
          .axes = call.axes,
          .vps = vps};
      sines ? pleat::dst(m, from, to, options) : pleat::dct(m, from, to, options);
    };
    const double error = 16 * allowed(expected.size());
    for (const std::size_t vps : numbers_of_vps) {
      transform(x.view(), y.view(), fft_direction::forward, vps);
      if (!orthogonal) {
        ASSERT_LE(relative_error(as_complex(y.elements()), expected), error) << vps;
        continue;
      }
      long double energy = 0;
      for (const double one : before) energy += one * one;
      for (const double one : y.elements()) energy -= one * one;
      ASSERT_LE(std::abs(energy), 1e-12 * static_cast<double>(before.size()));
    }
    transform(y.view(), y.view(), fft_direction::inverse, 3);
    ASSERT_LE(relative_error(as_complex(y.elements()), widened(before)), 2 * error);
    ASSERT_TRUE(x.gaps_are_whole() && y.gaps_are_whole());
  }
}

TEST_F(fftn_of, a_large_box_is_shared_and_counted) {
  const sizes each{64, 48, 80};
  std::vector<std::complex<float>> x = random_numbers<float>(product(each), 1), y(x.size());
  pleat::machine counting({.trace = pleat::tracing()});
  const auto report =
      pleat::fftn(counting, array_view(x.data(), each), array_view(y.data(), each), {.vps = 4});
  auto expected = widened(x);
  for (std::size_t axis = 0; axis < 3; ++axis)
    expected =
        along(expected, each, axis, [](const auto& line) { return reference_transform(line); });
  EXPECT_LE(relative_error(y, expected), allowed(x.size()));
  // A quarter of the numbers is each VP's; three quarters of them leave it for the lines along the
  // first axis, and as many come home.
  ASSERT_TRUE(report.costs.has_value());
  EXPECT_EQ(report.costs->H(2, 0), 2 * static_cast<double>(x.size()) / 4 * 3 / 4);
}

TEST_F(fftn_of, what_makes_no_sense_is_refused) {
  std::vector<std::complex<double>> numbers(64);
  std::vector<double> real(64);
  const auto cube = array_view(numbers.data(), {4, 4, 4});
  const auto refused = [](const auto& call) { EXPECT_THROW(call(), pleat::usage_error); };
  refused([&] { pleat::fftn(m, cube, array_view(numbers.data() + 1, {4, 4, 3})); });
  refused([&] { pleat::fftn(m, cube, array_view(numbers.data(), {8, 8})); });
  refused([&] { pleat::fftn(m, cube, cube, {.axes = {{3}}}); });
  refused([&] { pleat::fftn(m, cube, cube, {.axes = {{1, 1}}}); });
  refused([&] { pleat::fftn(m, cube, cube, {.vps = 0}); });
  refused([&] { pleat::rfftn(m, array_view(real.data(), {8, 8}), cube); });
  refused([&] {
    pleat::dct(m, array_view(real.data(), {64}), array_view(real.data(), {64}), {.type = 5});
  });
  refused([&] {
    pleat::dct(m, array_view(real.data(), {1, 8}), array_view(real.data(), {1, 8}), {.type = 1});
  });
  const std::ptrdiff_t same_place[] = {1, 1};
  const sizes few{2, 2};
  refused([&] {
    pleat::fftn(m, array_view(numbers.data() + 8, few),
                array_view(numbers.data(), few, same_place));
  });
  EXPECT_THROW(array_view(real.data(), sizes(9, 1)), pleat::usage_error);
}

TEST_F(fftn_of, arrays_without_numbers_or_axes_are_left_or_copied) {
  std::vector<std::complex<double>> x = random_numbers<double>(12, 1), y(12);
  pleat::fftn(m, array_view(x.data(), {0, 4}), array_view(y.data(), {0, 4}));
  EXPECT_EQ(y, std::vector<std::complex<double>>(12));
  pleat::fftn(m, array_view(x.data(), {3, 4}), array_view(y.data(), {3, 4}), {.axes = sizes{}});
  EXPECT_EQ(y, x);
  pleat::fftn(array_view(x.data(), {1, 1}), array_view(y.data(), {1, 1}));
  EXPECT_EQ(y, x);
}

}  // namespace fftn_test
