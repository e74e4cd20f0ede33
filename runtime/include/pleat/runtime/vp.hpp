// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/refers.hpp>
#include <pleat/runtime/detail/vp_host.hpp>
#include <pleat/runtime/message.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

namespace detail {

class worker;
struct vp_access;

/// Range whose elements vp::send copies. It does not include std::array, which is sent as one
/// value.
template <class R>
concept elements_to_send =
    std::ranges::contiguous_range<const R&> && std::ranges::sized_range<const R&> &&
    byte_copyable<std::ranges::range_value_t<const R&>> && !std_array<std::remove_cvref_t<R>>;

}  // namespace detail

/// A virtual processor of M(v), the interface of a program to the machine.
///
/// ```cpp
/// pleat::task<> prefix(pleat::vp& me, long& x) {      // Hillis-Steele, v a power of two
///   for (std::size_t d = 1; d < me.size(); d *= 2) {
///     if (me.rank() + d < me.size()) me.send(me.rank() + d, x);
///     co_await me.sync(0);
///     if (auto m = me.receive()) x += m->get<long>();
///   }
/// }
/// ```
///
/// The runtime makes the vps of a run; they exist until the run ends. All members of a vp are
/// called from the coroutine that received it, or from one that this coroutine awaits, never from
/// another thread or another virtual processor.
///
/// Source of the model: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, "Network-Oblivious
/// Algorithms", section 2.
class alignas(detail::most_labels) PLEAT_API vp {
 public:
  vp(const vp&) = delete;
  vp& operator=(const vp&) = delete;

  [[nodiscard]] std::size_t rank() const noexcept { return state_.rank; }
  /// Number of virtual processors, v.
  [[nodiscard]] std::size_t size() const noexcept { return state_.on->vps(); }
  /// L = max(1, ⌈log2 v⌉): sync takes the labels 0 … L − 1.
  [[nodiscard]] unsigned labels() const noexcept { return state_.on->labels(); }
  /// Segment of all virtual processors, the 0-cluster.
  [[nodiscard]] segment all() const noexcept { return {0, size(), 0}; }
  /// The machine of this run. Its run() may not be called from here.
  [[nodiscard]] pleat::machine& machine() const noexcept { return state_.on->machine(); }

  // ------------------------------------------------------------------ messages

  /// Sends a copy of `value` to VP q, which can receive it after the next barrier that joins the
  /// two VPs: a sync(k) where k is at most the number of leading index bits that their ranks share.
  /// Until then the message is pending; it is never lost. In strict mode the sync that ends this
  /// superstep throws out_of_cluster if it does not join the two VPs.
  ///
  /// Cost: one message of the h-relation. Values of up to 48 bytes are stored in the message, and
  /// consecutive sends of equal size (a multiple of 8) to one VP share a header; larger values get
  /// memory of their own. Sending a pointer, an iterator or a strided_view does not compile,
  /// because its elements would not be sent.
  /// Throws: usage_error if there is no VP q; std::bad_alloc.
  template <class T>
  requires(byte_copyable<T> && !detail::elements_to_send<const T&>) void send(std::size_t q,
                                                                              const T& value) {
    static_assert(
        !refers_to_memory<T>,
        "pointers, iterators and views cannot be sent by value: send or lend the elements "
        "as a std::span, or send what is pointed to");
    if constexpr (sizeof(T) <= detail::largest_inline && alignof(T) <= 8) {
      outbox_for(q, 1, sizeof(T))
          .send(state_.rank, static_cast<std::uint32_t>(q), &value, sizeof(T));
    } else {
      send_bytes(q, &value, sizeof(T), alignof(T), 1);
    }
  }

  /// Sends copies of all `values` as one message. The range may be a span of any extent, a vector,
  /// a string or a built-in array; a std::array is one value. In the model each value counts as a
  /// message.
  /// Throws: as for one value.
  template <detail::elements_to_send R> void send(std::size_t q, const R& values) {
    using T = std::ranges::range_value_t<const R&>;
    const std::span<const T> all(std::ranges::data(values), std::ranges::size(values));
    send_bytes(q, all.data(), all.size_bytes(), alignof(T), all.size());
  }

