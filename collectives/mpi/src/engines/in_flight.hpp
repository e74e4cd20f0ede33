// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mpi.h>
#include <span>
#include <vector>

#include "communicator/communicator.hpp"
#include "data/elements.hpp"
#include "errors/errors.hpp"
#include "settings/tally.hpp"

namespace pleat::preloaded {

/// Awaits a message from a rank, which stays to be received, and returns its bytes:
/// `co_await arriving(on, from)`. Throws: mpi_failure.
class arriving {
 public:
  arriving(communicator& on, std::uint32_t from) noexcept : on_(&on), from_(from) {}

  [[nodiscard]] bool await_ready() noexcept { return on_->waits_alone() || is_over(); }
  void await_suspend(std::coroutine_handle<> where) noexcept { on_->suspend(where, *this); }
  [[nodiscard]] std::size_t await_resume();
  /// Tells whether the message is there, or the MPI has an error.
  [[nodiscard]] bool is_over() noexcept;

 private:
  communicator* on_;
  std::uint32_t from_;
  int code_ = MPI_SUCCESS;
  int here_ = 0;
  MPI_Status status_{};
};

/// Requests of one call that are pending and are waited for in the order they started, at most
/// `window` at a time. On unwinding, pending ones are cancelled and waited for. Declare it after
/// the buffers it uses. Throw: mpi_failure.
class in_flight {
  class ended;

 public:
  in_flight(communicator& on, operation what, std::size_t window)
      : on_(on), what_(what), many_(window > few_.size() ? window : 0) {
    messages_ = many_.empty() ? std::span(few_).first(window) : std::span(many_);
    on.prepare();
  }
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;
  ~in_flight();

  /// Begins a message. Requires: room.
  void send(elements from, std::size_t count, std::uint32_t to) {
    const counted_type all(count, from.of().type);
    check(PMPI_Isend(from.buffer(), all.count(), all.type(), on_.place_of(to), on_.tag_of(to),
                     on_.own(), next(any)));
    count_message(what_, count * from.of().size);
  }
  void receive(elements to, std::size_t count, std::uint32_t from) {
    const counted_type all(count, to.of().type);
    check(PMPI_Irecv(to.buffer(), all.count(), all.type(), on_.place_of(from), on_.own_tag(),
                     on_.own(), next(count * to.of().size)));
  }

  [[nodiscard]] bool are_pending() const noexcept { return ended_ < begun_; }
  // Awaited: `co_await messages.oldest()`. Throw: mpi_failure, also if fewer or more bytes came.
  [[nodiscard]] ended oldest() noexcept;
  [[nodiscard]] ended all() noexcept;
  /// Waits for the oldest message if there are `window`: its buffer is free then.
  [[nodiscard]] ended room() noexcept;

 private:
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  struct pending {
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t bytes = any;  // so many must come
  };

  /// Awaits the end of the first `number` messages.
  class ended {
   public:
    ended(in_flight& of, std::size_t number) noexcept : of_(&of), number_(number) {}
    [[nodiscard]] bool await_ready() noexcept { return of_->on_.waits_alone() || is_over(); }
    void await_suspend(std::coroutine_handle<> where) noexcept { of_->on_.suspend(where, *this); }
    void await_resume() {
      while (of_->ended_ < number_) of_->end_oldest();
    }
    [[nodiscard]] bool is_over() noexcept { return of_->are_complete(number_); }

   private:
    in_flight* of_;
    std::size_t number_;
  };

  [[nodiscard]] pending& message(std::size_t i) noexcept { return messages_[i % messages_.size()]; }
  MPI_Request* next(std::size_t bytes) noexcept {
    pending& made = message(begun_++);
    made = {MPI_REQUEST_NULL, bytes};
    return &made.request;
  }
  [[nodiscard]] bool are_complete(std::size_t number) noexcept;
  void end_oldest();

  communicator& on_;
  operation what_;
  std::array<pending, 8> few_;  // spares small calls an allocation
  std::vector<pending> many_;
  std::span<pending> messages_;  // one of both
  std::size_t begun_ = 0;
  std::size_t complete_ = 0;  // so many were found to be
  std::size_t ended_ = 0;
};

inline in_flight::ended in_flight::oldest() noexcept { return {*this, ended_ + 1}; }
inline in_flight::ended in_flight::all() noexcept { return {*this, begun_}; }
inline in_flight::ended in_flight::room() noexcept {
  return {*this, begun_ - ended_ == messages_.size() ? ended_ + 1 : ended_};
}

}  // namespace pleat::preloaded
