// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace pleat::arrays {

// NumPy's order where C++ has none of its own.

struct nan_last {
  bool operator()(long double a, long double b) const {
    return a < b || (std::isnan(b) && !std::isnan(a));
  }
};

// Complex number as it lies in memory; std::complex would do as well, but promises less about its
// layout.
template <class T> struct complex_number { T real, imaginary; };

struct complex_order {
  template <class T> bool operator()(const complex_number<T>& a, const complex_number<T>& b) const {
    const int left = nans(a);
    const int right = nans(b);
    if (left != right) return left < right;
    // In the same class the parts that are NaN compare as neither less nor greater.
    if (a.real < b.real) return true;
    if (b.real < a.real) return false;
    return a.imaginary < b.imaginary;
  }

 private:
  template <class T> static int nans(const complex_number<T>& z) {
    return 2 * static_cast<int>(std::isnan(z.real)) + static_cast<int>(std::isnan(z.imaginary));
  }
};

}  // namespace pleat::arrays
