// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <string>
#include <string_view>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

/// The name of a type of numbers in options and results: f64, i32, …
template <class T>
requires std::integral<T> || std::floating_point<T>
[[nodiscard]] constexpr std::string_view type_name() {
  if (std::floating_point<T>) return sizeof(T) == 4 ? "f32" : "f64";
  if (std::signed_integral<T>) return sizeof(T) == 4 ? "i32" : "i64";
  return sizeof(T) == 4 ? "u32" : "u64";
}

/// Name of complex numbers, as NumPy counts: the bits of both parts.
template <class T>
requires std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>
[[nodiscard]] constexpr std::string_view type_name() { return sizeof(T) == 8 ? "c64" : "c128"; }

/// Calls f.template operator()<T>() for the one of `Types` that has the name.
/// Throws: pleat::usage_error if none has.
template <class... Types, class F> void with_type(std::string_view name, const F& f) {
  const bool found =
      ((name == type_name<Types>() && (f.template operator()<Types>(), true)) || ...);
  if (!found) throw usage_error("--type: '" + std::string(name) + "' is not measured");
}

}  // namespace pleat::bench
