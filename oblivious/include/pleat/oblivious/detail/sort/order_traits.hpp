// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat::detail::sorting {

/// Orders of ours are known to be strict weak orders, and say `static constexpr bool trusted =
/// true`. A user's may answer anything: then the result is in no particular order, but no memory
/// beyond the values is touched, and none of them is lost.
template <class Order> inline constexpr bool trusted_order = false;
template <class Order>
requires(Order::trusted) inline constexpr bool trusted_order<Order> = true;

/// Orders in which no two values are equal say `static constexpr bool total = true`.
template <class Order> inline constexpr bool total_order = false;
template <class Order>
requires(Order::total) inline constexpr bool total_order<Order> = true;

}  // namespace pleat::detail::sorting
