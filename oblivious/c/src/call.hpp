// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <pleat.h>
#include <string>
#include <type_traits>
#include <vector>

#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "arrays/typed_array.hpp"

struct pleat_machine {
  pleat::machine on;
};

namespace pleat::c {

/// Keeps the text of the exception that is being handled for pleat_error. Returns its status.
int keep_failure() noexcept;

/// Throws: usage_error for a count below zero, as Fortran and other languages without unsigned
/// integers can pass it.
void require_counts(const char* caller, std::initializer_list<std::size_t> counts);
/// Numbers of an array of sizes. Throws: usage_error, also if the array is NULL.
[[nodiscard]] std::vector<std::size_t> counts_of(const char* caller, const char* name,
                                                 const std::size_t* counts, std::size_t n);

/// Carries out a call of the interface, work(caller), whose parameters of type size_t are `counts`:
/// no exception leaves it.
template <class F>
int guarded(const char* caller, std::initializer_list<std::size_t> counts, const F& work) noexcept {
  try {
    require_counts(caller, counts);
    work(caller);
    return PLEAT_OK;
  } catch (...) {
    return keep_failure();
  }
}

/// The machine of a call: the one that is given, or the default machine.
[[nodiscard]] inline detail::call_machine machine_of(pleat_machine* given) {
  return given != nullptr ? detail::call_machine(given->on) : detail::call_machine();
}

/// Calls work(machine), or work() for the default machine, which an everyday algorithm takes only
/// if it needs other workers.
template <class F> auto with_machine(pleat_machine* given, const F& work) {
  return given != nullptr ? work(given->on) : work();
}

/// Throws: usage_error for what is no pleat_type.
[[nodiscard]] arrays::number_type number_type_of(const char* caller, pleat_type type);
/// Throws also if the type is not among those that are accepted, which `names` lists.
[[nodiscard]] arrays::number_type number_type_of(const char* caller, pleat_type type,
                                                 std::initializer_list<pleat_type> accepted,
                                                 const char* names);

/// Type of complex numbers of that precision.
[[nodiscard]] constexpr arrays::number_type complex_of(const arrays::number_type& real) noexcept {
  return {arrays::number_kind::complex, 2 * real.bytes};
}

/// Value of an enumeration whose values are 0 to `last`. Throws: usage_error for other numbers.
template <class E> [[nodiscard]] E choice(const char* caller, const char* what, int value, E last) {
  if (value >= 0 && value <= static_cast<int>(last)) return static_cast<E>(value);
  throw usage_error(std::string(caller) + ": " + what + " is " + std::to_string(value) +
                    "; take one of 0 to " + std::to_string(static_cast<int>(last)));
}

/// Throws: usage_error for NULL.
void require(const char* caller, const char* what, const void* pointer);
/// Throws: usage_error for an array of n > 0 numbers of `bytes` bytes that is NULL, or larger than
/// any memory.
void require(const char* caller, const char* what, const void* array, std::size_t n,
             std::size_t bytes);

/// Product of sizes. Throws: usage_error if that many elements of `bytes` bytes are more than 2^48
/// bytes, which fit in no memory.
[[nodiscard]] std::size_t product_of(const char* caller, std::initializer_list<std::size_t> sizes,
                                     std::size_t bytes);

/// Array as the programs take it, which write only to results.
[[nodiscard]] inline arrays::typed_array array_of(const arrays::number_type& type,
                                                  std::vector<std::size_t> shape,
                                                  const void* data) {
  return {type, std::move(shape), static_cast<std::byte*>(const_cast<void*>(data))};
}

/// Calls f.operator()<T>() for one of the types of pleat_type.
template <class F> auto with_type(const arrays::number_type& type, const F& f) {
  const auto of_interface = [&]<class T>() {
    constexpr bool missing = std::is_same_v<T, bool> || std::is_same_v<T, arrays::half> ||
                             std::is_same_v<T, long double> ||
                             std::is_same_v<T, std::complex<long double>>;
    if constexpr (!missing) f.template operator()<T>();
  };
  arrays::with_number(type, of_interface);
}

}  // namespace pleat::c
