// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/channels/cache_aligned_allocator.hpp>
#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/channel_status.hpp>
#include <pleat/channels/detail/spsc_ends.hpp>

namespace pleat {

/// Requires that T can be an element of a channel: trivially copyable, default-initialisable, and
/// neither const nor volatile.
template <class T>
concept channel_element = std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>> &&
    std::is_trivially_copyable_v<T> && std::default_initializable<T>;

/// Bounded first-in-first-out channel from one producer to one consumer; each may be any thread,
/// but one at a time. No operation waits, locks or allocates: callers decide how to wait. Full and
/// empty are return values; no element is overwritten, and only poisoning loses elements.
///
/// ```cpp
/// pleat::channel<long> numbers(1024);
/// while (numbers.try_push(x) != pleat::channel_status::ok) wait();      // the producer
/// while (numbers.try_pop(x) != pleat::channel_status::ok) wait();       // the consumer
/// ```
///
/// A slot becomes free only when the consumer has finished with it: `consume` passes the element in
/// place to a function and then releases the slot. So if `drained()` is true, the consumer has also
/// read the memory that the elements pointed to, and the producer may write there again.
///
/// A channel ends in one of two ways. The producer *closes* it: the consumer still gets everything
/// pushed, then `closed`. Any thread *poisons* it: from then on both sides get `poisoned`, and the
/// elements left in the channel are dropped.
///
/// Memory ordering: there are two happens-before edges.
///   push → pop: the push's release store of the producer's position pairs with the acquire
///   load by which the consumer finds the element. What the producer did before the push, the
///   consumer sees after the pop.
///   pop → push: the consumer's release store of its position pairs with the acquire load by
///   which the producer finds room. What the consumer did before the release (in `consume`: all of
///   the functor) the producer sees after it finds the slot free, or the channel drained.
/// Close and poison add a third: their release operation on the state pairs with the acquire load
/// of the state in every operation that returns `closed` or `poisoned`.
///
/// Cost: an element for which the consumer waits costs a miss for the producer's position and one
/// for the element's line. Each side keeps a copy of the other's position, and reads the original
/// only if the copy says full or empty: a stream costs a miss for every line of elements, and one
/// for a position whenever a side has caught up. The state has cache lines of its own, which only
/// close, poison and reset write, so reading it is a cache hit.
///
/// Requires: a channel outlives every operation on it. It can be neither copied nor moved.
template <channel_element T> class channel {
 public:
  using value_type = T;

  /// Returns the greatest capacity that a channel of T can have.
  static constexpr std::size_t max_capacity() noexcept {
    return (std::numeric_limits<std::ptrdiff_t>::max() - destructive_distance) / sizeof(T) - 1;
  }

  /// Makes an open, empty channel with room for exactly `capacity` elements.
  ///
  /// Cost: allocates capacity * sizeof(T) bytes, aligned and padded to destructive_distance,
  /// and touches none of them: the pages settle near the producer that first writes them.
  /// Throws: capacity_error for 0 or more than max_capacity(); std::bad_alloc.
  explicit channel(std::size_t capacity)
      : ends_({cache_aligned_allocator<T>().allocate(checked(capacity)), capacity}) {}
  ~channel() {
    cache_aligned_allocator<T>().deallocate(ends_.producer_order().elements, capacity());
  }

  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Elements the channel has room for.
  ///
  /// Thread safety: any thread.
  [[nodiscard]] std::size_t capacity() const noexcept { return ends_.producer_order().capacity; }

  // ---------------------------------------------------------------- producer

  /// Pushes one element, unless there is no room or the channel has ended.
  ///
  /// Guarantees: returns ok, full, closed or poisoned; pushes the element if and only if ok.
  /// Memory ordering: if ok, a release the consumer acquires with this element; in any case an
  /// acquire of the slots the consumer has released.
  /// Thread safety: producer only.
  channel_status try_push(const T& value) noexcept {
    if (const unsigned ended = state_.load(std::memory_order_acquire)) [[unlikely]] {
      return status_of(ended);  // acquire: pairs with the release in close and poison
    }
    if (ends_.room(1) == 0) return channel_status::full;
    const ring& in = ends_.producer_order();
    const std::uint64_t tail = ends_.tail();
    std::construct_at(in.element(tail), value);
    ends_.publish(in.after(tail, 1));
    return channel_status::ok;
  }

  /// Pushes as many of `values`, from the front, as there is room for, all in one release.
  ///
  /// Guarantees: returns how many: 0 if the channel is full or has ended (`push_status` says which)
  /// or `values` is empty. The consumer sees all of them or none.
  /// Cost: one or two copies of contiguous memory (memmove if T is trivial), two misses for
  /// indices. Memory ordering: as for one element. Thread safety: producer only.
  [[nodiscard]] std::size_t try_push(std::span<const T> values) noexcept {
    // relaxed: 0 does not say why; push_status, which does, acquires
    if (state_.load(std::memory_order_relaxed) != open) [[unlikely]]
      return 0;
    const std::size_t count = std::min(values.size(), ends_.room(values.size()));
    if (count == 0) return 0;
    const ring& in = ends_.producer_order();
    const std::uint64_t tail = ends_.tail();
    const std::size_t straight = std::min(count, in.straight(tail));
    std::uninitialized_copy_n(values.data(), straight, in.element(tail));
    std::uninitialized_copy_n(values.data() + straight, count - straight, in.elements);
    ends_.publish(in.after(tail, count));
    return count;
  }

  /// Tells whether the consumer has finished with everything pushed. Once it returns true, the
  /// memory that the elements pointed to is the producer's again.
  ///
  /// Guarantees: stays true until the producer's next push. On a poisoned channel it is false if
  /// elements were left behind: the consumer may have stopped in the middle of one.
  /// Memory ordering: if true, an acquire of the consumer's last release.
  /// Thread safety: producer only.
  [[nodiscard]] bool drained() const noexcept { return ends_.drained(); }

  /// Number of free slots now. The consumer can only increase it.
  ///
  /// Memory ordering: an acquire of the slots counted.
  /// Thread safety: producer only.
  [[nodiscard]] std::size_t room() const noexcept { return ends_.room(capacity()); }

  /// Returns what `try_push` of one element would now: ok, full, closed or poisoned. `ok` holds
  /// until the producer's next push or close unless a thread poisons the channel.
  ///
  /// Thread safety: producer only.
  [[nodiscard]] channel_status push_status() const noexcept {
    if (const unsigned ended = state_.load(std::memory_order_acquire)) return status_of(ended);
    return ends_.room(1) != 0 ? channel_status::ok : channel_status::full;
  }

  /// Declares that nothing more will be pushed. The consumer gets the rest, then `closed`.
  ///
  /// Guarantees: idempotent; pushes after it return `closed`. A poisoned channel stays poisoned.
  /// Memory ordering: a release the consumer acquires when it sees `closed`.
  /// Thread safety: producer only.
  void close() noexcept {
    // release: pairs with the acquire loads of state_ in the consumer operations, which so find
    // every element pushed before. A read-modify-write: poison may come at the same time.
    state_.fetch_or(closed_bit, std::memory_order_release);
  }

  // ---------------------------------------------------------------- consumer

  /// Pops one element into `value`.
  ///
  /// Guarantees: returns ok, empty, closed or poisoned; `value` is written if and only if ok.
  /// Memory ordering: if ok, an acquire of the push, then a release of the slot.
  /// Thread safety: consumer only.
  channel_status try_pop(T& value) noexcept {
    return consume([&value](const T& element) noexcept { value = element; });
  }

  /// Pops elements into `values`, from the front, until it is full or the channel is empty, all in
  /// one release.
  ///
  /// Guarantees: returns how many: 0 if the channel is empty or has ended (`pop_status` says which)
  /// or `values` is empty.
  /// Cost: one or two memmoves, two misses for the indices.
  /// Memory ordering: as for one element.
  /// Thread safety: consumer only.
  [[nodiscard]] std::size_t try_pop(std::span<T> values) noexcept {
    if (poisoned()) [[unlikely]]
      return 0;
    const std::size_t count = std::min(values.size(), ends_.ready(values.size()));
    if (count == 0) return 0;
    const ring& in = ends_.consumer_order();
    const std::uint64_t head = ends_.head();
    const std::size_t straight = std::min(count, in.straight(head));
    std::copy_n(in.element(head), straight, values.data());
    std::copy_n(in.elements, count - straight, values.data() + straight);
    ends_.release(in.after(head, count));
    return count;
  }

  /// Calls `f(element)` on the oldest element in place, *then* releases its slot: memory that the
  /// element points to stays lent while f reads it.
  ///
  /// Requires: f calls no consumer operation of this channel and keeps no reference to the element.
  /// Guarantees: returns ok, empty, closed or poisoned; f is called, once, if and only if ok. If f
  /// throws, the exception passes and the element is still the oldest.
  /// Memory ordering: an acquire of the push before f, a release of the slot after it.
  /// Thread safety: consumer only.
  template <std::invocable<const T&> F>
  channel_status consume(F&& f) noexcept(std::is_nothrow_invocable_v<F&, const T&>) {
    // acquire: pairs with the release in close and poison. Read *before* looking for an element: if
    // it says closed, every element pushed is visible, and finding none means there will be none.
    const unsigned ended = state_.load(std::memory_order_acquire);
    if ((ended & poisoned_bit) != 0) [[unlikely]]
      return channel_status::poisoned;
    if (ends_.ready(1) == 0) return ended == open ? channel_status::empty : channel_status::closed;
    const ring& in = ends_.consumer_order();
    const std::uint64_t head = ends_.head();
    std::invoke(f, std::as_const(*in.element(head)));
    ends_.release(in.after(head, 1));
    return channel_status::ok;
  }

  /// Calls `f(element)` on every element there is now, oldest first, then releases all their slots
  /// in one store.
  ///
  /// Requires: as consume.
  /// Guarantees: returns how many; 0 if the channel is empty or has ended. If f throws, the
  /// exception passes and *no* slot is released: the elements f has seen will come again. Cost: two
  /// misses for the indices, one for every line of elements. Memory ordering: an acquire of their
  /// pushes before, one release after. Thread safety: consumer only.
  template <std::invocable<const T&> F>
  std::size_t consume_all(F&& f) noexcept(std::is_nothrow_invocable_v<F&, const T&>) {
    if (poisoned()) [[unlikely]]
      return 0;
    const std::size_t count = ends_.ready(capacity());
    const ring& in = ends_.consumer_order();
    std::uint64_t head = ends_.head();
    for (std::size_t i = 0; i < count; ++i, head = in.after(head, 1))
      std::invoke(f, std::as_const(*in.element(head)));
    if (count != 0) ends_.release(head);
    return count;
  }

  /// Calls `f(element)` on the oldest elements, at most `limit` of them, and releases each slot
  /// when f has finished with its element.
  ///
  /// Requires: as consume.
  /// Guarantees: returns how many; less than `limit` if no more were there or the channel has
  /// ended. If f throws, the exception passes and the element at which it threw is the oldest.
  /// Memory ordering: as consume, for each element. Thread safety: consumer only.
  template <std::invocable<const T&> F>
  std::size_t consume_up_to(std::size_t limit,
                            F&& f) noexcept(std::is_nothrow_invocable_v<F&, const T&>) {
    std::size_t count = 0;
    while (count < limit && consume(f) == channel_status::ok) ++count;
    return count;
  }

  /// Number of elements in the channel now. The producer can only increase it.
  ///
  /// Memory ordering: an acquire of their pushes.
  /// Thread safety: consumer only.
  [[nodiscard]] std::size_t size() const noexcept { return ends_.ready(capacity()); }

  /// Returns what `consume` would now: ok, empty, closed or poisoned. `ok` holds until the
  /// consumer's next operation unless a thread poisons the channel.
  ///
  /// Thread safety: consumer only.
  [[nodiscard]] channel_status pop_status() const noexcept {
    const unsigned ended =
        state_.load(std::memory_order_acquire);  // before the ring, as in consume
    if ((ended & poisoned_bit) != 0) return channel_status::poisoned;
    if (ends_.ready(1) != 0) return channel_status::ok;
    return ended == open ? channel_status::empty : channel_status::closed;
  }

  // ---------------------------------------------------------------- any thread

  /// Ends the channel for both sides: pushes and pops that begin after it has taken effect do
  /// nothing and return `poisoned`, or 0 elements. Those under way may still complete.
  ///
  /// Guarantees: idempotent, stronger than close, no matter which comes first. Elements left inside
  /// are not delivered. A side that waits by polling gets `poisoned`; nothing else has to wake it.
  /// Memory ordering: a release, which a side that gets `poisoned` acquires: it can read a reason
  /// that was written before.
  /// Thread safety: any thread, at any time.
  void poison() noexcept {
    // release: pairs with the acquire loads of state_ that begin every operation
    state_.fetch_or(poisoned_bit, std::memory_order_release);
  }

  /// Tells whether the channel is poisoned. Memory ordering: if true, an acquire of poison.
  /// Thread safety: any thread.
  [[nodiscard]] bool poisoned() const noexcept {
    return (state_.load(std::memory_order_acquire) & poisoned_bit) != 0;  // pairs with poison
  }

  /// Opens the channel again, empty, with the memory it has.
  ///
  /// Requires: no operation of another thread at the same time; every thread's last operation
  /// happens before reset, and reset before every thread's next (a barrier on either side).
  /// Thread safety: none.
  void reset() noexcept {
    ends_.reset();
    state_.store(open, std::memory_order_relaxed);  // ordered by the edges that reset requires
  }

 private:
  static constexpr unsigned open = 0, closed_bit = 1, poisoned_bit = 2;

  static std::size_t checked(std::size_t capacity) {
    if (capacity == 0) throw capacity_error("channel: capacity 0 holds nothing; give at least 1");
    if (capacity > max_capacity())
      throw capacity_error("channel: capacity exceeds the address space");
    return capacity;
  }

  static constexpr channel_status status_of(unsigned ended) noexcept {
    return (ended & poisoned_bit) != 0 ? channel_status::poisoned : channel_status::closed;
  }

  /// Positions in the array, modulo 2 · capacity: so a full channel differs from an empty one.
  struct ring {
    T* elements;
    std::size_t capacity;

    [[nodiscard]] std::size_t index(std::uint64_t at) const noexcept {
      return at < capacity ? at : at - capacity;
    }
    [[nodiscard]] T* element(std::uint64_t at) const noexcept { return elements + index(at); }
    /// Number of elements from a position to the end of the array.
    [[nodiscard]] std::size_t straight(std::uint64_t at) const noexcept {
      return capacity - index(at);
    }
    [[nodiscard]] std::uint64_t after(std::uint64_t at, std::size_t n) const noexcept {
      const std::uint64_t next = at + n;
      return next < 2 * capacity ? next : next - 2 * capacity;
    }
    [[nodiscard]] std::size_t between(std::uint64_t from, std::uint64_t to) const noexcept {
      return to >= from ? to - from : to + 2 * capacity - from;
    }
  };

  std::atomic<unsigned> state_{open};
  detail::spsc_ends<ring> ends_;
};

}  // namespace pleat
