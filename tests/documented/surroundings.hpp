// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <pleat/pleat.hpp>

// What the examples of the documentation leave out, by the file they are in. Nothing here runs.

extern pleat::machine machine;
extern pleat::vp& me;
extern std::vector<std::uint64_t> keys;
extern const std::size_t rows, columns, stride;
pleat::task<> program(pleat::vp& me);

struct person {
  std::string name;
};
extern std::vector<person> people;

namespace of_README {
extern std::vector<std::complex<double>> signal;
extern pleat::strided_view<double> a, b, c;
extern pleat::grid_view<double, 2> plate;
extern std::span<double> mine, sum;
extern const std::size_t v;
inline constexpr auto kernel = [](const auto& u) { return u(0, 0); };
}  // namespace of_README

namespace of_channel {
extern long x;
void wait();
}  // namespace of_channel

namespace of_machine {
extern std::vector<long> data;
extern const std::size_t bytes, v;
pleat::task<> prefix(pleat::vp& me, long& x);
}  // namespace of_machine

namespace of_evaluate {
using of_machine::data, of_machine::prefix;
}

namespace of_placed_memory {
extern const std::size_t n;
}

namespace of_stencil {
extern std::vector<double> cells;
extern pleat::grid_view<double, 2> plate, now, before, a, b;
extern const std::size_t steps;
inline constexpr auto heat = [](const auto& u) { return u(0, 0); };
inline constexpr auto wave = [](const auto& u) { return 2 * u(0, 0) - u.before(); };
inline constexpr auto reaction = [](const auto& u, const auto& v) {
  return std::tuple(u(0, 0) + v(0, 0), v(0, 0));
};
void snapshot(std::size_t step);
}  // namespace of_stencil

namespace of_fft2 {
extern std::complex<double>* data;
extern pleat::strided_view<std::complex<double>> spectrum;
}  // namespace of_fft2

namespace of_fft {
extern std::vector<std::complex<double>> signal, spectrum, rows, real_spectrum;
extern std::vector<double> samples;
extern pleat::strided_view<std::complex<double>> image;
}  // namespace of_fft

namespace of_rfft {
extern std::vector<double> signal;
}

namespace of_matmul {
extern pleat::machine on;
extern const double* data;
extern const std::size_t leading;
extern pleat::strided_view<double> a, b, c, d, d2;
extern pleat::strided_view<std::int64_t> via;
using pleat::matmul, pleat::matrix_op, pleat::min_plus;
}  // namespace of_matmul

namespace of_sort_by_key {
extern std::vector<double> distances, scores;
extern std::vector<int> cities;
extern std::vector<std::string> names;
}  // namespace of_sort_by_key
