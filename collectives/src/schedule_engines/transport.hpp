// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/collectives/detail/layout.hpp>

/// Engines that are written once and carried out by virtual processors, which read messages in the
/// sender's memory, and by ranks of an MPI, which post receives ahead. An engine is the walk along
/// a schedule; its data says what a block is, and its transport moves messages.
///
/// Two engines are written for each: exclusive scans, because their walk, `exclusive_round`, is
/// shorter than the data of a common form; and exchanges, because a virtual processor cannot ask
/// how long a message is and tells the sizes of blocks in one of its own.
namespace pleat::schedule_engines {

/// Block of a part of the data, and where it lies.
struct block {
  std::uint32_t part = 0;  // rank whose part it is; 0 of data in one part
  std::size_t number = 0;
  detail::piece at;
};

/// Data of a rank, in parts of `blocks` blocks. Forwards, a block arrives once, before it is first
/// sent; backwards it is sent once, after the last contribution to it has arrived. The data also
/// has pack(one, to), if bytes that are sent may have to be packed.
template <class D>
concept divided_data = requires(D& data, const block& one, const std::byte* from) {
  { data.blocks } -> std::convertible_to<std::size_t>;
  { data.at(one.part, one.number) } -> std::convertible_to<detail::piece>;
  /// Returns the bytes that are sent; null if they have to be packed.
  { data.sent(one) } -> std::convertible_to<const std::byte*>;
  /// Returns where bytes may arrive; null if only elsewhere. Called once for each arrival of
  /// a block, in the order in which they are taken.
  { data.received(one) } -> std::convertible_to<const std::byte*>;
  /// Brings bytes that have arrived to their place, or combines them with what is there.
  data.take(one, from);
  /// Does what this rank has to do without others, while its first message travels.
  data.while_sent();
};

/// Message of a transport. memory(): where it lies, or may arrive, if that is in one piece; else
/// null, and it is packed and taken elsewhere.
template <class M>
concept transported = requires(const M& message, std::byte* to, const std::byte* from) {
  { message.bytes() } -> std::convertible_to<std::size_t>;
  { message.memory() } -> std::convertible_to<const std::byte*>;
  { message.peer() } -> std::convertible_to<std::uint32_t>;
  message.pack(to);
  message.take(from);
};

/// Mover of the messages of one call of a rank at `place`, which knows the ranks and their
/// schedules. A transport is made of a place and of the data, which it keeps. Messages from one
/// rank to another arrive in the order in which they were sent.
template <class T, class Message>
concept transport = divided_data<typename T::data> && transported<Message> &&
    requires(T& on, typename T::place& at, const Message& message, std::size_t number) {
  typename T::task;  // of a coroutine whose first argument is the place
  { at.rank() } -> std::convertible_to<std::uint32_t>;
  { at.size() } -> std::convertible_to<std::uint32_t>;
  { at.graph() } -> std::same_as<const circulant_graph&>;
  { at.schedule(at.rank()) } -> std::same_as<const circulant_schedule&>;
  { at.table() } -> std::same_as<const circulant_table&>;
  { on.moved() } -> std::same_as<typename T::data&>;
  /// Number of receives that may be pending; slots<X> has an X for each.
  { on.window() } -> std::convertible_to<std::size_t>;
  typename T::template slots<Message>;
  /// Awaited first: all ranks follow this schedule, or the call fails.
  on.agreed();
  /// Counts a round, in which a rank sends and receives one message, or none.
  on.begin_round();
  /// Posts receive `number`, 0, 1, 2 … Requires: fewer than the window are pending.
  on.receive(number, message);
  /// Awaited: the oldest receive, which is that of the message, has arrived. Then it is taken.
  on.arrived(message);
  on.take(number, message);
  /// Awaited: there is room for a message. Then it is sent. Memory that it lies in stays as it
  /// is until nothing is lent.
  on.room(message);
  on.send(message);
  /// Tells whether memory of this rank may still be read. Awaited until it is not.
  { on.lends() } -> std::convertible_to<bool>;
  on.returned();
};

/// Slots of a transport with one pending receive, and of one with several.
template <class X> class one_slot {
 public:
  explicit one_slot(std::size_t /*window*/) noexcept {}
  [[nodiscard]] X& operator[](std::size_t /*number*/) noexcept { return only_; }

 private:
  X only_{};
};
template <class X> class many_slots {
 public:
  explicit many_slots(std::size_t window) : all_(window) {}
  [[nodiscard]] X& operator[](std::size_t number) noexcept { return all_[number % all_.size()]; }

 private:
  std::vector<X> all_;
};

}  // namespace pleat::schedule_engines
