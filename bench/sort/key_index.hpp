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
