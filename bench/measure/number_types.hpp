// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

/// Name of a number type in options and results: f64, i32, …, c128. A complex type's name counts
/// the bits of both parts, as in NumPy. Specialised for other types that have a name.
template <class T> [[nodiscard]] constexpr const char* type_name() {
  if constexpr (std::floating_point<T>) {
    return sizeof(T) == 4 ? "f32" : "f64";
  } else if constexpr (std::integral<T>) {
    constexpr std::array with_sign{"i8", "i16", "i32", "i64"}, without{"u8", "u16", "u32", "u64"};
    return (std::signed_integral<T> ? with_sign : without)[std::countr_zero(sizeof(T)) % 4];
  } else {
    static_assert(std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>);
    return sizeof(T) == 8 ? "c64" : "c128";
  }
}

/// Calls f.template operator()<T>() for the type T among `Types` that has the name.
/// Throws: pleat::usage_error naming the types if none has.
template <class... Types, class F> void with_type(std::string_view name, const F& f) {
  const bool found =
      ((name == type_name<Types>() && (f.template operator()<Types>(), true)) || ...);
  if (found) return;
  std::string known;
  ((known += (known.empty() ? "" : ", ") + std::string(type_name<Types>())), ...);
  throw usage_error("--type: '" + std::string(name) + "' is unknown; choose " + known);
}

}  // namespace pleat::bench
