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

/// Requires that T is an element of a channel: a value that is its bytes, and can exist before it
/// is given one.
template <class T>
concept channel_element = std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>> &&
    std::is_trivially_copyable_v<T> && std::default_initializable<T>;

/// A bounded first-in-first-out channel from one producer to one consumer, each any thread that at
/// the time is the only one on its side. No operation waits, locks or allocates; who has to wait
/// decides how. A full or empty channel is a return value; nothing is ever lost or overwritten.
///
/// ```cpp
/// pleat::channel<long> numbers(1024);
/// while (numbers.try_push(x) != pleat::channel_status::ok) wait();      // the producer
/// while (numbers.try_pop(x) != pleat::channel_status::ok) wait();       // the consumer
/// ```
///
/// A slot counts as free only once the consumer is done with it: `consume` hands out the element in
/// place and releases its slot afterwards. So when `drained()` is true the producer knows that
/// whatever the elements pointed to has been read too, and may write there again.
///
/// An end comes in two ways. The producer *closes*: the consumer still gets everything pushed, then
/// `closed`. Any thread *poisons*: from then on both sides get `poisoned`, and what was left in the
/// channel is dropped.
///
/// Memory ordering: two happens-before edges carry everything.
///   push → pop: the push's release store of the producer's position pairs with the acquire
///   load by which the consumer finds the element. What the producer did before the push, the
///   consumer sees after the pop.
///   pop → push: the consumer's release store of its position pairs with the acquire load by
///   which the producer finds room. What the consumer did before the release (in `consume`: all of
///   the functor) the producer sees after it finds the slot free, or the channel drained.
/// Close and poison add a third: their release operation on the state pairs with the acquire load
/// of the state in every operation that returns `closed` or `poisoned`.
///
/// Cost: one element that is waited for, a miss for the position of the other side and one for the
/// element's line. Each side keeps a copy of the other's position, and reads the original only
/// where the copy says full or empty: a stream costs a miss for every line of elements, and one for
/// a position whenever a side has caught up. The state word lies on lines that are written at most
/// twice in a channel's life: looking at it is a cache hit.
///
/// Requires: a channel outlives every operation on it. It can be neither copied nor moved.
template <channel_element T> class channel {
 public:
  using value_type = T;

  /// The most elements a channel of T can be made for.
  static constexpr std::size_t max_capacity() noexcept {
    return (std::numeric_limits<std::ptrdiff_t>::max() - destructive_distance) / sizeof(T) - 1;
  }

  /// An open, empty channel with room for `capacity` elements; no rounding.
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
  /// Guarantees: ok, full, closed or poisoned; the element is in the channel if and only if ok.
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

  /// Tells whether everything pushed has been consumed and let go. The moment it returns true,
  /// memory the elements pointed to is the producer's again.
  ///
  /// Guarantees: stays true until the producer's next push. On a poisoned channel it is false if
  /// elements were left behind: the consumer may have stopped in the middle of one.
  /// Memory ordering: if true, an acquire of the consumer's last release.
  /// Thread safety: producer only.
  [[nodiscard]] bool drained() const noexcept { return ends_.drained(); }

  /// Number of elements that a push would find room for now. The consumer can only make it more.
  ///
  /// Memory ordering: an acquire of the slots counted.
  /// Thread safety: producer only.
  [[nodiscard]] std::size_t room() const noexcept { return ends_.room(capacity()); }

  /// Returns what `try_push` of one element would now: ok, full, closed or poisoned. `ok` holds
  /// until the producer's next push unless a thread poisons the channel.
  ///
  /// Thread safety: producer only.
  [[nodiscard]] channel_status push_status() const noexcept {
    if (const unsigned ended = state_.load(std::memory_order_acquire)) return status_of(ended);
    return ends_.room(1) != 0 ? channel_status::ok : channel_status::full;
  }

  /// Says that nothing more will be pushed. The consumer gets what is there, then `closed`.
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
  /// Guarantees: ok, empty, closed or poisoned; `value` is written if and only if ok.
  /// Memory ordering: if ok, an acquire of the push, then a release of the slot.
  /// Thread safety: consumer only.
  channel_status try_pop(T& value) noexcept {
    return consume([&value](const T& element) noexcept { value = element; });
  }

  /// Pops into `values`, from the front, as many elements as there are and it holds, all in one
  /// release.
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

  /// Calls `f(element)` on the oldest element where it lies, *then* releases its slot: whatever f
  /// read through the element was still lent.
  ///
  /// Requires: f calls no consumer operation of this channel and keeps no reference to the element.
  /// Guarantees: ok, empty, closed or poisoned; f is called, once, if and only if ok. If f throws,
  /// the exception passes and the element is still the oldest.
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

  /// Calls `f(element)` on the oldest elements, at most `limit` of them, releasing each slot as f
  /// is done with it.
  ///
  /// Requires: as consume.
  /// Guarantees: returns how many; less than `limit` if no more were there or the channel has
  /// ended. If f throws, the exception passes and the element it threw at is the oldest. Memory
  /// ordering: as consume, for each element. Thread safety: consumer only.
  template <std::invocable<const T&> F>
  std::size_t consume_up_to(std::size_t limit,
                            F&& f) noexcept(std::is_nothrow_invocable_v<F&, const T&>) {
    std::size_t count = 0;
    while (count < limit && consume(f) == channel_status::ok) ++count;
    return count;
  }

  /// Number of elements in the channel now. The producer can only make it more.
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

  /// Gives the channel up, for both sides: every operation that begins after it has taken effect
  /// does nothing and says `poisoned`. One under way may still complete.
  ///
  /// Guarantees: idempotent, stronger than close, no matter which comes first. Elements left inside
  /// are not delivered. Who waits by polling wakes up; no other waking is needed.
  /// Memory ordering: a release, which a side that sees `poisoned` acquires: the reason, written
  /// before, can be read.
  /// Thread safety: any thread, at any time.
  void poison() noexcept {
    // release: pairs with the acquire loads of state_ that begin every operation
    state_.fetch_or(poisoned_bit, std::memory_order_release);
  }

  /// Memory ordering: an acquire of poison, if true.
  /// Thread safety: any thread.
  [[nodiscard]] bool poisoned() const noexcept {
    return (state_.load(std::memory_order_acquire) & poisoned_bit) != 0;  // pairs with poison
  }

  /// Opens the channel again, empty, with the memory it has.
  ///
  /// Requires: no operation of another thread at the same time, and a happens-before edge from
  /// everyone's last operation and to everyone's next (a barrier on either side).
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

  /// Positions in the array: those of two rounds, so that a full one differs from an empty one.
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
