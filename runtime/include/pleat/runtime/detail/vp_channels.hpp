// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <bit>
#include <coroutine>
#include <cstddef>

#include <pleat/channels/refers.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

class line_ring;

namespace detail {

/// End of the bounded channel from one virtual processor to another, for the awaiters of vp::push
/// and vp::pop.
struct PLEAT_API vp_channel_end {
  vp* me;
  std::size_t peer;  // the VP at the other end
  line_ring* at;

  /// Throws: usage_error, as push and pop say; std::bad_alloc.
  [[nodiscard]] static vp_channel_end to(vp& me, std::size_t q);
  [[nodiscard]] static vp_channel_end from(vp& me, std::size_t q);

  /// There is room, or will be within a spin that pays.
  [[nodiscard]] bool soon_has_room() const;
  void suspend_until_room(std::coroutine_handle<> self) const;
  /// Requires room.
  void push(const void* value, std::size_t bytes) const;

  [[nodiscard]] bool soon_has_value() const;
  void suspend_until_value(std::coroutine_handle<> self) const;
  /// Requires a value.
  void pop(void* value, std::size_t bytes) const;
};

}  // namespace detail

template <class T> struct vp::push_awaiter {
  using awaited_by_tasks = void;
  detail::vp_channel_end end;
  T value;

  [[nodiscard]] bool await_ready() const { return end.soon_has_room(); }
  void await_suspend(std::coroutine_handle<> self) const { end.suspend_until_room(self); }
  // There is room: nobody else pushes, and nobody resumes us before there is.
  void await_resume() const { end.push(&value, sizeof(T)); }
};

template <class T> struct vp::pop_awaiter {
  using awaited_by_tasks = void;
  detail::vp_channel_end end;

  [[nodiscard]] bool await_ready() const { return end.soon_has_value(); }
  void await_suspend(std::coroutine_handle<> self) const { end.suspend_until_value(self); }
  T await_resume() const {  // there is a value: nobody else pops
    // Bytes, not a T, which may have no default constructor.
    struct alignas(T) image {
      std::byte bytes[sizeof(T)];
    } copy;
    end.pop(copy.bytes, sizeof(T));
    return std::bit_cast<T>(copy);
  }
};

template <class T> vp::push_awaiter<T> vp::push(std::size_t q, const T& value) {
  static_assert(slot_value<T>, "a channel carries trivially copyable values of up to 48 bytes");
  static_assert(!refers_to_memory<T>,
                "pointers, iterators and views cannot be sent by value: push what is pointed to");
  return {detail::vp_channel_end::to(*this, q), value};
}
template <class T> vp::pop_awaiter<T> vp::pop(std::size_t q) {
  static_assert(slot_value<T>, "a channel carries trivially copyable values of up to 48 bytes");
  return {detail::vp_channel_end::from(*this, q)};
}

}  // namespace pleat
