// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/program/strided_box.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::fourier {

/// Array of real or complex elements, as numbers of type T: one or two to an element.
template <class T> struct numbers_array {
  static constexpr std::size_t most_dimensions = array_view<T>::most_dimensions;

  T* data = nullptr;
  std::size_t unit = 1;  ///< numbers of an element
  std::size_t dimensions = 0;
  std::array<std::size_t, most_dimensions> sizes{};
  std::array<std::ptrdiff_t, most_dimensions> strides{};  ///< numbers from index to index

  /// The elements of a view; what is const in it is only read.
  template <class E> static numbers_array of(const array_view<E>& view) {
    using element = std::remove_const_t<E>;
    numbers_array all{const_cast<T*>(reinterpret_cast<const T*>(view.data)),
                      sizeof(element) / sizeof(T), view.dimensions, view.sizes, view.strides};
    for (auto& stride : all.strides) stride *= static_cast<std::ptrdiff_t>(all.unit);
    return all;
  }
  operator strided_box() const {  // NOLINT(google-explicit-constructor): the same memory
    strided_box box(data, unit * sizeof(T));
    for (std::size_t i = 0; i < dimensions; ++i)
      box.along(sizes[i], strides[i] * static_cast<std::ptrdiff_t>(sizeof(T)));
    return box;
  }
  /// Array of the same sizes, row by row, without memory.
  [[nodiscard]] numbers_array row_major() const {
    numbers_array all = *this;
    auto step = static_cast<std::ptrdiff_t>(unit);
    for (std::size_t i = dimensions; i-- > 0; step *= static_cast<std::ptrdiff_t>(sizes[i]))
      all.strides[i] = step;
    return all;
  }
  [[nodiscard]] std::size_t numbers() const noexcept {
    std::size_t product = unit;
    for (std::size_t i = 0; i < dimensions; ++i) product *= sizes[i];
    return product;
  }
  /// Dimensions, those with the longest strides first.
  [[nodiscard]] std::vector<std::size_t> outermost_first() const {
    std::vector<std::size_t> order(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) order[i] = i;
    std::ranges::sort(order, [this](std::size_t a, std::size_t b) {
      const auto far = std::abs(strides[a]), near = std::abs(strides[b]);
      return far != near ? far > near : a < b;
    });
    return order;
  }
};

/// Copies the elements of one array that have a place in another one, whose other elements become
/// 0: share q of w of the rows. Requires: as many dimensions, of as many numbers an element.
template <class T>
void copy_resized(const numbers_array<T>& from, const numbers_array<T>& to, std::size_t q,
                  std::size_t w) {
  std::vector<std::size_t> order = to.outermost_first();
  if (order.empty()) {
    if (q == 0) std::copy_n(from.data, to.unit, to.data);
    return;
  }
  const std::size_t along = order.back();
  order.pop_back();
  const std::size_t length = to.sizes[along];
  std::size_t rows = 1;
  for (const std::size_t i : order) rows *= to.sizes[i];
  const interval<> mine = interval<>{0, rows}.share(q, w);
  for (std::size_t row = mine.first; row < mine.last; ++row) {
    const T* in = from.data;
    T* out = to.data;
    std::size_t there = std::min(length, from.sizes[along]);
    std::size_t rest = row;
    for (std::size_t k = order.size(); k-- > 0; rest /= to.sizes[order[k]]) {
      const std::size_t i = order[k], index = rest % to.sizes[i];
      if (index >= from.sizes[i]) there = 0;
      in += static_cast<std::ptrdiff_t>(index) * from.strides[i];
      out += static_cast<std::ptrdiff_t>(index) * to.strides[i];
    }
    for (std::size_t j = 0; j < length; ++j, out += to.strides[along]) {
      for (std::size_t u = 0; u < to.unit; ++u) out[u] = j < there ? in[u] : T{};
      if (j + 1 < there) in += from.strides[along];
    }
  }
}

}  // namespace pleat::detail::fourier
