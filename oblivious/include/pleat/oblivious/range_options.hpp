// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>

#include <pleat/runtime/run_report.hpp>

// The parameter for a projection has the type of the options unless a call gives a projection. So
// options may take its place, also in braces, and one function serves both calls:
// sort(on, range, less, projection, options) and sort(on, range, less, options).
namespace pleat::detail {

template <class Projection, class Options>
using projection_type =
    std::conditional_t<std::same_as<Projection, Options>, std::identity, Projection>;

inline constexpr std::identity whole_elements;

template <class Options, class Projection>
[[nodiscard]] constexpr auto& projection_in(Projection& given) noexcept {
  if constexpr (std::same_as<Projection, Options>)
    return whole_elements;
  else
    return given;
}
template <class Options, class Projection>
[[nodiscard]] constexpr const Options& options_in(const Projection& given,
                                                  const Options& options) noexcept {
  if constexpr (std::same_as<Projection, Options>)
    if (!(given == Options())) return given;
  return options;
}

}  // namespace pleat::detail

namespace pleat {

/// Requires a range that the everyday algorithms can work on: random access and a known size.
/// Vectors, arrays, spans and deques are such ranges, and views such as std::views::iota and
/// std::views::transform.
template <class R>
concept divisible_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

/// The contract of the everyday algorithms: for_each, transform, reduce, scans, copy_if and the
/// others of `docs/everyday.md`.
///
/// - The first argument may be a machine; without it the default machine is used, with the same
///   return type. Options are the last argument, or take the place of the projection.
/// - Callables and projections are called by several threads at once, and are not copied. Their
///   arguments are the range's references to its elements.
/// - A call begins on its caller's thread. It wakes other workers once the remaining work, at the
///   speed measured now or in earlier calls, takes long enough to repay the wake-up; small calls
///   never use the machine.
/// - If elements are combined, the association depends on their number and types alone: the
///   results, in floating point too, are the same on every machine and for any number of VPs.
/// - If floating-point numbers, or projections to them, are compared by less or greater (of std or
///   std::ranges, the default), NaNs are last in either direction, as sort puts them, and equal to
///   one another; zeros are equal. Hence merge accepts the output of sort; NaNs are one group of
///   group_by, and one element of unique by equal_to; min_element finds a NaN only if all elements
///   are NaNs; max_element and top_k find NaNs first. The greatest element that is no NaN is
///   min_element by greater. Other comparators place NaNs themselves. If a comparator is no strict
///   weak order, the order of the elements is unspecified, and none is lost.
/// - An exception of a callable is rethrown unchanged from the call; the output is then
///   unspecified. usage_error is thrown for 0 VPs, for 2^32 and more, and for an output that is too
///   short.
/// - Inside a run, or inside a callable of another call, the calling VP or thread does all of the
///   work, with the same result. This holds for all functions of the library; fft and matmul then
///   round as with one VP.
/// - Calls on one machine take turns.
/// - A machine that traces takes ranges to lie in equal blocks, one for each VP; reverse, rotate,
///   merge, copy_if, scans and histogram count the elements that one of them reads or writes in
///   blocks of others. nth_element is several runs: its report has no costs, and says why.
struct range_options {
  /// Number of virtual processors, all of which work from the first element on. Unset: the call
  /// chooses.
  std::optional<std::size_t> vps = {};
  /// Destination of the report of the run; the report is empty if the caller's thread worked alone.
  run_report* report = nullptr;

  friend bool operator==(const range_options&, const range_options&) = default;
};

/// Options of for_each and for_each_index; the members mean the same.
struct loop_options {
  std::optional<std::size_t> vps = {};
  /// Number of elements of a chunk: a virtual processor that is free takes the next chunk. Use it
  /// for work of uneven length. Unset: each virtual processor has one part, fixed beforehand.
  std::optional<std::size_t> chunk = {};
  run_report* report = nullptr;

  friend bool operator==(const loop_options&, const loop_options&) = default;
};

namespace detail::everyday {

template <class Projection>
using projection_type = detail::projection_type<Projection, range_options>;

}  // namespace detail::everyday

}  // namespace pleat
