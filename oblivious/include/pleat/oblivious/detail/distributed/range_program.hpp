// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/distributed/vp_shares.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A range of an array, as it has come from those who had it: pieces in the order of their indices.
template <class T> class arrived_range {
 public:
  struct piece {
    interval<> at;
    const T* data;
    [[nodiscard]] const T* element(std::size_t i) const noexcept { return data + (i - at.first); }
  };

  void add(const interval<>& at, const T* data) { pieces_.push_back({at, data}); }
  /// The piece with element i. Requires that it has come.
  [[nodiscard]] const piece& holding(std::size_t i) const noexcept {
    const auto found =
        std::ranges::find_if(pieces_, [i](const piece& p) { return p.at.contains(i); });
    assert(found != pieces_.end());
    return *found;
  }
  [[nodiscard]] auto begin() const noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() const noexcept { return pieces_.end(); }

 private:
  std::vector<piece> pieces_;
};

/// Elements of one array over ranks become those of another: each VP, for its share of the second
/// array, gets two ranges of the first one. One superstep.
///
/// wanted(share) says which, a pure function; put(share, ranges) makes the share of them.
template <class T, class Wanted, class Put> class range_program {
 public:
  using ranges = std::array<arrived_range<T>, 2>;

  /// `from`: shares of the first array, of which this rank's is at `source`; `to`: of the second.
  range_program(const unit_shares& from, const unit_shares& to, std::size_t rank, const T* source,
                const Wanted& wanted, const Put& put)
      : from_(from), to_(to), rank_(rank), source_(source), wanted_(wanted), put_(put) {}

  task<> operator()(vp& me, const rank_places& places) const {
    lend(me, places);
    co_await me.sync(0);
    take(me, places);
  }

 private:
  /// f(which, part), for each part of a range that the VP of that share gets of `here`.
  template <class F>
  void for_each_part(const interval<>& share, const interval<>& here, const F& f) const {
    if (share.empty()) return;
    const std::array<interval<>, 2> wanted = wanted_(share);
    for (std::size_t which = 0; which < 2; ++which) {
      for_each_lent(intersect(wanted[which], here), sizeof(T),
                    [&](const interval<>& part) { f(which, part); });
    }
  }
  void lend(vp& me, const rank_places& places) const {
    const std::size_t first = from_.of(rank_, places.size()).first;
    const interval<> here = share_of_vp(from_, me.rank(), places);
    for (std::size_t q = 0; q < me.size(); ++q) {
      for_each_part(share_of_vp(to_, q, places), here, [&](std::size_t, const interval<>& part) {
        me.lend(q, std::span<const T>(source_ + (part.first - first), part.size()));
      });
    }
  }
  void take(vp& me, const rank_places& places) const {
    const interval<> here = share_of_vp(to_, me.rank(), places);
    if (here.empty()) return;
    ranges come;
    for (std::size_t q = 0; q < me.size(); ++q) {
      for_each_part(here, share_of_vp(from_, q, places),
                    [&](std::size_t which, const interval<>& part) {
                      const auto m = me.receive();
                      come[which].add(part, m->template view<const T>().data);
                    });
    }
    put_(here, come);
  }

  unit_shares from_, to_;
  std::size_t rank_;
  const T* source_;
  const Wanted& wanted_;
  const Put& put_;
};

}  // namespace pleat::detail::distribution
