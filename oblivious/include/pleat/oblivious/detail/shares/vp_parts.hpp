// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
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

namespace pleat::detail::distribution {

/// The VPs of each rank, in the order of ranks. In one memory there is one rank.
using rank_places = std::vector<rank_range>;

/// Distribution of elements over VPs: each makes a share of its rank's block. Requires: the places
/// outlive it.
class vp_parts {
 public:
  vp_parts(std::size_t n, const rank_places& places) noexcept : vp_parts(n, n, places) {}
  /// Distributes data with room for more, of which only the first `n` are made.
  vp_parts(std::size_t n, std::size_t room, const rank_places& places) noexcept
      : n_(n), room_(room), places_(&places) {
    assert(n <= room);
  }

  /// The first n elements alone.
  [[nodiscard]] vp_parts of_first(std::size_t n) const noexcept { return {n, room_, *places_}; }

  [[nodiscard]] std::size_t ranks() const noexcept { return places_->size(); }
  [[nodiscard]] std::size_t vps() const noexcept { return places_->back().last; }
  [[nodiscard]] const rank_range& vps_of(std::size_t rank) const noexcept {
    return (*places_)[rank];
  }
  [[nodiscard]] std::size_t rank_of(std::size_t q) const noexcept {
    const auto behind = std::ranges::upper_bound(*places_, q, {}, &rank_range::first);
    return static_cast<std::size_t>(behind - places_->begin()) - 1;
  }
  /// Elements of a rank's block that are made.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept {
    const interval<> all = interval<>{0, room_}.share(rank, ranks());
    return {std::min(all.first, n_), std::min(all.last, n_)};
  }
  /// The indices that VP q makes.
  [[nodiscard]] interval<> part(std::size_t q) const noexcept {
    const std::size_t rank = rank_of(q);
    const rank_range& vps = vps_of(rank);
    return block(rank).share(q - vps.first, vps.size());
  }
  /// The VP that makes element i. Requires: i < n.
  [[nodiscard]] std::size_t maker(std::size_t i) const noexcept {
    assert(i < n_);
    const std::size_t rank = (ranks() * (i + 1) - 1) / room_;
    const interval<> all = block(rank);
    const rank_range& vps = vps_of(rank);
    return vps.first + (vps.size() * (i - all.first + 1) - 1) / all.size();
  }

 private:
  std::size_t n_;
  std::size_t room_;
  const rank_places* places_;
};

// Values go to the VPs that make the elements they become, in one superstep: a message that says
// where a piece begins, then the piece.

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
