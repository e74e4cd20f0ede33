// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <pleat/pleat.hpp>

// Declarations that the examples of the documentation leave out, by the file they are in. Nothing
// here runs.

extern pleat::machine machine;
extern pleat::vp& me;
extern std::vector<std::uint64_t> keys;
extern const std::size_t rows, columns, stride;
pleat::task<> program(pleat::vp& me);

struct person {
  std::string name;
};
extern std::vector<person> people;
// Distributed elements are copied byte by byte.
struct numbered_person {
  int name, age;
};

namespace of_for_each {
void slow(std::uint64_t key);
}

namespace of_transform {
extern std::vector<std::uint64_t> keys;
extern std::vector<double> roots;
extern std::vector<std::size_t> lengths;
}  // namespace of_transform

namespace of_search {
extern std::vector<std::uint64_t> copy;
}

namespace of_merge {
using person = numbered_person;
extern std::vector<std::uint64_t> more, all;
extern std::vector<person> people, others, everybody;
}  // namespace of_merge

namespace of_copy_if {
extern std::vector<std::uint64_t> even, chosen;
extern std::vector<std::size_t> zeros;
extern std::vector<bool> wanted;
}  // namespace of_copy_if

namespace of_nth_element {
extern std::vector<double> samples;
}

namespace of_reduce {
extern const std::vector<double> samples, weights;
extern const double x;
}  // namespace of_reduce

namespace of_exact_sum {
using of_reduce::samples;
extern const pleat::exact_sum mine;
}  // namespace of_exact_sum

namespace of_sums {
using of_reduce::samples;
}

namespace of_scan {
extern std::vector<long> counts, begins, ends, peaks;
}

namespace of_channel {
extern long x;
void wait();
}  // namespace of_channel

namespace of_machine {
extern std::vector<long> data, mine;
extern const std::size_t bytes, v;
pleat::task<> prefix(pleat::vp& me, long& x);
}  // namespace of_machine

namespace of_evaluate {
using of_machine::data, of_machine::prefix;
}

namespace of_distributed {
extern const std::size_t n;
extern pleat::distributed<std::uint64_t> keys;
extern pleat::distributed<double> samples;
}  // namespace of_distributed

namespace of_for_each {
extern pleat::distributed<double> distributed_samples;
}

namespace of_transform {
extern pleat::distributed<double> distributed_samples, distributed_roots;
}

namespace of_reduce {
extern pleat::distributed<double> distributed_samples, distributed_weights;
}

namespace of_distributed_everyday {
extern pleat::distributed<std::int64_t> cents, before;
extern pleat::distributed<int> keys;
}  // namespace of_distributed_everyday

namespace of_distributed_fft {
extern pleat::distributed<std::complex<double>> distributed_signal, distributed_image,
    distributed_spectrum;
extern pleat::distributed<double> distributed_samples;
extern const std::size_t rows;
}  // namespace of_distributed_fft

namespace of_sort {
extern pleat::distributed<std::uint64_t> distributed_keys;
}

namespace of_argsort {
using of_sort::distributed_keys;
}

namespace of_scan {
extern pleat::distributed<long> distributed_counts, distributed_begins, distributed_ends;
extern pleat::distributed<double> distributed_levels;
}  // namespace of_scan

namespace of_search {
using person = numbered_person;
extern std::vector<person> people;
extern pleat::distributed<std::uint64_t> distributed_keys, distributed_copy;
extern pleat::distributed<person> distributed_people;
}  // namespace of_search

namespace of_copy_if {
extern pleat::distributed<int> distributed_keys;
extern pleat::distributed<bool> distributed_flags;
}  // namespace of_copy_if

namespace of_unique {
using of_copy_if::distributed_keys;
}

namespace of_partition {
using of_copy_if::distributed_keys;
}

namespace of_histogram {
extern pleat::distributed<std::uint64_t> distributed_keys;
}

