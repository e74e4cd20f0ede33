// SPDX-License-Identifier: Apache-2.0
#include "lapack.hpp"

#include <string>

namespace pleat::bench {
namespace {

// Constants of cblas.h.
constexpr int row_major = 101, as_it_is = 111, turned = 112, lower = 122, no_units = 131,
              from_left = 141;

/// The function of a name for float or double: `before`, s or d, `after`.
template <class T>
void* of_type(const blas_library& library, const std::string& before, const std::string& after) {
  return library.function((before + (sizeof(T) == 4 ? "s" : "d") + after).c_str());
}

}  // namespace

template <class T> void lapack::transpose(std::size_t n, const T* in, T* out) const {
  const int side = static_cast<int>(n);
  if (in == out) {
    using in_place = void(int, int, int, int, T, T*, int, int);
    reinterpret_cast<in_place*>(of_type<T>(library_, "cblas_", "imatcopy"))(
        row_major, turned, side, side, 1, out, side, side);
  } else {
    using copy = void(int, int, int, int, T, const T*, int, T*, int);
    reinterpret_cast<copy*>(of_type<T>(library_, "cblas_", "omatcopy"))(
        row_major, turned, side, side, 1, in, side, out, side);
  }
}

template <class T> void lapack::factorise(std::size_t n, T* a) const {
  using factor = void(const char*, const int*, T*, const int*, int*, std::size_t);
  const int side = static_cast<int>(n);
  int failed = 0;
  // Fortran's columns are our rows, so that our lower triangle is its upper one.
  reinterpret_cast<factor*>(of_type<T>(library_, "", "potrf_"))("U", &side, a, &side, &failed, 1);
}

template <class T> void lapack::solve(std::size_t n, std::size_t m, const T* a, T* b) const {
  using solver = void(int, int, int, int, int, int, int, T, const T*, int, T*, int);
  const int rows = static_cast<int>(n), columns = static_cast<int>(m);
  reinterpret_cast<solver*>(of_type<T>(library_, "cblas_", "trsm"))(
      row_major, from_left, lower, as_it_is, no_units, rows, columns, 1, a, rows, b, columns);
}

#define PLEAT_OF_TYPE(T)                                            \
  template void lapack::transpose(std::size_t, const T*, T*) const; \
  template void lapack::factorise(std::size_t, T*) const;           \
  template void lapack::solve(std::size_t, std::size_t, const T*, T*) const;
PLEAT_OF_TYPE(float)
PLEAT_OF_TYPE(double)
#undef PLEAT_OF_TYPE

}  // namespace pleat::bench
