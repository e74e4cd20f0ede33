// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>

#include <pleat/oblivious/detail/shares/hand_over.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Values go to the VPs that make the elements they become, in one superstep: a message that says
// where a piece begins, then the piece.
namespace pleat::detail::distribution {

enum class piece_order { forward, backward };

/// Hands over values that become the elements from `place` on, in this order or backward.
template <class T>
void lend_to_makers(vp& me, const vp_parts& parts, std::size_t place, std::span<T> values,
                    piece_order order = piece_order::forward) {
  const interval<> all{place, place + values.size()};
  std::size_t next = all.first;
  while (next < all.last) {
    const std::size_t q = parts.maker(next);
    const interval<> piece{next, std::min(all.last, parts.part(q).last)};
    const std::size_t from =
        order == piece_order::forward ? piece.first - all.first : all.last - piece.last;
    me.send(q, static_cast<std::uint64_t>(piece.first));
    detail::hand_over(me, q, values.subspan(from, piece.size()));
    next = piece.last;
  }
}

/// Calls take(place, values, n) for each piece that has come; behind the superstep.
template <class T, class Take> void for_each_piece(vp& me, const Take& take) {
  for (auto place = me.receive(); place; place = me.receive()) {
    const auto piece = me.receive();
    const strided_view<handed<T>> values = piece->template view<handed<T>>();
    take(place->template get<std::uint64_t>(), values.data, values.size());
  }
}

/// Copies the pieces that have come to memory without values, where element i goes to `block` + i −
/// first.
template <class T>
void take_pieces(vp& me, std::size_t first, T* block, piece_order order = piece_order::forward) {
  distribution::for_each_piece<T>(me, [=](std::size_t place, const T* values, std::size_t n) {
    T* const to = block + (place - first);
    if (order == piece_order::forward)
      std::uninitialized_copy_n(values, n, to);
    else
      std::uninitialized_copy_n(std::reverse_iterator(values + n), n, to);
  });
}

}  // namespace pleat::detail::distribution