namespace of_merge {
extern pleat::distributed<std::uint64_t> distributed_keys, distributed_more, distributed_all;
extern pleat::distributed<person> distributed_a, distributed_b, distributed_c;
}  // namespace of_merge

namespace of_distributed_merging {
struct request {
  std::int64_t second, microseconds;
};
extern pleat::distributed<request> log_of_one, log_of_other, all;
void show(const request& one);
}  // namespace of_distributed_merging

namespace of_nth_element {
extern const std::size_t n;
extern pleat::distributed<double> distributed_samples;
}  // namespace of_nth_element

namespace of_top_k {
using person = numbered_person;
extern std::vector<person> people;
extern pleat::distributed<std::uint64_t> distributed_keys;
extern pleat::distributed<person> distributed_people;
}  // namespace of_top_k

namespace of_group_by {
using person = numbered_person;
extern std::vector<person> people;
extern pleat::distributed<person> distributed_people;
}  // namespace of_group_by

namespace of_rearrange {
extern pleat::distributed<std::uint64_t> distributed_keys;
}

namespace of_placed_memory {
extern const std::size_t n;
}

namespace of_stencil {
extern std::vector<double> cells;
extern pleat::grid_view<double, 2> plate, now, before, a, b;
extern pleat::distributed_grid<double, 2> distributed_plate;
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
extern pleat::distributed<std::complex<double>> distributed_image;
}  // namespace of_fft2

namespace of_fft {
extern std::vector<std::complex<double>> signal, spectrum, rows, real_spectrum;
extern std::vector<double> samples;
extern pleat::strided_view<std::complex<double>> image;
extern pleat::array_view<std::complex<double>> field;
extern pleat::distributed<std::complex<double>> distributed_signal;
}  // namespace of_fft

namespace of_fftn {
extern std::complex<double>* data;
extern pleat::array_view<std::complex<double>> spectrum;
extern pleat::array_view<double> image;
}  // namespace of_fftn

namespace of_dct {
extern pleat::array_view<double> image, coefficients;
}

namespace of_cholesky {
extern double* data;
extern const std::size_t n;
extern pleat::strided_view<double> b;
}  // namespace of_cholesky

namespace of_closure {
extern float* data;
extern const std::size_t n;
}  // namespace of_closure

namespace of_transpose {
extern const float* image;
extern float* turned;
extern const std::size_t rows, columns;
extern pleat::strided_view<float> square;
}  // namespace of_transpose

namespace of_fft_plan {
extern std::vector<std::complex<double>> signal, spectrum;
extern std::vector<double> samples;
}  // namespace of_fft_plan

namespace of_rfft {
extern std::vector<double> signal;
extern const std::size_t n;
}  // namespace of_rfft

namespace of_matmul {
extern pleat::machine on;
extern const double* data;
extern const std::size_t leading;
extern pleat::strided_view<double> a, b, c, d, d2, w, w2;
extern pleat::strided_view<std::int64_t> via;
using pleat::matmul, pleat::matrix_op, pleat::max_min, pleat::min_plus;
}  // namespace of_matmul

namespace of_sort_by_key {
extern std::vector<double> distances, scores;
extern std::vector<int> cities;
extern std::vector<std::string> names;
extern pleat::distributed<std::uint64_t> distributed_keys, distributed_values;
}  // namespace of_sort_by_key

namespace of_openmp {
extern const std::size_t n;
extern const double a;
extern std::vector<double> x, y;
void work(std::size_t i);
double part_of(std::size_t rank);
void use(double value);
}  // namespace of_openmp

namespace of_onetbb {
extern std::vector<double> x, y;
double f(double value);
struct limits {
  double low = 0, high = 0;
};
inline constexpr auto joined = [](limits a, limits b) {
  return limits{std::min(a.low, b.low), std::max(a.high, b.high)};
};
}  // namespace of_onetbb

namespace of_mpi {
extern std::vector<double> out, in;
extern const double residual;
}  // namespace of_mpi
