// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <pleat/runtime/machine.hpp>

// Calls that no overload takes. The last overload of a function takes them, and its static_assert
// says in one line what is wrong. Its constraint is that no other overload takes the call:
//
//     template <class... A>
//     requires(!requires(A && ... a) { pleat::name(std::forward<A>(a)...); })
//
// where the qualified name finds only the overloads declared above it.
namespace pleat::detail {

template <class...> inline constexpr bool never = false;

/// Result of such a call. It converts to everything, so that nothing else is reported.
struct no_result {
  template <class T> operator T() const;  // NOLINT(google-explicit-constructor)
};

/// Argument that is not given, or that is {}.
struct no_argument {};

template <class T> inline constexpr bool is_machine = std::same_as<std::remove_cvref_t<T>, machine>;

/// First argument of an overload for the default machine, so that errors do not explain why a
/// machine is no range.
template <class T>
concept no_machine = !is_machine<T>;

template <class First, class... Rest> struct wrong_call {
  static constexpr bool machine_is_late = !is_machine<First> && (is_machine<Rest> || ...);

  using missing = no_argument;
  /// Type of an argument, not counting a machine before it.
  template <std::size_t I>
  using argument =
      std::tuple_element_t<I + is_machine<First>,
                           std::tuple<First, Rest..., missing, missing, missing, missing, missing>>;
  /// Type of a callable; Default if the call has none, or has Options in its place.
  template <std::size_t I, class Default, class Options>
  using callable = std::conditional_t<std::same_as<argument<I>, missing> ||
                                          std::same_as<std::remove_cvref_t<argument<I>>, Options>,
                                      Default, std::remove_cvref_t<argument<I>>>;
};

}  // namespace pleat::detail
