// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>

#include <pleat/oblivious/range_options.hpp>

namespace pleat {

/// Options of sort, stable_sort, argsort and sort_by_key.
struct sort_options {
  /// Number of virtual processors, any number. Unset: one for each processor, fewer for few keys.
  /// If this number is a power of two and equals the number of keys, the program of the model runs,
  /// with one key a VP.
  std::optional<std::size_t> vps;

  friend bool operator==(const sort_options&, const sort_options&) = default;
};

namespace detail::sorting {

template <class Projection>
using projection_type = detail::projection_type<Projection, sort_options>;

}  // namespace detail::sorting

}  // namespace pleat
