// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "sort_keys.hpp"

namespace pleat::bench {

/// Short: those who move indices about have less to move.
using key_index = std::uint32_t;

struct first_half {
  const std::uint64_t& operator()(const key_value& pair) const { return pair.key; }
};

/// What key_order<T> compares of a key.
template <class T>
using compared_part = std::conditional_t<std::is_same_v<T, key_value>, first_half, std::identity>;

/// Orders indices as a stable sort orders their keys: whatever sorts by it, there is one result.
template <class T> struct by_key_at {
  const T* keys;

  bool operator()(key_index a, key_index b) const {
    const compared_part<T> part;
    const auto order = part(keys[a]) <=> part(keys[b]);
    return order < 0 || (order == 0 && a < b);
  }
};

}  // namespace pleat::bench
