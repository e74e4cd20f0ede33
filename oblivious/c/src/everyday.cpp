// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/exact_sum.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

#include "arrays/sort_numbers.hpp"
#include "call.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

namespace {

using pleat::arrays::number_kind, pleat::arrays::number_type;

const number_type index_type{number_kind::signed_integer, 8};

/// Copies element indices[i] of an array to place i, for all i.
void arrange(pleat::machine& on, std::byte* array, std::size_t bytes,
             const std::vector<std::int64_t>& indices, std::vector<std::byte>& copy) {
  copy.assign(array, array + bytes * indices.size());
  pleat::for_each_index(on, indices.size(), [&](std::size_t i) {
    std::memcpy(array + i * bytes, copy.data() + static_cast<std::size_t>(indices[i]) * bytes,
                bytes);
  });
}

void sort_by_index(pleat::machine& on, const number_type& type, std::byte* keys,
                   std::size_t value_bytes, std::byte* values, std::size_t n) {
  std::vector<std::int64_t> indices(n);
  std::vector<std::byte> copy(n * std::max(type.bytes, value_bytes));  // before anything changes
  pleat::arrays::argsort_numbers(on, array_of(type, {n}, keys),
                                 array_of(index_type, {n}, indices.data()));
  arrange(on, keys, type.bytes, indices, copy);
  arrange(on, values, value_bytes, indices, copy);
}

/// Sorts pairs whose values have that many bytes.
template <std::size_t Bytes>
void sort_pairs(pleat::machine& on, const number_type& type, std::byte* keys, std::byte* values,
                std::size_t n) {
  using value = std::array<std::byte, Bytes>;
  with_type(type, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4)
      pleat::sort_by_key(on, std::span(reinterpret_cast<T*>(keys), n),
                         std::span(reinterpret_cast<value*>(values), n));
  });
}

template <class T> std::span<const T> numbers_of(const void* data, std::size_t n) {
  return {static_cast<const T*>(data), n};
}

/// Calls f.operator()<T>() for types without signs, of which integers of both kinds have the same
/// sums.
template <class F> void with_sums(const number_type& type, const F& f) {
  number_type same = type;
  if (type.kind == number_kind::signed_integer) same.kind = number_kind::unsigned_integer;
  with_type(same, [&]<class T>() {
    if constexpr (!std::is_integral_v<T> || std::is_unsigned_v<T>) f.template operator()<T>();
  });
}

template <class T> struct wide_sum {
  using type = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
};
template <class T> struct wide_sum<std::complex<T>> { using type = std::complex<double>; };

template <bool Greatest>
int index_of_best(const char* caller, pleat_machine* on, pleat_type type, const void* numbers,
                  std::size_t n, std::size_t* index) {
  return guarded(caller, {n}, [&](auto) {
    const number_type number = number_type_of(caller, type);
    require(caller, "index", index);
    require(caller, "numbers", numbers, n, number.bytes);
    if (n == 0 || number.kind == number_kind::complex)
      throw pleat::usage_error(std::string(caller) + (n == 0
                                                          ? ": there are no numbers to choose from"
                                                          : ": complex numbers have no order"));
    with_type(number, [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>) {
        const std::span<const T> range = numbers_of<T>(numbers, n);
        const auto best = with_machine(on, [&](auto&... machine) {
          if constexpr (Greatest)
            return pleat::max_element(machine..., range);
          else
            return pleat::min_element(machine..., range);
        });
        *index = static_cast<std::size_t>(best - range.begin());
      }
    });
  });
}

template <bool Inclusive>
int scan(const char* caller, pleat_machine* on, pleat_type type, const void* in, std::size_t n,
         void* out) {
  return guarded(caller, {n}, [&](auto) {
    const number_type number = number_type_of(caller, type);
    require(caller, "in", in, n, number.bytes);
    require(caller, "out", out, n, number.bytes);
    const std::size_t bytes = n * number.bytes;
    if (in != out && pleat::detail::arrays_overlap(in, static_cast<const std::byte*>(in) + bytes,
                                                   out, static_cast<std::byte*>(out) + bytes))
      throw pleat::usage_error(std::string(caller) +
                               ": the arrays overlap; give it the same one twice, or two");
    with_sums(number, [&]<class T>() {
      with_machine(on, [&](auto&... machine) {
        const std::span<T> sums(static_cast<T*>(out), n);
        if constexpr (Inclusive)
          pleat::inclusive_scan(machine..., numbers_of<T>(in, n), sums);
        else
          pleat::exclusive_scan(machine..., numbers_of<T>(in, n), sums, T{});
      });
    });
  });
}

}  // namespace

int pleat_sort(pleat_machine* on, pleat_type type, void* numbers, size_t n) {
  return guarded("pleat_sort", {n}, [&](const char* caller) {
    const number_type number = number_type_of(caller, type);
    require(caller, "numbers", numbers, n, number.bytes);
    const auto here = machine_of(on);
    pleat::arrays::sort_numbers(*here, array_of(number, {n}, numbers));
  });
}

int pleat_argsort(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                  int64_t* indices) {
  return guarded("pleat_argsort", {n}, [&](const char* caller) {
    const number_type number = number_type_of(caller, type);
    require(caller, "numbers", numbers, n, number.bytes);
    require(caller, "indices", indices, n, sizeof *indices);
    const auto here = machine_of(on);
    pleat::arrays::argsort_numbers(*here, array_of(number, {n}, numbers),
                                   array_of(index_type, {n}, indices));
  });
}

