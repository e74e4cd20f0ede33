// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/program/projection.hpp>

namespace pleat {

/// How sort, stable_sort, argsort and sort_by_key are carried out.
struct sort_options {
  /// How many virtual processors to sort with, any number; unset: one a processor, fewer if there
  /// are few keys. The keys' number, if a power of two: the program of the model, one key a VP.
  std::optional<std::size_t> vps;

  friend bool operator==(const sort_options&, const sort_options&) = default;
};

namespace detail::sorting {

template <class Projection>
using projection_type = detail::projection_type<Projection, sort_options>;

}  // namespace detail::sorting

}  // namespace pleat
