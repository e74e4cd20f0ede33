// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <utility>

#include "engines/in_flight.hpp"
#include "running/task.hpp"
#include "schedule_engines/transport.hpp"

namespace pleat::preloaded {

/// Memory of a message, which grows and does not keep its contents.
class staged_message {
 public:
  [[nodiscard]] std::byte* of(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

/// Transport of a rank of an MPI. Messages that do not lie in one piece are staged. The data also
/// has the operation, `what`, whose window it is.
template <class Data> class rank_transport {
 public:
  using task = preloaded::task;
  using place = communicator;
  using data = Data;
  template <class X> using slots = schedule_engines::many_slots<X>;

  rank_transport(communicator& on, Data moved)
      : moved_(std::move(moved)),
        window_(on.chosen().window(moved_.what)),
        staged_in_(window_),
        staged_out_(window_),
        receives_(on, moved_.what, window_),
        sends_(on, moved_.what, window_) {}

  [[nodiscard]] Data& moved() noexcept { return moved_; }
  [[nodiscard]] std::size_t window() const noexcept { return window_; }
  [[nodiscard]] static std::suspend_never agreed() noexcept { return {}; }
  static void begin_round() noexcept {}
  template <class Message> void receive(std::size_t number, const Message& message) {
    receives_.receive(elements::of_bytes(arrival(number, message)), message.bytes(),
                      message.peer());
  }
  template <class Message> [[nodiscard]] auto arrived(const Message& /*message*/) noexcept {
    return receives_.oldest();
  }
  template <class Message> void take(std::size_t number, const Message& message) {
    message.take(arrival(number, message));
  }
  template <class Message> [[nodiscard]] auto room(const Message& /*message*/) noexcept {
    return sends_.room();
  }
  template <class Message> void send(const Message& message) {
    const std::byte* here = message.memory();
    if (here == nullptr) {
      std::byte* const packed = staged_out_[sent_++].of(message.bytes());
      message.pack(packed);
      here = packed;
    }
    sends_.send(elements::of_bytes(here), message.bytes(), message.peer());
  }
  [[nodiscard]] bool lends() const noexcept { return sends_.are_pending(); }
  [[nodiscard]] auto returned() noexcept { return sends_.all(); }

 private:
  template <class Message>
  [[nodiscard]] const std::byte* arrival(std::size_t number, const Message& message) {
    return message.memory() != nullptr ? message.memory() : staged_in_[number].of(message.bytes());
  }

  // Messages are the last members: they end before the memory that they use.
  Data moved_;
  std::size_t window_;
  slots<staged_message> staged_in_, staged_out_;
  std::size_t sent_ = 0;  // staged
  in_flight receives_, sends_;
};

}  // namespace pleat::preloaded
