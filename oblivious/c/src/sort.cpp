// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

#include "arrays/sort_numbers.hpp"
#include "call.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

namespace {

using pleat::arrays::number_kind;
using pleat::arrays::number_type;

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
