// SPDX-License-Identifier: Apache-2.0
#include "matmul_numbers.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/conversion.hpp"
#include "tool/names.hpp"
#include "tool/with_number.hpp"

namespace pleat::bench {
namespace {

constexpr std::array<std::string_view, 4> semirings{"plus_times", "min_plus", "max_plus", "or_and"};

template <class S, class T> constexpr bool has_products() {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, std::complex<long double>>)
    return false;
  else if constexpr (std::is_same_v<T, bool> || std::is_same_v<S, or_and>)
    return std::is_integral_v<T> && std::is_same_v<S, or_and>;
  else if constexpr (std::is_same_v<S, plus_times>)
    return true;
  else
    return std::is_arithmetic_v<T> && (std::is_same_v<S, min_plus> || std::is_signed_v<T>);
}

template <class F> bool with_semiring(std::string_view name, const F& f) {
  if (name == semirings[0]) return f.template operator()<plus_times>();
  if (name == semirings[1]) return f.template operator()<min_plus>();
  if (name == semirings[2]) return f.template operator()<max_plus>();
  return f.template operator()<or_and>();
}

/// Is there a product of this type? Calls f.operator()<Semiring, T>() if so.
template <class F>
bool with_product(std::string_view semiring, const number_type& type, const F& f) {
  return with_semiring(semiring, [&]<class S>() {
    return with_number(type, [&]<class T>() {
      if constexpr (has_products<S, T>()) f.template operator()<S, T>();
      return has_products<S, T>();
    });
  });
}

/// What numbers of type T are multiplied as. Where signs make no difference to the bits of the
/// result integers are unsigned, so that half of the products need not be compiled.
template <class S, class T> constexpr auto multiplied_as() {
  constexpr bool only_bits = std::is_same_v<S, plus_times> || std::is_same_v<S, or_and>;
  if constexpr (std::is_same_v<T, bool>)
    return std::uint8_t();
  else if constexpr (only_bits && std::is_integral_v<T>)
    return std::make_unsigned_t<T>();
  else
    return T();
}

template <class T> strided_view<T> matrix(const npy_array& array) {
  return {array.memory.as<T>(array.elements).data(), array.shape[0], array.shape[1],
          array.shape[1]};
}

}  // namespace

std::string semiring_names() { return names_of(semirings); }

void check_matrices(const std::string& semiring, const npy_array& a, const std::string& name_a,
                    const npy_array& b, const std::string& name_b) {
  static_cast<void>(place_of(semiring, "--semiring", semirings));
  if (a.type != b.type) {
    const std::string type = descr_of(common_type(a.type, b.type));
    const auto call = [&](const npy_array& array, const std::string& name) {
      return array.type == common_type(a.type, b.type)
                 ? std::string()
                 : numpy_save(name, numpy_load(name) + ".astype('" + type + "')");
    };
    const std::string first = call(a, name_a);
    const std::string second = call(b, name_b);
    throw error(name_a + " holds '" + a.descr + "' and " + name_b + " '" + b.descr +
                "'; make them one type with " + first +
                (first.empty() || second.empty() ? "" : "; ") + second);
  }
  if (!with_product(semiring, a.type, []<class S, class T>() {})) {
    const bool words = semiring == semirings[3];
    const bool complex = a.type.kind == number_kind::complex && semiring == semirings[0];
    const std::string type = words ? "bool" : complex ? "c16" : "f8";
    const auto call = [&](const std::string& name) {
      return numpy_save(name, numpy_load(name) + ".astype('" + type + "')");
    };
    throw error("there are no products of '" + a.descr + "' over " + semiring + "; convert " +
                (name_a == name_b ? "it with " + call(name_a)
                                  : "both with " + call(name_a) + "; " + call(name_b)));
  }
  if (a.shape[1] != b.shape[0])
    throw error(name_a + " has shape " + shape_text(a.shape) + " and " + name_b + " " +
                shape_text(b.shape) + ": the first needs as many columns as the second has rows");
}

run_report multiply_matrices(machine& on, const std::string& semiring, const npy_array& a,
                             const npy_array& b, npy_array& c) {
  run_report report;
  with_product(semiring, a.type, [&]<class S, class T>() {
    using number = decltype(multiplied_as<S, T>());
    report = matmul<S>(on, matrix<const number>(a), matrix<const number>(b), matrix<number>(c));
  });
  return report;
}

}  // namespace pleat::bench
