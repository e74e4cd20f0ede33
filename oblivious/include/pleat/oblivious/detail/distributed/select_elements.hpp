// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/compaction.hpp>
#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/selected.hpp>
#include <pleat/oblivious/detail/shares/placing.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Elements that all ranks choose become new data.
namespace pleat::detail::distribution {

/// Sends each rank the element before its block, if it has both; part of one VP: its first VP calls
/// use(element). Two 0-supersteps, after which all VPs of the rank see what that has done.
template <class T, class Places, class Use>
task<> tell_element_before(vp& me, const Places& places, const distributed<T>& data,
                           const Use use) {
  if constexpr (byte_copyable<T>) {  // there are no others on several ranks
    const bool first = me.rank() == places[data.rank()].first;
    const std::size_t next = data.block().last;
    if (first && !data.local().empty() && next < data.size())
      me.send(places[data.owner(next)].first, data.local().last(1));
    co_await me.sync(0);
    if (const auto m = me.receive()) use(m->template get<T>());
    co_await me.sync(0);
  }
  co_return;
}

/// Data of the elements from[j], j < n, that this rank and all others have and of which keep(j) is
/// true, in balanced blocks. The program of copy_if of an array chooses them, and keeps copies. As
/// soon as their number is known, so that the result can be made, they go to their places.
///
/// `before(me, places)` is what a VP does first, on several ranks.
template <class T, class In, class Keep, class Before>
distributed<T> select_elements(machine& on, collective_call& call, In from, std::size_t n,
                               const Keep& keep, const Before& before) {
  std::unique_ptr<T[]> memory;
  std::size_t count = 0;
  call.here([&] { memory = std::make_unique<T[]>(n); });
  if (call.alone()) {
    call.here([&] {
      everyday::executor where(on);
      count = everyday::compact("copy_if", where, {}, n, false, everyday::pace::measured, from,
                                memory.get(), n, keep);
    });
    call.only_meet();
    distributed<T> made(on, count);
    std::move(memory.get(), memory.get() + count, made.local().begin());
    return made;
  }
  if constexpr (byte_copyable<T>) {
    /// Elements of a VP, and the place where they go.
    struct piece {
      std::size_t place = 0;
      std::span<const T> elements;
    };
    std::vector<piece> pieces;
    call.here([&] { pieces.resize(call.vps()); });
    using selected = everyday::selected_copies<T>;
    everyday::compaction<selected, In, Keep> all(from, keep);
    call.run([&](vp& me, const rank_places& places) -> task<> {
      co_await before(me, places);
      const rank_range& here = places[call.rank()];
      const std::size_t vp_here = me.rank() - here.first;
      T* const mine = memory.get() + interval<>{0, n}.share(vp_here, here.size()).first;
      const auto note = [&](const selected&, std::size_t place, std::size_t number) {
        pieces[vp_here] = {place, std::span<const T>(mine, number)};
      };
      const interval<> held{0, n};
      std::byte* const copies = reinterpret_cast<std::byte*>(mine);
      const auto look = [](const interval<>&) {};  // each VP has a part of its rank's block
      co_await all.program(me, here, held, 1, copies, look, note);
    });
    all.finish();
    distributed<T> made(on, all.count());
    call.run_again([&](vp& me, const rank_places& places) -> task<> {
      const vp_parts parts(made.size(), places);
      const piece& mine = pieces[me.rank() - places[call.rank()].first];
      distribution::lend_to_makers(me, parts, mine.place, mine.elements);
      co_await me.sync(0);
      distribution::take_pieces(me, made.block().first, made.local().data());
    });
    return made;
  } else {
    return {};  // there are no such data on several ranks
  }
}
template <class T, class In, class Keep>
distributed<T> select_elements(machine& on, collective_call& call, In from, std::size_t n,
                               const Keep& keep) {
  return distribution::select_elements<T>(on, call, from, n, keep,
                                          [](vp&, const rank_places&) -> task<> { co_return; });
}

}  // namespace pleat::detail::distribution
