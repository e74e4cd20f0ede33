// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/best_program.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// The indices of the k greatest elements of all ranks by less(projection(a), projection(b)), the
/// greatest first; of equal ones the first. All indices, if there are fewer than k. The same on all
/// ranks, that of top_k of one array.
///
/// ```cpp
/// const std::vector<std::size_t> greatest = pleat::top_k(machine, distributed_keys, 10);
/// const std::vector<std::uint64_t> keys = distributed_keys.gather(machine, greatest);
/// ```
///
/// Collective, see distributed. Cost: that of top_k of a block on each of R ranks, which sends k
/// elements and their indices to VP 0; a top_k of these; k indices to each rank; two 0-supersteps.
/// Made for k much less than n/R; argsort otherwise. Throws, on all ranks: what `less` and the
/// projection throw; std::bad_alloc; usage_error (ranks that ask for different numbers).
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::indirect_strict_weak_order<Compare, std::projected<const T*, Projection>>
[[nodiscard]] std::vector<std::size_t> top_k(machine& on, const distributed<T>& data, std::size_t k,
                                             Compare less = {}, Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "top_k");
  const auto of_block = [&] {
    return pleat::top_k(on, data.local(), k, std::ref(less), std::ref(projection));
  };
  if (call.alone()) {
    const machine::rank_turn here(on);
    return of_block();
  }
  std::vector<std::size_t> best;
  if constexpr (byte_copyable<T>) {
    detail::distribution::best_program<T, Compare, Projection> program(k, data.rank(), less,
                                                                       projection);
    call.here([&] { program.offer(data.local(), data.block().first, of_block()); });
    const detail::distribution::agreed_words words{k};
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, data.rank(), words, "top_k: numbers");
      co_await program(me, places);
    });
    best = program.best();
  }
  return best;
}

}  // namespace pleat
