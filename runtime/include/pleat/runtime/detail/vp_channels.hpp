// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <cstddef>

#include <pleat/channels/refers.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail {

/// The bounded channel from one virtual processor to another, see vp::push.
class vp_channel;

/// One end of such a channel: what the awaiters of push and pop hold and call.
struct PLEAT_API vp_channel_end {
  vp* me;
  std::size_t peer;  // the VP at the other end
  vp_channel* at;

  /// Throws: usage_error, as push and pop say; std::bad_alloc.
  [[nodiscard]] static vp_channel_end to(vp& me, std::size_t q);
  [[nodiscard]] static vp_channel_end from(vp& me, std::size_t q);

  /// There is room, or will be within a spin that pays.
  [[nodiscard]] bool soon_has_room() const;
  void suspend_until_room(std::coroutine_handle<> self) const;
  /// Requires room.
  void push(const slot& value) const;

  [[nodiscard]] bool soon_has_value() const;
  void suspend_until_value(std::coroutine_handle<> self) const;
  /// Requires a value.
  void pop(slot& value) const;
};

}  // namespace detail

template <class T> struct vp::push_awaiter {
  using awaited_by_tasks = void;
  detail::vp_channel_end end;
  T value;

  [[nodiscard]] bool await_ready() const { return end.soon_has_room(); }
  void await_suspend(std::coroutine_handle<> self) const { end.suspend_until_room(self); }
  void await_resume() const {
    slot s;
    s.put(value);
    end.push(s);
  }
};

template <class T> struct vp::pop_awaiter {
  using awaited_by_tasks = void;
  detail::vp_channel_end end;

  [[nodiscard]] bool await_ready() const { return end.soon_has_value(); }
  void await_suspend(std::coroutine_handle<> self) const { end.suspend_until_value(self); }
  T await_resume() const {
    slot s;
    end.pop(s);
    return s.template get<T>();
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
