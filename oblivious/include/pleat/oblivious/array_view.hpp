// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Requires the members of std::mdspan that tell where its elements are: std::mdspan, or its
/// reference implementation for older standard libraries, has them.
/// Requires: its accessor only adds an offset to the handle, as the default one does.
template <class M>
concept multidimensional_span = requires(const M& m, std::size_t i) {
  typename std::integral_constant<std::size_t, M::rank()>;
  { m.extent(i) } -> std::convertible_to<std::size_t>;
  { m.stride(i) } -> std::convertible_to<std::ptrdiff_t>;
  { m.data_handle() } -> std::convertible_to<std::remove_reference_t<decltype(*m.data_handle())>*>;
};

namespace detail {
template <multidimensional_span M>
using span_element = std::remove_reference_t<decltype(*std::declval<const M&>().data_handle())>;

/// Distance of elements that differ by one in index i; 1 if they must be adjacent.
/// Throws: usage_error if elements that must be adjacent are not, or if a stride is less than 1.
template <multidimensional_span M>
std::size_t step_in_rows(const M& m, std::size_t i, bool adjacent) {
  const auto step = static_cast<std::ptrdiff_t>(m.stride(i));
  bool runs = static_cast<std::size_t>(m.extent(i)) > 1;
  for (std::size_t k = 0; k < M::rank(); ++k)
    runs = runs && static_cast<std::size_t>(m.extent(k)) != 0;
  if (runs && (adjacent ? step != 1 : step < 1))
    throw usage_error("mdspan: elements along dimension " + std::to_string(i) + " are " +
                      std::to_string(step) + " apart, not " + (adjacent ? "1" : "1 or more") +
                      ": copy them into an array by rows");
  return adjacent ? 1 : static_cast<std::size_t>(step);
}

/// Views a matrix as rows of adjacent elements.
/// Throws: as step_in_rows.
template <class T> strided_view<T> rows_of(strided_view<T> matrix) { return matrix; }
template <multidimensional_span M>
requires(M::rank() == 2) strided_view<span_element<M>> rows_of(const M& m) {
  static_cast<void>(detail::step_in_rows(m, 1, true));
  return {m.data_handle(), static_cast<std::size_t>(m.extent(0)),
          static_cast<std::size_t>(m.extent(1)), detail::step_in_rows(m, 0, false)};
}
/// Requires a matrix: a strided_view, or a multidimensional_span of two dimensions.
template <class X>
concept matrix_like = requires(const X& x) {
  detail::rows_of(x);
};
template <matrix_like X>
using matrix_element =
    std::remove_pointer_t<decltype(detail::rows_of(std::declval<const X&>()).data)>;
/// Requires a matrix whose elements are T, or const T.
template <class X, class T>
concept matrix_of = matrix_like<X> && std::is_same_v<std::remove_const_t<matrix_element<X>>, T>;
}  // namespace detail

/// Non-owning view of an array of up to 8 dimensions. Element (i, j, …) lies i·strides[0] +
/// j·strides[1] + … elements behind `data`. Strides may have any order and sign.
template <class T> struct array_view {
  static constexpr std::size_t most_dimensions = 8;

  T* data = nullptr;
  std::size_t dimensions = 0;
  std::array<std::size_t, most_dimensions> sizes{};
  std::array<std::ptrdiff_t, most_dimensions> strides{};  ///< elements from one index to the next

  array_view() = default;
  /// Views elements in row-major order without gaps: the last index is the fastest one.
  /// Throws: usage_error for more than most_dimensions sizes.
  array_view(T* first, std::span<const std::size_t> each) : array_view(each.size()) {
    data = first;
    std::ptrdiff_t step = 1;
    for (std::size_t i = dimensions; i-- > 0; step *= static_cast<std::ptrdiff_t>(sizes[i])) {
      sizes[i] = each[i];
      strides[i] = step;
    }
  }
  array_view(T* first, std::initializer_list<std::size_t> each)
      : array_view(first, std::span<const std::size_t>(each.begin(), each.size())) {}
  /// Views elements at any strides. Throws: usage_error for more than most_dimensions sizes, or if
  /// there is not one stride for each.
  array_view(T* first, std::span<const std::size_t> each, std::span<const std::ptrdiff_t> apart)
      : array_view(each.size()) {
    data = first;
    if (apart.size() != each.size())
      throw usage_error("array_view: " + std::to_string(each.size()) + " sizes and " +
                        std::to_string(apart.size()) + " strides; give it one for each dimension");
    for (std::size_t i = 0; i < dimensions; ++i) {
      sizes[i] = each[i];
      strides[i] = apart[i];
    }
  }
  array_view(strided_view<T> rows)  // NOLINT(google-explicit-constructor): the same thing
      : data(rows.data),
        dimensions(2),
        sizes{rows.rows, rows.columns},
        strides{static_cast<std::ptrdiff_t>(rows.stride), 1} {}
  template <multidimensional_span M>
  requires(std::convertible_to<detail::span_element<M>*, T*>)
      array_view(const M& m)  // NOLINT(google-explicit-constructor): the same thing
      : array_view(std::size_t{M::rank()}) {
    data = m.data_handle();
    for (std::size_t i = 0; i < dimensions; ++i) {
      sizes[i] = static_cast<std::size_t>(m.extent(i));
      strides[i] = static_cast<std::ptrdiff_t>(m.stride(i));
    }
  }
  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>)
      array_view(const array_view<U>& v)  // NOLINT(google-explicit-constructor): adds const
      : data(v.data), dimensions(v.dimensions), sizes(v.sizes), strides(v.strides) {}

  /// Number of elements: 1 for an array without dimensions.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 0; i < dimensions; ++i) product *= sizes[i];
    return product;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Requires as many indices as there are dimensions, each within its size.
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] T& operator()(Index... index) const {
    assert(sizeof...(Index) == dimensions);
    const std::array<std::size_t, sizeof...(Index) + 1> at{static_cast<std::size_t>(index)..., 0};
    std::ptrdiff_t offset = 0;
    for (std::size_t i = 0; i < sizeof...(Index); ++i) {
      assert(at[i] < sizes[i]);
      offset += static_cast<std::ptrdiff_t>(at[i]) * strides[i];
    }
    return data[offset];
  }

 private:
  explicit array_view(std::size_t count) : dimensions(count) {
    if (count > most_dimensions)
      throw usage_error("array_view: " + std::to_string(count) +
                        " dimensions are more than the 8 that it can have; join some of them");
  }
};

template <multidimensional_span M> array_view(const M&) -> array_view<detail::span_element<M>>;

namespace detail {
/// Requires an array: an array_view, or a type that converts to one, such as std::mdspan.
template <class X>
concept array_like = requires(const X& x) {
  array_view(x);
};
template <array_like X>
using array_element = std::remove_pointer_t<decltype(array_view(std::declval<const X&>()).data)>;
/// Requires an array whose elements are T, or const T.
template <class X, class T>
concept array_of = array_like<X> && std::is_same_v<std::remove_const_t<array_element<X>>, T>;
}  // namespace detail

}  // namespace pleat
