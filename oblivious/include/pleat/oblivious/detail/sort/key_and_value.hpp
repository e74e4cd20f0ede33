// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>

namespace pleat::detail {

namespace sorting {

/// Key with its value.
template <class K, class V> struct key_and_value {
  K key;
  V value;
};

}  // namespace sorting

template <class K, class V>
struct copied_by_bytes<sorting::key_and_value<K, V>>
    : std::bool_constant<copied_by_bytes<K>::value && copied_by_bytes<V>::value> {};

}  // namespace pleat::detail
