// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

template <class T> constexpr std::string_view matmul_type_name() {
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  return sizeof(T) == 4 ? "i32" : "i64";
}

/// Calls f.template operator()<T>() for the type of that name.
/// Throws: pleat::usage_error naming the types.
template <class F> void with_matmul_type(std::string_view name, const F& f) {
  if (name == "f64") return f.template operator()<double>();
  if (name == "f32") return f.template operator()<float>();
  if (name == "i32") return f.template operator()<std::int32_t>();
  if (name == "i64") return f.template operator()<std::int64_t>();
  throw usage_error("--type: matrices of '" + std::string(name) +
                    "' are not measured; choose f64, f32, i32 or i64");
}
/// The types BLAS knows.
template <class F> void with_blas_type(std::string_view name, const F& f) {
  if (name == "f64") return f.template operator()<double>();
  if (name == "f32") return f.template operator()<float>();
  throw usage_error("--type: BLAS has no products of '" + std::string(name) +
                    "'; choose f64 or f32; min-plus has integers");
}

}  // namespace pleat::bench