  /// Lends memory to VP q without copying. After the next barrier that joins the two VPs q can read
  /// it through the message's view (and write to it or move from it, if T is not const). The owner
  /// must leave it untouched until it has passed a second barrier that joins the two. Strict mode
  /// checks for const T that the memory does not change.
  ///
  /// Cost: one descriptor; the bytes move when the receiver reads them. In the model it counts as
  /// view.size() messages. Between ranks of a machine q gets a copy, made after the owner has
  /// reached the barrier and before q passes it. Throws: usage_error if there is no VP q, or if q
  /// is on another rank and T is not const; std::bad_alloc.
  template <class T> void lend(std::size_t q, strided_view<T> view) {
    lend_block(q, {const_cast<std::remove_const_t<T>*>(view.data), view.rows, view.columns,
                   view.stride, sizeof(T), state_.rank, !std::is_const_v<T>});
  }
  /// Lends a span of any extent, or a vector or array that is an lvalue. Throws: as above.
  template <std::ranges::contiguous_range R>
  requires(std::ranges::sized_range<R>&& std::ranges::borrowed_range<R>) void lend(std::size_t q,
                                                                                   R&& values) {
    using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
    lend(q, strided_view<T>(std::span<T>(std::ranges::data(values), std::ranges::size(values))));
  }

  /// Takes the next message from the inbox; returns nullopt if there is none. Messages are ordered
  /// by the barrier that delivered them, then by the sender's rank, then in the order in which they
  /// were sent, so the order is the same in every run. The data of a message stays readable until
  /// this VP's next sync. Messages that are not received stay in the inbox.
  /// Throws: std::bad_alloc (no message is then taken).
  [[nodiscard]] std::optional<message> receive();

  /// Counts `count` dummy messages to VP q, which make an unbalanced superstep wise. Only a machine
  /// that traces with dummies counts them; nothing is sent.
  ///
  /// Throws what send throws, if it counts.
  /// Source: "Network-Oblivious Algorithms", section 4.
  void dummy(std::size_t q, std::size_t count = 1) {
    if (state_.on->counts()) [[unlikely]]
      count_dummies(q, count);
  }

  /// Counts `count` messages to VP q for elements that reach it through common memory, without a
  /// message. Either this VP writes them, before the next barrier that joins the two VPs, to memory
  /// that q uses afterwards (a distribution writes to the buckets that q sorts), or q reads them
  /// from memory of this VP. Nothing is sent.
  ///
  /// Cost: no time, unless the machine traces; `count` messages of the h-relation. Throws:
  /// usage_error if there is no VP q, or if q is on another rank; std::bad_alloc, if it counts.
  /// Source: the one-sided put and get of Hill et al., BSPlib: The BSP Programming Library, 1998.
  void count_crossing(std::size_t q, std::size_t count);

  // ------------------------------------------------------------------ barrier

  struct sync_awaiter;
  /// `co_await me.sync(i)`: waits until every VP of this VP's i-cluster has performed a sync(i) or
  /// ended. Afterwards the messages that they have sent each other before can be received. The
  /// barrier is reached when the awaitable is awaited, not when it is made.
  ///
  /// Cost: one i-superstep: g_i · h + ℓ_i. A cluster inside one processor costs only the switches.
  /// Memory ordering: everything a VP of the cluster did before its sync happens before everything
  /// done after it. Throws: usage_error if i ≥ labels(); strict mode: out_of_cluster,
  /// lent_memory_modified.
  [[nodiscard]] sync_awaiter sync(unsigned label);

  // ------------------------------------------------------------------ channels between VPs

  template <class T> struct push_awaiter;
  template <class T> struct pop_awaiter;
  /// `co_await me.push(q, value)`: puts a copy of value into the bounded channel from this VP to q,
  /// and waits while the channel is full. Only the two VPs wait for each other. Their first use of
  /// a channel in a run creates it, under a lock of the run. Between ranks of a machine, pushed
  /// values are sent when worker 0 of the sender's rank waits. A machine that traces counts the
  /// value as a message of the superstep in which it is pushed. Requires: sizeof(T) ≤ 48. Throws:
  /// usage_error if there is no VP q; std::bad_alloc.
  template <class T> [[nodiscard]] push_awaiter<T> push(std::size_t q, const T& value);
  /// `T x = co_await me.pop<T>(q)`: takes the next value from the channel from q to this VP, and
  /// waits until there is one.
  /// Requires: q pushed a T. Throws: as push does.
  template <class T> [[nodiscard]] pop_awaiter<T> pop(std::size_t q);

 private:
  friend class detail::worker;
  friend struct detail::vp_access;

  vp(detail::vp_host& on, std::uint32_t rank) noexcept : state_(on, rank) {}

