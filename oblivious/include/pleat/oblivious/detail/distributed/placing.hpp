// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>

#include <pleat/oblivious/detail/distributed/vp_parts.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Values go to the VPs that make the elements they become, in one superstep: a message that says
// where a piece begins, then the piece.
namespace pleat::detail::distribution {

enum class piece_order { forward, backward };

/// Lends values that become the elements from `place` on, in this order or backward.
template <class T>
void lend_to_makers(vp& me, const vp_parts& parts, std::size_t place, std::span<const T> values,
                    piece_order order = piece_order::forward) {
  const interval<> all{place, place + values.size()};
  std::size_t next = all.first;
  while (next < all.last) {
    const std::size_t q = parts.maker(next);
    const interval<> piece{next, std::min(all.last, parts.part(q).last)};
    const std::size_t from =
        order == piece_order::forward ? piece.first - all.first : all.last - piece.last;
    me.send(q, static_cast<std::uint64_t>(piece.first));
    me.lend(q, values.subspan(from, piece.size()));
    next = piece.last;
  }
}

/// Behind the superstep: copies what has come to memory without values, where element i goes to
/// `block` + i − first.
template <class T>
void take_pieces(vp& me, std::size_t first, T* block, piece_order order = piece_order::forward) {
  for (auto place = me.receive(); place; place = me.receive()) {
    T* const to = block + (place->template get<std::uint64_t>() - first);
    const auto piece = me.receive();
    const strided_view<const T> values = piece->template view<const T>();
    if (order == piece_order::forward)
      std::uninitialized_copy_n(values.data, values.size(), to);
    else
      std::uninitialized_copy_n(std::reverse_iterator(values.data + values.size()), values.size(),
                                to);
  }
}

}  // namespace pleat::detail::distribution
