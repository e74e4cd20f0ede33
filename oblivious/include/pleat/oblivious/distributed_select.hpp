// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/detail/distributed/outputs.hpp>
#include <pleat/oblivious/detail/distributed/select_blocks.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

/// The elements x of which is(projection(x)) is true, in order: new data in balanced blocks,
/// however many each rank has chosen.
///
/// ```cpp
/// const pleat::distributed<int> even = pleat::copy_if(machine, distributed_keys,
///                                                     [](int key) { return key % 2 == 0; });
/// ```
///
/// Collective, see distributed. Cost: as copy_if of a block; each element that is chosen travels at
/// most once; five 0-supersteps. Memory of each rank besides the result: as much as its block, and
/// what is sent and arrives. Throws: what `is` and the projection throw on any rank;
/// std::bad_alloc; usage_error (see distributed).
template <class T, class Is, class Projection = std::identity>
requires(std::copyable<T>&& std::indirect_unary_predicate<Is, std::projected<const T*, Projection>>)
    [[nodiscard]] distributed<T> copy_if(machine& on, const distributed<T>& data, Is is,
                                         Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "copy_if");
  return detail::distribution::select_blocks(on, call, data, [&](std::span<T> to) {
    const auto end = pleat::copy_if(on, data.local(), to, std::ref(is), projection);
    return static_cast<std::size_t>(end - to.begin());
  });
}

/// The elements that have a flag, in order: copy_if for a choice that was made before.
///
/// ```cpp
/// const auto wanted = pleat::pack(machine, distributed_keys, distributed_flags);
/// ```
///
/// Requires: as many flags as elements. Throws: usage_error for another number of flags; else as
/// copy_if.
template <class T, class Flag>
requires(std::copyable<T>&& std::constructible_from<bool, const Flag&>)
    [[nodiscard]] distributed<T> pack(machine& on, const distributed<T>& data,
                                      const distributed<Flag>& flags) {
  detail::distribution::collective_call call = data.collective(on, "pack", sizeof(Flag));
  call.check([&] { detail::distribution::require_partner(on, "pack", data, flags); });
  return detail::distribution::select_blocks(on, call, data, [&](std::span<T> to) {
    const auto end = pleat::pack(on, data.local(), flags.local(), to);
    return static_cast<std::size_t>(end - to.begin());
  });
}

/// Of neighbours that are equal the first, as same(projection(a), projection(b)) says: new data in
/// balanced blocks.
///
/// ```cpp
/// const auto different = pleat::unique(machine, distributed_keys);
/// ```
///
/// Requires: `same` an equivalence relation. Cost: as unique of a block; one 0-superstep more than
/// copy_if, in which a rank sends its last element to the next one. Memory, throws: as copy_if.
template <class T, class Equal = std::ranges::equal_to, class Projection = std::identity>
requires(std::copyable<T>&&
             std::indirect_equivalence_relation<Equal, std::projected<const T*, Projection>>)
    [[nodiscard]] distributed<T> unique(machine& on, const distributed<T>& data, Equal same = {},
                                        Projection projection = {}) {
  namespace over = detail::distribution;
  over::collective_call call = data.collective(on, "unique");
  over::chosen_elements<T> chosen;
  const std::span<const T> block = data.local();
  call.here([&] {
    chosen.memory = std::make_unique<T[]>(block.size());
    const std::span<T> to(chosen.memory.get(), block.size());
    std::copy(block.begin(), block.end(), to.begin());
    chosen.count = block.size() - pleat::unique(on, to, std::ref(same), projection).size();
  });
  if (call.alone()) {
    distributed<T> made(on, chosen.count);
    std::move(chosen.memory.get(), chosen.memory.get() + chosen.count, made.local().begin());
    return made;
  }
  if constexpr (byte_copyable<T>) {
    auto&& equal =
        detail::sorting::equality_by<detail::everyday::shown_value<const T*, Projection>>(same);
    call.run([&](vp& me, const over::rank_places& places) -> task<> {
      const bool first = me.rank() == places[data.rank()].first;
      const std::size_t next = data.block().last;
      if (first && !block.empty() && next < data.size())
        me.send(places[data.owner(next)].first, block.back());
      co_await me.sync(0);
      if (!first) co_return;
      if (const auto m = me.receive()) {
        const T before = m->template get<T>();
        if (std::invoke(equal, std::invoke(projection, before),
                        std::invoke(projection, block.front())))
          chosen.skipped = 1;
      }
    });
    return over::join_blocks(on, call, data.rank(), chosen);
  } else {
    return {};  // there are no such data on several ranks
  }
}

/// Puts the elements x of which is(projection(x)) is true before all others, and returns how many
/// they are: the index where the others begin. Both parts keep their order.
///
/// ```cpp
/// const std::size_t odd = pleat::partition(machine, distributed_keys,
///                                          [](int key) { return key % 2 == 0; });
/// ```
///
/// Collective, see distributed. Cost: as partition of a block; each element travels at most once;
/// four 0-supersteps. Memory of each rank: two times its block, and what is sent and arrives.
/// Throws: what `is` and the projection throw on any rank, the elements are then as they were;
/// std::bad_alloc; usage_error (see distributed).
template <class T, class Is, class Projection = std::identity>
requires(std::copyable<T>&& std::indirect_unary_predicate<Is, std::projected<T*, Projection>>)
    std::size_t partition(machine& on, distributed<T>& data, Is is, Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "partition");
  const auto divide = [&](std::span<T> some) {
    return some.size() - pleat::partition(on, some, std::ref(is), projection).size();
  };
  if (call.alone()) {
    const machine::rank_turn here(on);
    return divide(data.local());
  }
  return detail::distribution::divide_blocks(on, call, data, divide);
}

}  // namespace pleat
