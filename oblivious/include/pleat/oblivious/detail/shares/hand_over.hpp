// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/runtime/message.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Values that one VP hands over to another, in one memory and over ranks. This is the one place
// that tells values that can travel between ranks from values that cannot.
namespace pleat::detail {

/// Says whether values are copied out of what is lent. Others are moved from where they lie, which
/// a VP of another rank cannot do.
template <class T> inline constexpr bool handed_by_copies = byte_copyable<T>&& std::copyable<T>;

/// A value at its taker: const, if it is to be copied.
template <class T> using handed = std::conditional_t<handed_by_copies<T>, const T, T>;

/// Lends VP q values to take. They stay as they are until the barrier after the next one.
template <class T> void hand_over(vp& me, std::size_t q, std::span<T> values) {
  if (!values.empty()) me.lend(q, std::span<handed<T>>(values));
}
/// The first of the values of a message from hand_over.
template <class T> [[nodiscard]] handed<T>* handed_over(const message& m) {
  return m.template view<handed<T>>().data;
}

/// Calls take(T&&) for each value of a message from hand_over.
template <class T, class Take> void take_each(const message& m, const Take& take) {
  const strided_view<handed<T>> values = m.template view<handed<T>>();
  for (std::size_t i = 0; i < values.size(); ++i) take(T(std::move(values.data[i])));
}

}  // namespace pleat::detail
