// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/channels/refers.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail {

/// Words of the largest value that a channel carries.
inline constexpr std::size_t most_words_of_push = slot_payload / sizeof(std::uint64_t);

/// Pushes and pops of the channels between virtual processors, for the awaiters of vp::push and
/// vp::pop. Each is one call, unless the VP has to wait. A value is `count` words. Requires: VP q
/// exists.
struct PLEAT_API vp_channels {
  /// Pushes if there is room, or room appears during a short spin; else returns false. Throws:
  /// usage_error, as push does; std::bad_alloc.
  [[nodiscard]] static bool try_push(vp& me, std::size_t q, const std::uint64_t* words,
                                     std::size_t count);
  static void suspend_until_room(vp& me, std::size_t q, std::coroutine_handle<> self);
  /// Pops if there is a value, or one arrives during a short spin; else returns false. Throws: as
  /// try_push.
  [[nodiscard]] static bool try_pop(vp& me, std::size_t q, std::uint64_t* words, std::size_t count);
  static void suspend_until_value(vp& me, std::size_t q, std::coroutine_handle<> self);
};

/// Value of a channel as words.
template <class T> struct value_words {
  static constexpr std::size_t count =
      (sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  std::uint64_t at[count];
};

}  // namespace detail

// The awaiters are copied into the coroutine's frame right after construction. Members are copied
// one by one: a load of two members at once would stall until both have left the store buffer.

template <class T> struct vp::push_awaiter {
  using awaited_by_tasks = void;
  using words = detail::value_words<T>;

  push_awaiter(vp& from, std::size_t to, const T& value) noexcept : me(&from), q(to) {
    message.at[words::count - 1] = 0;
    std::memcpy(message.at, &value, sizeof(T));
  }
  push_awaiter(const push_awaiter& other) noexcept
      : me(other.me), q(other.q), message(other.message) {}

  [[nodiscard]] bool await_ready() {
    waits = !detail::vp_channels::try_push(*me, q, message.at, words::count);
    return !waits;
  }
  void await_suspend(std::coroutine_handle<> self) const {
    detail::vp_channels::suspend_until_room(*me, q, self);
  }
  // There is room: no other VP pushes, and the VP is not resumed before.
  void await_resume() {
    if (waits) static_cast<void>(await_ready());
  }

 private:
  vp* me;
  std::size_t q;
  words message;
  bool waits = false;
};

template <class T> struct vp::pop_awaiter {
  using awaited_by_tasks = void;
  using words = detail::value_words<T>;

  pop_awaiter(vp& to, std::size_t from) noexcept : me(&to), q(from) {}
  pop_awaiter(const pop_awaiter& other) noexcept : me(other.me), q(other.q) {}

  [[nodiscard]] bool await_ready() {
    waits = !detail::vp_channels::try_pop(*me, q, message.at, words::count);
    return !waits;
  }
  void await_suspend(std::coroutine_handle<> self) const {
    detail::vp_channels::suspend_until_value(*me, q, self);
  }
  T await_resume() {  // there is a value: no other VP pops
    if (waits) static_cast<void>(await_ready());
    struct alignas(T) image {  // bytes, not a T, which may have no default constructor
      std::byte bytes[sizeof(T)];
    } copy;
    std::memcpy(copy.bytes, message.at, sizeof(T));
    return std::bit_cast<T>(copy);
  }

 private:
  vp* me;
  std::size_t q;
  words message;
  bool waits = false;
};

template <class T> vp::push_awaiter<T> vp::push(std::size_t q, const T& value) {
  static_assert(slot_value<T>, "a channel carries trivially copyable values of up to 48 bytes");
  static_assert(!refers_to_memory<T>,
                "pointers, iterators and views cannot be sent by value: push what is pointed to");
  if (q >= size()) [[unlikely]]
    no_such_vp(q);
  return {*this, q, value};
}
template <class T> vp::pop_awaiter<T> vp::pop(std::size_t q) {
  static_assert(slot_value<T>, "a channel carries trivially copyable values of up to 48 bytes");
  if (q >= size()) [[unlikely]]
    no_such_vp(q);
  return {*this, q};
}

}  // namespace pleat
