// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/rearrange_blocks.hpp>
#include <pleat/oblivious/detail/distributed/shuffle_program.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Reverses the order of the elements of all ranks.
///
/// ```cpp
/// pleat::reverse(machine, distributed_keys);
/// ```
///
/// Collective, see distributed. Cost, of each VP (P of them): n/P elements sent and received in one
/// superstep, in three pieces at most; two copies. Memory of each rank besides the block: as
/// many elements, and what is sent and arrives. Throws: std::bad_alloc, the blocks are then as they
/// were on all ranks; usage_error.
template <class T>
requires std::permutable<T*>
void reverse(machine& on, distributed<T>& data) {
  detail::distribution::collective_call call = data.collective(on, "reverse");
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::reverse(on, data.local());
    return;
  }
  if constexpr (byte_copyable<T>) {
    const std::span<const T> block = data.local();
    detail::distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const detail::distribution::rank_places& places, T* out) {
          return detail::distribution::reverse_program(me, places, data.size(), data.rank(), block,
                                                       out);
        });
  }
}

/// Moves the first `middle` elements of all behind all others, in order; returns the index of the
/// first of them then.
///
/// ```cpp
/// pleat::rotate(machine, distributed_keys, 3);      // the fourth comes first
/// ```
///
/// Collective, cost, memory, throws: as reverse; usage_error if `middle` is beyond the end, or not
/// the same on all ranks.
template <class T>
requires std::permutable<T*> std::size_t rotate(machine& on, distributed<T>& data,
                                                std::size_t middle) {
  detail::distribution::collective_call call = data.collective(on, "rotate");
  const std::size_t n = data.size();
  call.check([&] { detail::everyday::require_middle(n, middle); });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::rotate(on, data.local(), middle);
    return n - middle;
  }
  if constexpr (byte_copyable<T>) {
    const std::span<const T> block = data.local();
    detail::distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const detail::distribution::rank_places& places, T* out) {
          return detail::distribution::rotate_program(me, places, n, middle, data.rank(), block,
                                                      out);
        });
  }
  return n - middle;
}

/// Puts the elements of all ranks in a random order, that of random_shuffle of one array: the same
/// for the same seed, size, and version of Pleat, for any number of ranks and workers.
///
/// ```cpp
/// pleat::random_shuffle(machine, distributed_keys, 42);
/// ```
///
/// Collective, see distributed. Cost, of each VP (P of them): n/P elements, about, sent and
/// received in each of two supersteps, with n/1024 bytes of counts; three copies. Memory of each
/// rank besides the block: as many elements twice, and what is sent and arrives. Throws: as
/// reverse; usage_error if the ranks have different seeds. Not for cryptography. Source: as
/// random_shuffle of an array.
template <class T>
requires std::permutable<T*>
void random_shuffle(machine& on, distributed<T>& data, std::uint64_t seed) {
  detail::distribution::collective_call call = data.collective(on, "random_shuffle");
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::random_shuffle(on, data.local(), seed);
    return;
  }
  if constexpr (byte_copyable<T>) {
    detail::distribution::shuffle_program<T> program(
        data.size(), seed, data.rank(), on.vps_here(on.threads()).size(), data.local());
    detail::distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const detail::distribution::rank_places& places, T* out) {
          return program(me, places, out);
        });
  }
}

}  // namespace pleat
