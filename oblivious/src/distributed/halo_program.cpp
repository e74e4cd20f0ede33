// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include <pleat/oblivious/detail/distributed/halo_program.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::distribution {

task<> halo_program::operator()(vp& me, const rank_places& places) const {
  const bool first = me.rank() == places[rank_].first;
  if (first) lend_rows(me, places);
  co_await me.sync(0);
  if (first) take_rows(me);
}

void halo_program::lend_rows(vp& me, const rank_places& places) const {
  if (slabs_.of(rank_).empty()) return;
  for (std::size_t to = 0; to < places.size(); ++to) {
    if (to == rank_) continue;
    for (const halo_piece& piece : slabs_.halo(to, depth_)) {
      if (piece.owner != rank_) continue;
      for (const window_rows& field : fields_) {
        const std::byte* const rows = field.at(static_cast<row_place>(piece.rows.first));
        const std::span<const std::byte> lent(rows, piece.rows.size() * field.row_bytes);
        me.lend(places[to].first, lent);
      }
    }
  }
}

/// Messages come in the order of the ranks, as the pieces are.
void halo_program::take_rows(vp& me) const {
  for (const halo_piece& piece : slabs_.halo(rank_, depth_)) {
    for (const window_rows& field : fields_) {
      std::byte* const to = field.at(piece.place);
      if (piece.owner == rank_) {
        std::copy_n(field.at(static_cast<row_place>(piece.rows.first)),
                    piece.rows.size() * field.row_bytes, to);
      } else {
        const auto m = me.receive();
        const strided_view<const std::byte> lent = m->view<const std::byte>();
        std::copy_n(lent.data, lent.size(), to);
      }
    }
  }
}

}  // namespace pleat::detail::distribution
