// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/compaction.hpp>
#include <pleat/oblivious/detail/everyday/moves.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Loops of a rank over n things that it holds, on its own workers.
namespace pleat::detail::distribution {

/// Calls work(part) for parts of [0, n), one on each worker of this rank.
template <class Work> void in_parts(machine& on, std::size_t n, const Work& work) {
  const machine::rank_turn here(on);
  on.run(on.threads(), [&](vp& me) -> task<> {
    const interval<> part = interval<>{0, n}.share(me.rank(), me.size());
    if (!part.empty()) work(part);
    co_return;
  });
}

/// Calls work that may not be left half done: on this thread, if no worker can be had. Requires:
/// work does not throw, and may be done twice.
template <class Work> void in_parts_or_alone(machine& on, std::size_t n, const Work& work) {
  if (n == 0) return;
  try {
    distribution::in_parts(on, n, work);
  } catch (const error&) {
    work({0, n});
  } catch (const std::bad_alloc&) {
    work({0, n});
  }
}

/// New content of a rank's block, in the machine's scratch memory until all ranks have theirs.
template <class T> class new_block {
 public:
  new_block(machine& on, std::span<T> block) noexcept : on_(&on), block_(block) {}

  /// Makes that many arrays without values, each as long as the block, and what more(arena) takes,
  /// while the rank is alone. Throws: std::bad_alloc.
  template <class More> void make(std::size_t arrays, const More& more) {
    scratch_.emplace(*on_, machine::use::scratch);
    arena::take(*on_, [&](arena& in) {
      arrays_ = in.arrays<T>(block_.size(), arrays);
      more(in);
    });
  }
  void make(std::size_t arrays = 1) {
    make(arrays, [](arena&) {});
  }
  [[nodiscard]] T* data(std::size_t array = 0) const noexcept { return arrays_[array]; }

  /// Copies the first array into the block, which cannot fail.
  void put() const {
    distribution::in_parts_or_alone(*on_, block_.size(), [this](const interval<>& part) {
      std::copy_n(data() + part.first, part.size(), block_.data() + part.first);
    });
  }

 private:
  machine* on_;
  std::span<T> block_;
  std::optional<machine::turn> scratch_;
  vp_arrays<T> arrays_;
};

/// Throws usage_error, for collective_call::check, if `out` is not of this machine or does not have
/// a place for each element of `in`.
template <class T, class U>
void require_output(const machine& on, const char* name, const distributed<T>& in,
                    const distributed<U>& out) {
  out.require_machine(on, name);
  if (in.size() == out.size()) return;
  throw usage_error(std::string(name) + ": an output of " + std::to_string(out.size()) +
                    " elements for " + std::to_string(in.size()) + "; make it as long");
}

/// Throws in the same way if data that are read together do not fit.
template <class A, class B>
void require_partner(const machine& on, const char* name, const distributed<A>& a,
                     const distributed<B>& b) {
  b.require_machine(on, name);
  if (a.size() == b.size()) return;
  throw usage_error(std::string(name) + ": " + std::to_string(a.size()) + " elements with " +
                    std::to_string(b.size()) + " others; give it as many of both");
}

// Elements of distributed data change places, each to one that is known beforehand.

/// Makes new blocks by program(me, places, out) of each VP, and writes them when all ranks have
/// theirs.
template <class T, class Program>
void rearrange_blocks(machine& on, collective_call& call, distributed<T>& data,
                      const Program& program) {
  new_block<T> made(on, data.local());
  call.here([&] { made.make(); });
  call.run([&](vp& me, const rank_places& places) { return program(me, places, made.data()); });
  made.put();
}

/// Reverses the elements: one 0-superstep.
template <class T> void reverse_blocks(machine& on, collective_call& call, distributed<T>& data) {
  if constexpr (byte_copyable<T>) {
    const std::span<const T> block = data.local();
    const interval<> here = data.block();
    distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const rank_places& places, T* out) -> task<> {
          const vp_parts parts(data.size(), places);
          const interval<> mine = parts.part(me.rank());
          distribution::lend_to_makers(me, parts, data.size() - mine.last,
                                       block.subspan(mine.first - here.first, mine.size()),
                                       piece_order::backward);
          co_await me.sync(0);
          distribution::take_pieces(me, here.first, out, piece_order::backward);
        });
  }  // else there are no such data on several ranks
}
/// Rotates the elements by a middle that all ranks compare first: the first `middle` elements go
/// behind all others.
template <class T>
void rotate_blocks(machine& on, collective_call& call, distributed<T>& data, std::size_t middle) {
  if constexpr (byte_copyable<T>) {
    const std::span<const T> block = data.local();
    const interval<> here = data.block();
    const std::size_t n = data.size();
    const agreed_words words{middle};
    distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const rank_places& places, T* out) -> task<> {
          co_await agree(me, places, call.rank(), words, "rotate: middles");
          const vp_parts parts(n, places);
          const interval<> mine = parts.part(me.rank());
          const auto lend = [&](const interval<>& some, std::size_t to) {
            if (!some.empty())
              distribution::lend_to_makers(me, parts, to,
                                           block.subspan(some.first - here.first, some.size()));
          };
          const interval<> front = intersect(mine, {0, middle});
          const interval<> back = intersect(mine, {middle, n});
          lend(front, front.first + n - middle);
          lend(back, back.first - middle);
          co_await me.sync(0);
          distribution::take_pieces(me, here.first, out);
        });
  }
}

/// The program of random_shuffle of an array; shuffled buckets then go to their blocks.
template <class T>
void shuffle_blocks(machine& on, collective_call& call, distributed<T>& data, std::uint64_t seed) {
  if constexpr (byte_copyable<T>) {
    const everyday::random_permutation order(data.size(), seed);
    const std::size_t numbers = order.buckets() + 2;
    std::vector<std::size_t> begins(numbers * call.vps());
    std::vector<std::unique_ptr<T[]>> shuffled(call.vps());
    const agreed_words words{seed};
    const interval<> here = data.block();
    distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const rank_places& places, T* out) -> task<> {
          co_await agree(me, places, call.rank(), words, "random_shuffle: seeds");
          const vp_parts parts(data.size(), places);
          const interval<> mine = parts.part(me.rank());
          const std::size_t offset = mine.first - here.first;
          const std::size_t vp_here = me.rank() - places[call.rank()].first;
          interval<> made;
          const auto to = [&](const interval<>& some) {
            made = some;
            shuffled[vp_here] = std::make_unique_for_overwrite<T[]>(some.size());
            return shuffled[vp_here].get();
          };
          std::size_t* const my_begins = begins.data() + vp_here * numbers;
          const T* const from = data.local().data() + offset;
          co_await everyday::shuffle_program(me, order, mine, from, out + offset, my_begins, to);
          const std::span<const T> all(shuffled[vp_here].get(), made.size());
          distribution::lend_to_makers(me, parts, made.first, all);
          co_await me.sync(0);
          distribution::take_pieces(me, here.first, out);
        });
  }
}

// Elements that all ranks choose become new data.

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