int pleat_sort_by_key(pleat_machine* on, pleat_type key_type, void* keys, size_t value_bytes,
                      void* values, size_t n) {
  return guarded("pleat_sort_by_key", {value_bytes, n}, [&](const char* caller) {
    const number_type key = number_type_of(caller, key_type);
    require(caller, "keys", keys, n, key.bytes);
    require(caller, "values", values, n, std::max<std::size_t>(value_bytes, 1));
    if (value_bytes == 0) throw pleat::usage_error(std::string(caller) + ": values of 0 bytes");
    auto* const k = static_cast<std::byte*>(keys);
    auto* const v = static_cast<std::byte*>(values);
    const std::size_t all_values = product_of(caller, {n, value_bytes}, 1);
    if (n != 0 && pleat::detail::arrays_overlap(k, k + n * key.bytes, v, v + all_values))
      throw pleat::usage_error(std::string(caller) +
                               ": keys and values share memory; give each their own");
    const auto here = machine_of(on);
    if (key.kind != number_kind::complex && key.bytes >= 4) {
      if (value_bytes == 1) return sort_pairs<1>(*here, key, k, v, n);
      if (value_bytes == 2) return sort_pairs<2>(*here, key, k, v, n);
      if (value_bytes == 4) return sort_pairs<4>(*here, key, k, v, n);
      if (value_bytes == 8) return sort_pairs<8>(*here, key, k, v, n);
      if (value_bytes == 16) return sort_pairs<16>(*here, key, k, v, n);
    }
    sort_by_index(*here, key, k, value_bytes, v, n);
  });
}

int pleat_sum(pleat_machine* on, pleat_type type, const void* numbers, size_t n, void* sum) {
  return guarded("pleat_sum", {n}, [&](const char* caller) {
    const number_type number = number_type_of(caller, type);
    require(caller, "numbers", numbers, n, number.bytes);
    require(caller, "sum", sum);
    with_type(number, [&]<class T>() {
      using total = typename wide_sum<T>::type;
      *static_cast<total*>(sum) = with_machine(on, [&](auto&... machine) {
        return pleat::reduce(machine..., numbers_of<T>(numbers, n), total{});
      });
    });
  });
}

int pleat_exact_sum(pleat_machine* on, pleat_type type, const void* numbers, size_t n,
                    double* sum) {
  return guarded("pleat_exact_sum", {n}, [&](const char* caller) {
    const number_type number = number_type_of(caller, type);
    require(caller, "numbers", numbers, n, number.bytes);
    require(caller, "sum", sum);
    if (number.kind != number_kind::floating)
      throw pleat::usage_error(std::string(caller) + ": give PLEAT_F32 or PLEAT_F64");
    with_type(number, [&]<class T>() {
      if constexpr (std::is_floating_point_v<T>) {
        *sum = with_machine(on, [&](auto&... machine) {
          return pleat::reduce(machine..., numbers_of<T>(numbers, n), pleat::exact_sum()).value();
        });
      }
    });
  });
}

int pleat_argmin(pleat_machine* on, pleat_type type, const void* numbers, size_t n, size_t* index) {
  return index_of_best<false>("pleat_argmin", on, type, numbers, n, index);
}

int pleat_argmax(pleat_machine* on, pleat_type type, const void* numbers, size_t n, size_t* index) {
  return index_of_best<true>("pleat_argmax", on, type, numbers, n, index);
}

int pleat_inclusive_scan(pleat_machine* on, pleat_type type, const void* in, size_t n, void* out) {
  return scan<true>("pleat_inclusive_scan", on, type, in, n, out);
}

int pleat_exclusive_scan(pleat_machine* on, pleat_type type, const void* in, size_t n, void* out) {
  return scan<false>("pleat_exclusive_scan", on, type, in, n, out);
}

int pleat_histogram(pleat_machine* on, pleat_type type, const void* numbers, size_t n, size_t bins,
                    uint64_t* counts) {
  return guarded("pleat_histogram", {n, bins}, [&](const char* caller) {
    const number_type number = number_type_of(caller, type);
    if (number.kind == number_kind::floating || number.kind == number_kind::complex)
      throw pleat::usage_error(std::string(caller) +
                               ": numbers are not integers; take one of PLEAT_I8 to "
                               "PLEAT_U64");
    require(caller, "numbers", numbers, n, number.bytes);
    require(caller, "counts", counts, bins, sizeof *counts);
    with_type(number, [&]<class T>() {
      if constexpr (std::is_integral_v<T>)
        with_machine(on, [&](auto&... machine) {
          pleat::histogram(machine..., numbers_of<T>(numbers, n), std::span(counts, bins));
        });
    });
  });
}

int pleat_for_each_index(pleat_machine* on, size_t first, size_t last, void (*f)(size_t, void*),
                         void* context) {
  return guarded("pleat_for_each_index", {first, last}, [&](const char* caller) {
    if (f == nullptr) throw pleat::usage_error(std::string(caller) + ": f is NULL");
    if (first >= last) return;
    with_machine(on, [&](auto&... machine) {
      pleat::for_each_index(machine..., last - first,
                            [&](std::size_t i) { f(first + i, context); });
    });
  });
}
