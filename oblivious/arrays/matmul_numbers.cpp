// SPDX-License-Identifier: Apache-2.0
#include "matmul_numbers.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

#include <pleat/oblivious/detail/matmul/value_product.hpp>
#include <pleat/oblivious/matmul.hpp>

namespace pleat::arrays {
namespace {

template <class S, class T> constexpr bool multiplies() {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, std::complex<long double>>)
    return false;
  else if constexpr (std::is_same_v<T, bool> || std::is_same_v<S, or_and>)
    return std::is_integral_v<T> && std::is_same_v<S, or_and>;
  else if constexpr (std::is_same_v<S, plus_times>)
    return true;
  else
    return std::is_arithmetic_v<T> && (!std::is_same_v<S, max_plus> || std::is_signed_v<T>);
}

template <class F> auto with_semiring(semiring_kind semiring, const F& f) {
  switch (semiring) {
    case semiring_kind::plus_times:
      return f.template operator()<plus_times>();
    case semiring_kind::min_plus:
      return f.template operator()<min_plus>();
    case semiring_kind::max_plus:
      return f.template operator()<max_plus>();
    case semiring_kind::max_min:
      return f.template operator()<max_min>();
    case semiring_kind::or_and:
      break;
  }
  return f.template operator()<or_and>();
}

/// Type as which numbers of type T are multiplied. Where signs make no difference to the bits of
/// the result integers are unsigned, so that half of the products need not be compiled.
template <class S, class T> constexpr auto multiplied_as() {
  constexpr bool only_bits = std::is_same_v<S, plus_times> || std::is_same_v<S, or_and>;
  if constexpr (std::is_same_v<T, bool>)
    return std::uint8_t();
  else if constexpr (only_bits && std::is_integral_v<T>)
    return std::make_unsigned_t<T>();
  else
    return T();
}

}  // namespace

bool has_products(semiring_kind semiring, const number_type& type) {
  return with_semiring(semiring, [&]<class S>() {
    return with_number(type, []<class T>() { return multiplies<S, T>(); });
  });
}

run_report multiply_matrices(machine& on, semiring_kind semiring, const number_type& type,
                             const typed_matrix& a, const typed_matrix& b, const typed_matrix& c,
                             std::optional<std::size_t> vps, bool accumulates) {
  using namespace detail::matmul;
  const auto window_of = [&](const typed_matrix& m) {
    return window(m.data, m.rows, m.columns, m.stride, type.bytes);
  };
  run_report report;
  with_product(semiring, type, c, [&](any_product& product) {
    report = multiply(
        on, "matmul", product, window_of(a), window_of(b), window_of(c),
        {.op_a = a.op, .op_b = b.op, .kind = accumulates ? onto::sum : onto::nothing, .vps = vps});
  });
  return report;
}

namespace {

template <class T>
concept has_place = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

}  // namespace

bool has_places(const number_type& type) {
  return with_number(type, []<class T>() { return has_place<T>; });
}

run_report multiply_with_places(machine& on, const number_type& type, const typed_matrix& a,
                                const typed_matrix& b, const typed_matrix& c,
                                const typed_matrix& places, std::optional<std::size_t> vps) {
  run_report report;
  with_number(type, [&]<class T>() {
    if constexpr (has_place<T>) {
      using index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
      const auto view = [&]<class E>(const typed_matrix& m, E*) {
        return strided_view<E>(reinterpret_cast<E*>(m.data), m.rows, m.columns, m.stride);
      };
      report = pleat::matmul_argmin(
          on, view(a, static_cast<const T*>(nullptr)), view(b, static_cast<const T*>(nullptr)),
          view(c, static_cast<T*>(nullptr)), view(places, static_cast<index*>(nullptr)),
          {.op_a = a.op, .op_b = b.op, .vps = vps});
    }
  });
  return report;
}

void with_product(semiring_kind semiring, const number_type& type, const typed_matrix& c,
                  const std::function<void(detail::matmul::any_product&)>& multiply) {
  with_semiring(semiring, [&]<class S>() {
    with_number(type, [&]<class T>() {
      if constexpr (multiplies<S, T>()) {
        using number = decltype(multiplied_as<S, T>());
        using scale = detail::matmul::scalar<number>;
        detail::matmul::value_product<S, number> product(
            {reinterpret_cast<number*>(c.data), c.rows, c.columns, c.stride}, scale(1), scale(0));
        multiply(product);
      }
    });
  });
}

}  // namespace pleat::arrays
