// SPDX-License-Identifier: Apache-2.0
#include "fftw_transform.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <fftw3.h>
#include <memory>
#include <type_traits>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

// Names of FFTW's types and functions for a precision.
template <class T> struct fftw;
#define PLEAT_FFTW(T, prefix)                                              \
  template <> struct fftw<T> {                                             \
    using plan = prefix##_plan;                                            \
    using complex = prefix##_complex;                                      \
    using dimension = prefix##_iodim64;                                    \
    static constexpr auto init_threads = prefix##_init_threads;            \
    static constexpr auto plan_with_threads = prefix##_plan_with_nthreads; \
    static constexpr auto plan_complex = prefix##_plan_guru64_dft;         \
    static constexpr auto plan_real = prefix##_plan_guru64_dft_r2c;        \
    static constexpr auto plan_cosines = prefix##_plan_guru64_r2r;         \
    static constexpr auto execute = prefix##_execute;                      \
    static constexpr auto destroy = prefix##_destroy_plan;                 \
  }
PLEAT_FFTW(double, fftw);
PLEAT_FFTW(float, fftwf);
#undef PLEAT_FFTW

}  // namespace

template <class Number, class Result>
std::function<void()> fftw_transform(const fft_shape& shape, Number* from, Result* to,
                                     unsigned threads, bool measure) {
  using library = fftw<fft_part<Number>>;
  static const bool ready = library::init_threads() != 0;
  if (!ready) throw error("FFTW cannot use threads; leave it out with --rivals");
  library::plan_with_threads(static_cast<int>(threads));

  // Makes a dimension of n numbers; `in` and `out` are their strides in the two arrays.
  const auto dimension = [](std::size_t n, std::size_t in, std::size_t out) {
    const auto number = [](std::size_t size) { return static_cast<std::ptrdiff_t>(size); };
    typename library::dimension all{number(n), number(in), number(out)};
    return all;
  };
  const std::size_t length =
      std::floating_point<Result> ? shape.columns : spectrum_columns<Number>(shape);
  const std::array all{dimension(shape.planes, shape.rows * shape.columns, shape.rows * length),
                       dimension(shape.rows, shape.columns, length),
                       dimension(shape.columns, 1, 1)};
  const auto arrays = dimension(shape.batch, shape.numbers(), shape.planes * shape.rows * length);
  const int rank = shape.planes != 1 ? 3 : shape.rows != 1 ? 2 : 1;
  const auto* const dimensions = all.data() + (3 - rank);
  const unsigned how = measure ? FFTW_MEASURE : FFTW_ESTIMATE;
  typename library::plan plan;
  if constexpr (std::floating_point<Result>) {
    const std::array<fftw_r2r_kind, 3> kinds{FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10};
    plan = library::plan_cosines(rank, dimensions, 1, &arrays, from, to, kinds.data(), how);
  } else {
    auto* const results = reinterpret_cast<typename library::complex*>(to);
    if constexpr (std::floating_point<Number>)
      plan = library::plan_real(rank, dimensions, 1, &arrays, from, results, how);
    else
      plan = library::plan_complex(rank, dimensions, 1, &arrays,
                                   reinterpret_cast<typename library::complex*>(from), results,
                                   FFTW_FORWARD, how);
  }
  if (plan == nullptr) throw error("FFTW has no plan for this size; leave it out with --rivals");
  const std::shared_ptr<std::remove_pointer_t<typename library::plan>> kept(plan, library::destroy);
  return [kept] { library::execute(kept.get()); };
}

#define PLEAT_FFTW_TRANSFORM(Number, Result) \
  template std::function<void()> fftw_transform(const fft_shape&, Number*, Result*, unsigned, bool)
PLEAT_FFTW_TRANSFORM(double, double);
PLEAT_FFTW_TRANSFORM(float, float);
PLEAT_FFTW_TRANSFORM(double, std::complex<double>);
PLEAT_FFTW_TRANSFORM(float, std::complex<float>);
PLEAT_FFTW_TRANSFORM(std::complex<double>, std::complex<double>);
PLEAT_FFTW_TRANSFORM(std::complex<float>, std::complex<float>);
#undef PLEAT_FFTW_TRANSFORM

}  // namespace pleat::bench
