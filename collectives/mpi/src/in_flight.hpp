// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mpi.h>
#include <vector>

#include "communicator.hpp"
#include "elements.hpp"
#include "failure.hpp"
#include "tally.hpp"

namespace pleat::preloaded {

/// Request that this library has started.
struct pending {
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

  MPI_Request request = MPI_REQUEST_NULL;
  std::size_t bytes = any;  ///< so many must come

  /// Throws: mpi_failure, also if fewer or more bytes came.
  void wait(const communicator& on);
  /// Cancels the request, unless its message has arrived, and waits for it.
  void abandon() noexcept;
};

/// Waits for a message from a rank, which stays to be received, and returns its bytes.
/// Throws: mpi_failure.
[[nodiscard]] std::size_t arriving_bytes(const communicator& on, std::uint32_t from);

/// Requests of one call that are pending and are waited for in the order they started, at most
/// `window` at a time. Made when messages may be sent, for which it waits. On unwinding, pending
/// ones are cancelled and waited for. Declare it after the buffers it uses. Throw: mpi_failure.
class in_flight {
 public:
  in_flight(const communicator& on, operation what, std::size_t window)
      : on_(on), what_(what), messages_(window) {
    on.prepare();
  }
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;
  ~in_flight() {
    for (; ended_ < begun_; ++ended_) messages_[ended_ % messages_.size()].abandon();
  }

  /// Waits for the oldest message if there are `window`: its buffer is free then.
  void make_room() {
    if (begun_ - ended_ == messages_.size()) wait_oldest();
  }
  void send(elements from, std::size_t count, std::uint32_t to) {
    const counted_type all(count, from.of().type);
    check(PMPI_Isend(from.buffer(), all.count(), all.type(), on_.place_of(to), on_.tag_of(to),
                     on_.own(), next(pending::any)));
    count_message(what_, count * from.of().size);
  }
  void receive(elements to, std::size_t count, std::uint32_t from) {
    const counted_type all(count, to.of().type);
    check(PMPI_Irecv(to.buffer(), all.count(), all.type(), on_.place_of(from), on_.own_tag(),
                     on_.own(), next(count * to.of().size)));
  }
  void wait_oldest() { messages_[ended_++ % messages_.size()].wait(on_); }
  void wait_all() {
    while (ended_ < begun_) wait_oldest();
  }

 private:
  MPI_Request* next(std::size_t bytes) {
    make_room();
    pending& message = messages_[begun_++ % messages_.size()];
    message = {MPI_REQUEST_NULL, bytes};
    return &message.request;
  }

  const communicator& on_;
  operation what_;
  std::vector<pending> messages_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace pleat::preloaded
