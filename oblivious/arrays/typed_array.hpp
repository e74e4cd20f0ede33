// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pleat::arrays {

enum class number_kind { boolean, signed_integer, unsigned_integer, floating, complex };

/// Type of the numbers of an array, in this machine's byte order: bool, integers of 1 to 8 bytes,
/// float16 to long double, complex of any of float, double, long double.
struct number_type {
  number_kind kind;
  std::size_t bytes;

  bool operator==(const number_type&) const = default;
  /// Bytes of a real number, or of either part of a complex one.
  [[nodiscard]] std::size_t part() const noexcept {
    return kind == number_kind::complex ? bytes / 2 : bytes;
  }
};

/// Numbers whose type is known at run time, in C order, in memory that somebody else owns.
struct typed_array {
  number_type type;
  std::vector<std::size_t> shape;
  std::byte* data = nullptr;

  [[nodiscard]] std::size_t elements() const noexcept {
    std::size_t product = 1;
    for (const std::size_t size : shape) product *= size;
    return product;
  }
  /// Numbers along the last dimension. Requires at least one dimension.
  [[nodiscard]] std::size_t row() const noexcept { return shape.back(); }
  /// Number of rows of the array, all its dimensions but the last taken together.
  [[nodiscard]] std::size_t rows() const noexcept {
    return shape.back() == 0 ? 0 : elements() / shape.back();
  }
  /// Elements of the array. Requires: T is what `type` says, as it lies in memory.
  template <class T> [[nodiscard]] std::span<T> as() const noexcept {
    return {reinterpret_cast<T*>(data), elements()};
  }
};

/// Numbers of such a type at any places: element (i, j, …) lies i·strides[0] + j·strides[1] + …
/// elements behind `data`.
struct strided_array {
  number_type type;
  std::vector<std::size_t> shape;
  std::vector<std::ptrdiff_t> strides;
  std::byte* data = nullptr;

  strided_array() = default;
  strided_array(number_type of, std::vector<std::size_t> sizes, std::vector<std::ptrdiff_t> apart,
                std::byte* first)
      : type(of), shape(std::move(sizes)), strides(std::move(apart)), data(first) {}
  strided_array(const typed_array& rows)  // NOLINT(google-explicit-constructor): the same thing
      : type(rows.type), shape(rows.shape), strides(rows.shape.size()), data(rows.data) {
    std::ptrdiff_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0; step *= static_cast<std::ptrdiff_t>(shape[i]))
      strides[i] = step;
  }
};

/// The bits of a float16, for which C++ has no type.
struct half {
  std::uint16_t bits;
};

/// f.template operator()<T>() for the type of an array's numbers.
template <class F> auto with_number(const number_type& type, const F& f) {
  const auto integer = [&]<class A, class B, class C, class D>() {
    if (type.bytes == 1) return f.template operator()<A>();
    if (type.bytes == 2) return f.template operator()<B>();
    if (type.bytes == 4) return f.template operator()<C>();
    return f.template operator()<D>();
  };
  switch (type.kind) {
    case number_kind::boolean:
      return f.template operator()<bool>();
    case number_kind::signed_integer:
      return integer.template operator()<std::int8_t, std::int16_t, std::int32_t, std::int64_t>();
    case number_kind::unsigned_integer:
      return integer
          .template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
    case number_kind::floating:
      if (type.bytes == 2) return f.template operator()<half>();
      if (type.bytes == 4) return f.template operator()<float>();
      if (type.bytes == 8) return f.template operator()<double>();
      return f.template operator()<long double>();
    case number_kind::complex:
      break;
  }
  if (type.bytes == 8) return f.template operator()<std::complex<float>>();
  if (type.bytes == 16) return f.template operator()<std::complex<double>>();
  return f.template operator()<std::complex<long double>>();
}

}  // namespace pleat::arrays