  /// Returns the outbox for a record of `bytes` of payload, which is `messages` messages of the
  /// model. In strict mode the record is logged here, so that sending it does not throw.
  detail::outbox& outbox_for(std::size_t q, std::size_t messages, std::size_t bytes) {
    if (q >= size()) [[unlikely]]
      no_such_vp(q);
    if (state_.on->strict()) [[unlikely]]
      return state_.on->strict_outbox(state_.rank, q, messages, bytes);
    return state_.on->outbox_for(q);
  }
  void send_bytes(std::size_t q, const void* data, std::size_t bytes, std::size_t alignment,
                  std::size_t messages);
  void lend_block(std::size_t q, const lent_block& block);
  void count_dummies(std::size_t q, std::size_t count);
  [[noreturn]] void no_such_vp(std::size_t q) const;

  detail::vp_state state_;
};
static_assert(sizeof(vp) == sizeof(detail::vp_state) && sizeof(vp) == detail::most_labels);

struct vp::sync_awaiter {
  using awaited_by_tasks = void;
  // Address of the VP plus the label: a VP is aligned to as many bytes as there are labels. One
  // word, because an awaiter takes space in the frame of every VP.
  std::byte* at;

  [[nodiscard]] unsigned label() const noexcept {
    return reinterpret_cast<std::uintptr_t>(at) % detail::most_labels;
  }
  [[nodiscard]] detail::vp_state& state() const noexcept {
    return reinterpret_cast<vp*>(at - label())->state_;
  }

  [[nodiscard]] bool await_ready() const {
    detail::vp_state& me = state();
    // Usual case: the label exists, and the VP only has to suspend. Nothing is written before it
    // does, so that compilers need not read this awaiter again.
    if (label() < me.on->quick_labels()) [[likely]]
      return false;
    set_label(me);
    return me.on->enter_sync(me.rank, label());
  }
  void await_suspend(std::coroutine_handle<> self) const noexcept {
    detail::vp_state& me = state();
    me.on->suspended_at_label(label());
    if (me.resume_point != self) me.resume_point = self;
    set_label(me);
  }
  void await_resume() const noexcept {}

 private:
  // Written only if it changes, as is the resume point: the cache line of a VP that stays in its
  // loop stays clean.
  void set_label(detail::vp_state& me) const noexcept {
    if (me.waits_at != label()) me.waits_at = label() & 0xff;
  }
};

inline vp::sync_awaiter vp::sync(unsigned label) {
  if (label >= detail::most_labels) [[unlikely]]
    state_.on->no_such_label(state_.rank, label);
  // With the alignment, compilers separate a constant label from the address at no cost.
  return {reinterpret_cast<std::byte*>(std::assume_aligned<detail::most_labels>(this)) + label};
}

inline std::optional<message> vp::receive() {
  if (state_.inbox == nullptr) return std::nullopt;
  detail::record* r = state_.inbox->next;
  const std::byte* data = r->payload() + std::size_t{state_.taken} * r->size;
  std::size_t bytes = r->size;
  detail::record_kind kind = r->kind;
  if (kind == detail::record_kind::enclosed) {
    void* const elements = r->payload() + sizeof(lent_block);
    std::memcpy(r->payload() + offsetof(lent_block, data), &elements, sizeof elements);
    kind = detail::record_kind::lent;
  } else if (detail::has_memory(kind)) {  // freed at my next sync
    state_.on->make_room_to_spend();
    if (kind == detail::record_kind::block) {
      const auto block = detail::load_payload<detail::payload_block>(data);
      state_.on->spend(block.data);
      data = block.data;
      bytes = block.bytes;
    } else {
      state_.on->spend(detail::load_payload<lent_block>(data).data);
      kind = detail::record_kind::lent;
    }
  }
  const std::size_t source = r->source;
  const std::uint32_t taken = state_.taken + 1u;
  if (taken < r->count) {
    state_.taken = taken & detail::most_run_together;
  } else {
    state_.on->consumed(r);  // before the inbox changes: this may throw std::bad_alloc
    state_.taken = 0;
    if (r == state_.inbox)
      state_.inbox = nullptr;
    else
      state_.inbox->next = r->next;
  }
  // Constructed in place: a copy right after the stores to its members would wait for them.
  return std::optional<message>(std::in_place, source, kind, data, bytes);
}

}  // namespace pleat

#include <pleat/runtime/detail/vp_channels.hpp>
