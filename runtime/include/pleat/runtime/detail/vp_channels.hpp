// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/line_ring.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/relax.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail {

using vp_channel = channel<slot>;

/// The channels between virtual processors of one run, each made by whichever end uses it first:
/// those of vp::push and pop, and rings that libraries use in contexts of their own, where they do
/// not meet the program that calls them. Thread safety: all calls.
class PLEAT_API vp_channels {
 public:
  static constexpr unsigned contexts = 1 + most_labels;
  static constexpr std::size_t capacity = 64;  // slots; 4 KiB a channel

  [[nodiscard]] vp_channel& between(std::size_t source, std::size_t destination);
  /// For messages of up to `most` bytes, the same for all of a run. Requires: context < contexts.
  [[nodiscard]] line_ring& ring_between(std::size_t source, std::size_t destination,
                                        unsigned context, std::size_t most);
  void clear();

 private:
  template <class Channel>
  using by_ends = std::unordered_map<std::uint64_t, std::unique_ptr<Channel>>;

  std::mutex mutex_;
  bool some_made_ = false;
  by_ends<vp_channel> channels_;
  std::array<by_ends<line_ring>, contexts> rings_;
};

/// What the awaiters below, and the runtime, may do with a vp and its worker.
struct PLEAT_API vp_access {
  [[nodiscard]] static vp_state& state(vp& me) noexcept { return me.state_; }
  [[nodiscard]] static vp_channel& channel_to(vp& me, std::size_t q);
  [[nodiscard]] static vp_channel& channel_from(vp& me, std::size_t q);
  [[nodiscard]] static line_ring& ring_to(vp& me, std::size_t q, unsigned context);
  [[nodiscard]] static line_ring& ring_from(vp& me, std::size_t q, unsigned context);
  /// The largest message a ring of this run carries: little where workers have many VPs each, whose
  /// rings would take more memory than their data.
  [[nodiscard]] static std::size_t most_in_ring(const vp& me) noexcept;
  /// Strict mode.
  [[nodiscard]] static bool strict(const vp& me) noexcept { return me.state_.on->strict(); }
  /// The VP's turn does not come before the event has happened. `operation`: what a library waits
  /// for, to be named if it is for ever; a string that stays.
  static void suspend(vp& me, std::coroutine_handle<> self, std::size_t peer, const awaited& what,
                      std::string_view operation = {});
  /// Ends the run with `cause`, as an exception that leaves the program does, but unwinds nothing
  /// before all workers have stopped: others may still use what this VP has lent. `self` is its
  /// innermost coroutine, at a suspension point nobody resumes.
  static void end_run(vp& me, std::coroutine_handle<> self, std::exception_ptr cause) noexcept;
  /// Spins a little where the VP has its processor to itself. True: no need to suspend.
  template <class Channel>
  [[nodiscard]] static bool soon(vp& me, channel_event event, const Channel& at) {
    const worker& w = *me.state_.on;
    if (!w.spins_at_channels() || w.run().waiting == wait_policy::park) return false;
    constexpr int tight = 200;  // about as long as a line takes, some times over
    for (int spin = 0; spin < 2000 && !w.run().poisoned(); ++spin) {
      if (happened(event, at)) return true;
      if (spin >= tight) relax();
    }
    return false;
  }
  /// What is kept with the VP, and with its machine. The machine's is for all VPs at once: lock it.
  [[nodiscard]] static std::unique_ptr<attachment>& attached(vp& me);
  [[nodiscard]] static shared_attachment& attached_to_machine(vp& me);
  /// The other end may be waiting for what was just pushed or popped.
  static void notify(vp& me, std::size_t peer) noexcept;
  /// All of these may be that this process carries out.
  static void notify(vp& me, rank_range ranks) noexcept;

  /// For libraries whose VPs meet without a barrier: who shares a worker with whom, which one this
  /// is, and which run, each with a number of its own.
  [[nodiscard]] static const fold& folding(const vp& me) noexcept {
    return me.state_.on->run().plan->folding;
  }
  [[nodiscard]] static std::size_t worker_of(const vp& me) noexcept {
    return me.state_.on->run().plan->first_worker + me.state_.on->index();
  }
  /// Whether VP q is carried out by another rank of the machine.
  [[nodiscard]] static bool elsewhere(const vp& me, std::size_t q) noexcept;
  /// Throws: usage_error, if VP q is carried out by another rank of the machine, in whose memory
  /// nobody can do `what`.
  static void require_same_rank(const vp& me, std::size_t q, const char* what);
  [[nodiscard]] static std::uint64_t run_number(const vp& me) noexcept {
    return me.state_.on->run().now.number;
  }
  /// Throws: usage_error on a machine that traces. What goes past its supersteps has no cost there.
  static void require_countable(const vp& me);
};

}  // namespace detail

template <class T> struct vp::push_awaiter {
  using awaited_by_tasks = void;
  vp* me;
  std::size_t peer;
  detail::vp_channel* channel;
  T value;

  [[nodiscard]] bool await_ready() const {
    return channel->room() != 0 ||
           detail::vp_access::soon(*me, detail::channel_event::room, *channel);
  }
  void await_suspend(std::coroutine_handle<> self) const {
    detail::vp_access::suspend(*me, self, peer,
                               detail::awaited_at(detail::channel_event::room, *channel));
  }
  void await_resume() const {
    slot s;
    s.put(value);
    // There is room: nobody else pushes, and nobody resumes us before there is.
    (void)channel->try_push(s);
    detail::vp_access::notify(*me, peer);
  }
};

template <class T> struct vp::pop_awaiter {
  using awaited_by_tasks = void;
  vp* me;
  std::size_t peer;
  detail::vp_channel* channel;

  [[nodiscard]] bool await_ready() const {
    return channel->size() != 0 ||
           detail::vp_access::soon(*me, detail::channel_event::value, *channel);
  }
  void await_suspend(std::coroutine_handle<> self) const {
    detail::vp_access::suspend(*me, self, peer,
                               detail::awaited_at(detail::channel_event::value, *channel));
  }
  T await_resume() const {
    slot s;
    (void)channel->try_pop(s);  // there is one: nobody else pops
    detail::vp_access::notify(*me, peer);
    return s.template get<T>();
  }
};

template <class T> vp::push_awaiter<T> vp::push(std::size_t q, const T& value) {
  static_assert(slot_value<T>, "a channel carries trivially copyable values of up to 48 bytes");
  static_assert(!refers_to_memory<T>,
                "pointers, iterators and views cannot be sent by value: push what is pointed to");
  return {this, q, &detail::vp_access::channel_to(*this, q), value};
}
template <class T> vp::pop_awaiter<T> vp::pop(std::size_t q) {
  static_assert(slot_value<T>, "a channel carries trivially copyable values of up to 48 bytes");
  return {this, q, &detail::vp_access::channel_from(*this, q)};
}

}  // namespace pleat
