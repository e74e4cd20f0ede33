// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat::detail::sorting {

/// Tells whether an order is known to be a strict weak order. The library's own are, and have
/// `static constexpr bool trusted = true`. A user's order may be none; then the order of the result
/// is unspecified, but no memory beyond the values is accessed, and no value is lost.
template <class Order> inline constexpr bool trusted_order = false;
template <class Order>
requires(Order::trusted) inline constexpr bool trusted_order<Order> = true;

/// Tells whether no two values are equal in an order: it has `static constexpr bool total = true`.
template <class Order> inline constexpr bool total_order = false;
template <class Order>
requires(Order::total) inline constexpr bool total_order<Order> = true;

}  // namespace pleat::detail::sorting
