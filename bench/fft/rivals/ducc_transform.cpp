// SPDX-License-Identifier: Apache-2.0
#include "ducc_transform.hpp"

#include <complex>
#include <concepts>
#include <ducc0/fft/fftnd_impl.h>
#include <vector>
// Definitions of functions that ducc0's headers only declare.
#include <ducc0/infra/mav.cc>
#include <ducc0/infra/string_utils.cc>
#include <ducc0/infra/threading.cc>

namespace pleat::bench {

template <class Number, class Result>
std::function<void()> ducc_transform(const fft_shape& shape, const Number* from, Result* to,
                                     unsigned threads) {
  using part = fft_part<Number>;
  const auto extents = [&shape](std::size_t columns) {
    return std::vector<std::size_t>{shape.batch, shape.planes, shape.rows, columns};
  };
  const ducc0::cfmav<Number> in(from, extents(shape.columns));
  const ducc0::vfmav<Result> out(
      to, extents(std::floating_point<Result> ? shape.columns : spectrum_columns<Number>(shape)));
  std::vector<std::size_t> axes;
  if (shape.planes != 1) axes.push_back(1);
  if (shape.rows != 1) axes.push_back(2);
  axes.push_back(3);
  return [=] {
    if constexpr (std::floating_point<Result>)
      ducc0::dct(in, out, axes, 2, part(1), false, threads);
    else if constexpr (std::floating_point<Number>)
      ducc0::r2c(in, out, axes, true, part(1), threads);
    else
      ducc0::c2c(in, out, axes, true, part(1), threads);
  };
}

#define PLEAT_DUCC_TRANSFORM(Number, Result) \
  template std::function<void()> ducc_transform(const fft_shape&, const Number*, Result*, unsigned)
PLEAT_DUCC_TRANSFORM(double, double);
PLEAT_DUCC_TRANSFORM(float, float);
PLEAT_DUCC_TRANSFORM(double, std::complex<double>);
PLEAT_DUCC_TRANSFORM(float, std::complex<float>);
PLEAT_DUCC_TRANSFORM(std::complex<double>, std::complex<double>);
PLEAT_DUCC_TRANSFORM(std::complex<float>, std::complex<float>);

}  // namespace pleat::bench
