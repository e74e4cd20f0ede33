// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A matrix over ranks becomes its transpose over ranks, in other memory: one superstep, in which
/// each VP lends the others what they need of its share, and copies what it needs of theirs. With
/// one row, the same elements in other shares.
template <class T> class transposition_program {
 public:
  /// `from`: shares of the matrix; `to`: of its transpose. `source` and `result` are what this rank
  /// has of both.
  transposition_program(std::size_t rows, std::size_t columns, const unit_shares& from,
                        const unit_shares& to, std::size_t rank, const T* source, T* result)
      : rows_(rows),
        columns_(columns),
        from_(from),
        to_(to),
        rank_(rank),
        source_(source),
        result_(result) {}

  task<> operator()(vp& me, const rank_places& places) const {
    lend(me, places);
    co_await me.sync(0);
    take(me, places);
  }

 private:
  void lend(vp& me, const rank_places& places) const {
    const std::size_t first = from_.of(rank_, places.size()).first;
    const interval<> here = share_of_vp(from_, me.rank(), places);
    for (std::size_t q = 0; q < me.size(); ++q)
      for_each_common_window(
          rows_, columns_, here, share_of_vp(to_, q, places), [&](const matrix_window& w) {
            const T* const at = source_ + (w.rows.first * columns_ + w.columns.first - first);
            me.lend(q, strided_view<const T>(at, w.rows.size(), w.columns.size(), columns_));
          });
  }

  void take(vp& me, const rank_places& places) const {
    const std::size_t first = to_.of(rank_, places.size()).first;
    const interval<> here = share_of_vp(to_, me.rank(), places);
    for (std::size_t q = 0; q < me.size(); ++q)
      for_each_common_window(
          rows_, columns_, share_of_vp(from_, q, places), here, [&](const matrix_window& w) {
            const auto message = me.receive();
            copy_transposed(message->template view<const T>(),
                            result_ + (w.columns.first * rows_ + w.rows.first - first));
          });
  }

  /// Strips of a line's width, top to bottom: each line of both sides is used up while it is in
  /// cache, whatever the strides are. Strips are short, so that there is an entry of the TLB for
  /// each of their rows.
  void copy_transposed(const strided_view<const T>& from, T* to) const noexcept {
    constexpr std::size_t height = 64;
    constexpr std::size_t width = std::max<std::size_t>(1, 64 / sizeof(T));
    for (std::size_t i = 0; i < from.rows; i += height) {
      const std::size_t i_end = std::min(i + height, from.rows);
      std::size_t j = 0;
      for (; j + width <= from.columns; j += width) {
        for (std::size_t r = i; r < i_end; ++r) {
          for (std::size_t c = j; c < j + width; ++c)
            to[c * rows_ + r] = from.data[r * from.stride + c];
        }
      }
      for (; j < from.columns; ++j) {
        for (std::size_t r = i; r < i_end; ++r) to[j * rows_ + r] = from.data[r * from.stride + j];
      }
    }
  }

  std::size_t rows_, columns_;
  unit_shares from_, to_;
  std::size_t rank_;
  const T* source_;
  T* result_;
};

}  // namespace pleat::detail::distribution
