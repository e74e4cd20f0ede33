// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "stencil/heat.hpp"
#include "stencil_rivals.hpp"

namespace pleat::bench {

template <class T, std::size_t D>
openmp_heat<T, D>::openmp_heat(std::size_t n, std::size_t side, unsigned threads)
    : n_(static_cast<std::ptrdiff_t>(n)),
      side_(static_cast<std::ptrdiff_t>(side)),
      row_(1),
      threads_(static_cast<int>(threads)) {
  for (std::size_t i = 1; i < D; ++i) row_ *= side_;
  const std::size_t cells = n * static_cast<std::size_t>(row_);
  first_ = big_block(cells * sizeof(T));
  second_ = big_block(cells * sizeof(T));
  now_ = first_.as<T>(cells).data();
  next_ = second_.as<T>(cells).data();
}

template <class T, std::size_t D> void openmp_heat<T, D>::load(const T* cells) {
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::ptrdiff_t i = 0; i < n_; ++i) {
    std::copy_n(cells + i * row_, row_, now_ + i * row_);
    std::copy_n(cells + i * row_, row_, next_ + i * row_);  // the outermost cells never change
  }
}

template <class T, std::size_t D> void openmp_heat<T, D>::advance(std::size_t steps) {
#pragma omp parallel num_threads(threads_)
  {
    const T* from = now_;
    T* to = next_;
    for (std::size_t t = 0; t < steps; ++t) {
      if constexpr (D == 1) {
#pragma omp for schedule(static)
        for (std::ptrdiff_t i = 1; i < n_ - 1; ++i)
          to[i] = T(0.5) * from[i] + T(0.25) * (from[i - 1] + from[i + 1]);
      } else {
#pragma omp for schedule(static)
        for (std::ptrdiff_t i = 1; i < n_ - 1; ++i) heat_rows<D>(side_, from, to, i, i + 1);
      }
      T* const written = to;
      to = const_cast<T*>(from);
      from = written;
    }
  }
  if (steps % 2 != 0) std::swap(now_, next_);
}

template <class T, std::size_t D> void openmp_heat<T, D>::store(T* cells) const {
  std::copy_n(now_, n_ * row_, cells);
}

template class openmp_heat<float, 1>;
template class openmp_heat<float, 2>;
template class openmp_heat<float, 3>;
template class openmp_heat<double, 1>;
template class openmp_heat<double, 2>;
template class openmp_heat<double, 3>;

}  // namespace pleat::bench
