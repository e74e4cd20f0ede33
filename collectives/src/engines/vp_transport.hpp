// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include <pleat/collectives/detail/engines.hpp>

#include "../schedule_engines/transport.hpp"
#include "rendezvous.hpp"

namespace pleat::detail {

/// Waits at the rendezvous of ranks that share memory: those that have chosen another engine would
/// wait for each other.
struct agreement_awaiter {
  using awaited_by_tasks = void;
  rendezvous_awaiter others;
  bool any;

  [[nodiscard]] bool await_ready() const { return !any || others.await_ready(); }
  void await_suspend(std::coroutine_handle<> self) const { others.await_suspend(self); }
  void await_resume() const {
    if (any) others.await_resume();
  }
};

/// Transport of a virtual processor, which posts no receive: it takes a message where its sender
/// has it. The data is one of parts_of_vp.
template <class Data> class vp_transport {
 public:
  using task = pleat::task<>;
  using place = endpoint;
  using data = Data;
  template <class X> using slots = schedule_engines::one_slot<X>;

  vp_transport(endpoint& on, Data moved) : on_(on), moved_(std::move(moved)) {}

  [[nodiscard]] Data& moved() noexcept { return moved_; }
  [[nodiscard]] static constexpr std::size_t window() noexcept { return 1; }
  [[nodiscard]] agreement_awaiter agreed() {
    if (on_.spread()) return {{}, false};
    return {meet(on_, moved_.bytes()), true};
  }
  void begin_round() { on_.begin_round(moved_.traffic); }
  template <class Message> void receive(std::size_t /*number*/, const Message& /*message*/) {}
  template <class Message> [[nodiscard]] edge_awaiter arrived(const Message& message) {
    return on_.value(on_.from(message.peer()));
  }
  template <class Message> void take(std::size_t /*number*/, const Message& message) {
    on_.take(on_.from(message.peer()), message.bytes(),
             [&](const std::byte* sent) { message.take(sent); });
  }
  template <class Message> [[nodiscard]] edge_awaiter room(const Message& message) {
    return on_.room(on_.to(message.peer()));
  }
  template <class Message> void send(const Message& message) {
    edge& to = on_.to(message.peer());
    if (const std::byte* const here = message.memory(); here != nullptr)
      return on_.push(to, here, message.bytes(), moved_.most_copied);
    on_.push_packed(to, message.bytes(), [&](std::byte* packed) { message.pack(packed); });
  }
  [[nodiscard]] bool lends() noexcept { return moved_.settles && on_.lends(); }
  [[nodiscard]] edge_awaiter returned() noexcept { return on_.returned(); }

 private:
  endpoint& on_;
  Data moved_;
};

/// Data in parts of all ranks, or in the one of a root.
struct parts_of_vp {
  layout parts;
  std::size_t ranks;        // that have parts
  std::size_t blocks;       // of a part
  std::uint32_t own;        // part of this rank
  std::size_t most_copied;  // bytes that are not lent
  bool settles;             // nothing is lent when the engine ends
  collective_traffic& traffic;

  [[nodiscard]] std::size_t bytes() const noexcept { return parts.total(ranks); }
  [[nodiscard]] piece at(std::uint32_t part, std::size_t number) const noexcept {
    return parts.at(part, number, blocks);
  }
  /// Place of a block in memory that has this rank's part alone.
  [[nodiscard]] std::size_t inside_own(const schedule_engines::block& one) const noexcept {
    return one.at.offset - parts.part(own).offset;
  }
};

}  // namespace pleat::detail
