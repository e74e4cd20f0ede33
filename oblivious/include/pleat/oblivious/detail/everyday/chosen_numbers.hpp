// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// Numbers of elements that VPs have chosen: of those before this one, and of all.
struct chosen_numbers {
  std::size_t before;
  std::size_t all;
};

/// Tells all other VPs how many elements this one has chosen.
inline void tell_chosen(vp& me, std::size_t here) {
  for (std::size_t q = 0; q < me.size(); ++q)
    if (q != me.rank()) me.send(q, here);
}
/// Receives the sums, behind the superstep of tell_chosen.
[[nodiscard]] inline chosen_numbers hear_chosen(vp& me, std::size_t here) {
  chosen_numbers sums{0, here};
  for (auto m = me.receive(); m; m = me.receive()) {
    const auto theirs = m->template get<std::size_t>();
    sums.all += theirs;
    if (m->source() < me.rank()) sums.before += theirs;
  }
  return sums;
}

}  // namespace pleat::detail::everyday
