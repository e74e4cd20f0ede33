// SPDX-License-Identifier: Apache-2.0
#include "copy_numbers.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

namespace pleat::arrays {
namespace {

constexpr std::size_t longest = 32;  // bytes of a number

double double_of(half h) {
  const int exponent = h.bits >> 10U & 0x1f;
  const double fraction = h.bits & 0x3ff;
  double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0x1f) size = fraction == 0 ? INFINITY : NAN;
  return (h.bits & 0x8000U) != 0 ? -size : size;
}

using value = std::complex<double>;  // holds every float and double, real or complex, exactly

value (*reader_of(const number_type& type))(const std::byte*) {
  return with_number(type, []<class T>() -> value (*)(const std::byte*) {
    return [](const std::byte* at) -> value {
      T number;
      std::memcpy(&number, at, sizeof number);
      if constexpr (std::is_same_v<T, half>)
        return double_of(number);
      else if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(number);
      else
        return value(number);
    };
  });
}

void write(const value& number, const number_type& type, std::byte* to) {
  const std::array<double, 2> parts{number.real(), number.imag()};
  const std::size_t bytes = type.part();
  for (std::size_t i = 0; i < type.bytes / bytes; ++i) {
    const auto single = static_cast<float>(parts.at(i));
    if (bytes == sizeof single)
      std::memcpy(to + i * bytes, &single, bytes);
    else
      std::memcpy(to + i * bytes, &parts.at(i), bytes);
  }
}

// Copies a row of numbers that lie `stride` apart.
class row_copier {
 public:
  row_copier(const stored_numbers& from, const number_type& to)
      : from_(from), to_(to), read_(from.type == to ? nullptr : reader_of(from.type)) {}

  void operator()(const std::byte* source, std::size_t stride, std::byte* target,
                  std::size_t count) const {
    const std::size_t bytes = from_.type.bytes;
    if (read_ == nullptr && !from_.foreign && stride == 1) {
      std::memcpy(target, source, count * bytes);
      return;
    }
    const std::size_t part = from_.type.part();
    std::array<std::byte, longest> number{};
    for (std::size_t i = 0; i < count; ++i, source += stride * bytes, target += to_.bytes) {
      std::memcpy(number.data(), source, bytes);
      if (from_.foreign)
        for (std::size_t at = 0; at < bytes; at += part)
          std::reverse(number.data() + at, number.data() + at + part);
      if (read_ == nullptr)
        std::memcpy(target, number.data(), bytes);
      else
        write(read_(number.data()), to_, target);
    }
  }

 private:
  const stored_numbers& from_;
  const number_type to_;
  value (*const read_)(const std::byte*);
};

}  // namespace

stored_numbers stored_numbers::packed(const typed_array& array, bool foreign, bool fortran_order) {
  stored_numbers stored{array.type, foreign, array.shape, array.shape, array.data};
  std::size_t stride = 1;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const std::size_t dimension = fortran_order ? i : array.shape.size() - 1 - i;
    stored.strides[dimension] = stride;
    stride *= array.shape[dimension];
  }
  return stored;
}

stored_numbers stored_numbers::moved(std::size_t from, std::size_t to) const {
  stored_numbers other = *this;
  for (auto* const list : {&other.shape, &other.strides}) {
    const std::size_t one = (*list)[from];
    list->erase(list->begin() + static_cast<std::ptrdiff_t>(from));
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(to), one);
  }
  return other;
}

bool converts(const number_type& from, const number_type& to) noexcept {
  const bool complex = from.kind == number_kind::complex;
  const bool target =
      to.kind == number_kind::complex || (to.kind == number_kind::floating && !complex);
  return target && from.part() <= 8 && (to.part() == 4 || to.part() == 8);
}

void copy_numbers(const stored_numbers& from, const typed_array& to) {
  assert(from.shape == to.shape && (from.type == to.type || converts(from.type, to.type)));
  if (to.elements() == 0) return;
  const row_copier copy_row(from, to.type);
  const std::size_t last = from.shape.size() - 1;
  std::vector<std::size_t> index(from.shape.size());
  std::byte* target = to.data;
  for (std::size_t row = 0; row < to.rows(); ++row, target += to.row() * to.type.bytes) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < last; ++i) first += index[i] * from.strides[i];
    copy_row(from.data + first * from.type.bytes, from.strides[last], target, to.row());
    for (std::size_t i = last; i-- > 0 && ++index[i] == from.shape[i];) index[i] = 0;
  }
}

}  // namespace pleat::arrays
