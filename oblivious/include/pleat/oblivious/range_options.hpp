// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>

#include <pleat/oblivious/detail/program/projection.hpp>
#include <pleat/runtime/run_report.hpp>

namespace pleat {

/// Requires a range that the everyday algorithms can work on: random access and a known size.
/// Vectors, arrays, spans, deques, and views of them such as std::views::iota and
/// std::views::transform.
template <class R>
concept divisible_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

/// The contract of the everyday algorithms: for_each, transform, reduce, scans, copy_if and the
/// others of `docs/everyday.md`.
///
/// - The first argument may be a machine; without one they use the default machine. They return the
///   same either way. Options always come last, or in the place of the projection.
/// - Callables and projections are called by several threads at once, and not copied. Each sees
///   elements as the range gives them.
/// - A call begins on its caller's thread. The other processors take part once what is left, at the
///   pace seen so far, is worth waking them; small calls never use the machine.
/// - Where elements are combined, the association depends on their number and types alone: results,
///   those in floating point too, are the same on every machine and for any number of VPs.
/// - Floating-point numbers, or projections to them, that are compared by less or greater (of
///   std or std::ranges, the default): NaNs are last in either direction, as sort puts them, and
///   equal to one another; zeros are equal. Hence merge takes what sort has sorted, NaNs are one
///   group of group_by, and one element of unique by equal_to; min_element finds no NaN unless
///   there is nothing else; max_element and top_k find NaNs first. The greatest number that is none
///   is min_element by greater. What a comparator of the caller's says of NaNs counts as it is. A
///   comparator that is no strict weak order gives elements in some order; none is lost.
/// - What a callable throws is thrown from the call as it is; the output is then unspecified.
///   usage_error: 0 VPs, or 2^32 and more; an output too short.
/// - Inside a run, and in what another call was given, the VP or thread that calls does everything,
///   with the same result. So do all functions of the library; fft and matmul with the last bits
///   that one VP gives.
/// - Calls on one machine take turns.
struct range_options {
  /// Number of virtual processors that work, from the first element on. Unset: as many as pay.
  std::optional<std::size_t> vps = {};
  /// Report of the run is written here; an empty one if the caller's thread worked alone.
  run_report* report = nullptr;

  friend bool operator==(const range_options&, const range_options&) = default;
};

/// Options of for_each and for_each_index; the members mean the same.
struct loop_options {
  std::optional<std::size_t> vps = {};
  /// Elements that a virtual processor takes at a time, whoever is free next: for work of uneven
  /// length. Unset: each has one part, fixed beforehand.
  std::optional<std::size_t> chunk = {};
  run_report* report = nullptr;

  friend bool operator==(const loop_options&, const loop_options&) = default;
};

namespace detail::everyday {

template <class Projection>
using projection_type = detail::projection_type<Projection, range_options>;

}  // namespace detail::everyday

}  // namespace pleat
