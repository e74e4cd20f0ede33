// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Equal blocks of a range of n elements, one of each VP, in which the range lies before a call and
/// after it. A VP tells which elements it reads and writes, so that a machine that traces counts
/// those of other blocks; they cross in the superstep in which it does.
class blocks_of_vps {
 public:
  blocks_of_vps(vp& me, std::size_t n) noexcept : me_(me), all_{0, n} {}

  void read(const interval<>& some) const {
    for_each_owner(some, [this](std::size_t q, std::size_t n) { count_reading(me_, q, n); });
  }
  void write(const interval<>& some) const {
    for_each_owner(some, [this](std::size_t q, std::size_t n) { me_.count_crossing(q, n); });
  }

 private:
  template <class F> void for_each_owner(const interval<>& some, const F& f) const {
    if (!counts_crossings(me_)) return;
    for (std::size_t q = 0; q < me_.size(); ++q)
      f(q, intersect(all_.share(q, me_.size()), some).size());
  }

  vp& me_;
  interval<> all_;
};

}  // namespace pleat::detail
