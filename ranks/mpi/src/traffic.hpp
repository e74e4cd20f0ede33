// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mpi.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/byte_buffer.hpp>

#include "node_rings.hpp"
#include "processes/link.hpp"

namespace pleat::mpi {

using detail::byte_buffer;

/// One message made of memory in several places. It may be longer than MPI's counts, which are
/// ints.
class pieces {
 public:
  pieces() = default;
  pieces(pieces&& other) noexcept
      : addresses_(std::move(other.addresses_)),
        lengths_(std::move(other.lengths_)),
        type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  pieces& operator=(pieces&&) = delete;
  ~pieces() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

  void add(std::byte* first, std::size_t bytes) {
    while (bytes != 0) {
      const std::size_t some = std::min(bytes, largest);
      addresses_.push_back(first);
      lengths_.push_back(static_cast<int>(some));
      first += some;
      bytes -= some;
    }
  }
  [[nodiscard]] bool empty() const noexcept { return lengths_.empty(); }

  /// Completes the request. Neither send nor receive throw afterwards.
  void complete() {
    if (lengths_.size() < 2) return;
    std::vector<MPI_Aint> from_bottom(addresses_.size());
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      MPI_Get_address(addresses_[i], &from_bottom[i]);
    MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), from_bottom.data(),
                             MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  /// Requires: complete, and not empty.
  void send(int to, int tag, MPI_Comm comm, MPI_Request* request) const noexcept {
    if (type_ == MPI_DATATYPE_NULL)
      MPI_Isend(addresses_[0], lengths_[0], MPI_BYTE, to, tag, comm, request);
    else
      MPI_Isend(MPI_BOTTOM, 1, type_, to, tag, comm, request);
  }
  void receive(int from, int tag, MPI_Comm comm, MPI_Request* request) const noexcept {
    if (type_ == MPI_DATATYPE_NULL)
      MPI_Irecv(addresses_[0], lengths_[0], MPI_BYTE, from, tag, comm, request);
    else
      MPI_Irecv(MPI_BOTTOM, 1, type_, from, tag, comm, request);
  }

 private:
  static constexpr std::size_t largest = std::size_t{1} << 30;

  std::vector<std::byte*> addresses_;
  std::vector<int> lengths_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Size of an enclosure beside a message, and its alignment where it arrives.
struct extent {
  std::uint64_t alignment;
  std::uint64_t loan;  // its number, if it is read where it is; 0 if it travels, and then
  lent_block content;  // is only a size
  [[nodiscard]] std::size_t bytes() const noexcept {
    return content.count() * content.element_size;
  }
};

/// Beginning of a front. A front is sent first of each message of a link: it has the message's
/// length, and the message itself if that is short. It goes through a ring that the ranks share, or
/// is received by MPI where MPI knows of the memory before it comes, so most messages of a link
/// cost one of MPI and no search. What follows, if anything, are messages of MPI with the tag that
/// the message's number gives: extents, if there are too many, the bytes, and what is beside them.
///
/// Fronts from one rank to another stay in order: those that find no room in the ring go through
/// MPI, after an empty message in the ring that says so, and the last of them says that the next
/// one goes through the ring.
struct front_head {
  static constexpr std::size_t most_extents = 8;

  std::uint64_t bytes;      // of the message
  std::uint32_t beside;     // extents: in the front, if they are no more than most_extents
  std::uint16_t has_bytes;  // 1: the message's bytes are in the front
  std::uint16_t ring_next;  // 1: the next front goes through the ring

  [[nodiscard]] bool has_extents() const noexcept { return beside <= most_extents; }
  [[nodiscard]] bool is_all() const noexcept { return beside == 0 && has_bytes != 0; }
  [[nodiscard]] std::size_t extents_here() const noexcept { return has_extents() ? beside : 0; }
  /// Number of bytes of the front behind this.
  [[nodiscard]] std::size_t behind() const noexcept {
    return extents_here() * sizeof(extent) + (has_bytes != 0 ? static_cast<std::size_t>(bytes) : 0);
  }
};

/// Most bytes of a front that MPI takes.
inline constexpr std::size_t most_of_front = 16384;

/// Makes the head of a message whose front may have `most` bytes.
[[nodiscard]] inline front_head head_of(std::size_t bytes, std::size_t beside,
                                        std::size_t most) noexcept {
  const std::size_t others = sizeof(front_head) + front_head::most_extents * sizeof(extent);
  const bool has_bytes = bytes + others <= most;
  return {bytes, static_cast<std::uint32_t>(beside), static_cast<std::uint16_t>(has_bytes), 0};
}

/// Hands the parts of a front, in order, to put(data, bytes).
template <class Put>
void compose_front(const front_head& head, std::span<const extent> extents,
                   std::span<byte_buffer* const> parts, const Put& put) {
  put(&head, sizeof head);
  put(extents.data(), head.extents_here() * sizeof(extent));
  if (head.has_bytes == 0) return;
  for (const byte_buffer* const part : parts) put(part->begin(), part->size());
}

inline constexpr int front_tag = 1;
/// Tag of the messages that follow the `number`-th front from one rank to another.
[[nodiscard]] inline int tag_behind(std::uint64_t number) noexcept {
  return front_tag + 1 + static_cast<int>(number % 16384);  // every MPI has tags up to 32767
}

/// Receives fronts by MPI from any rank, in the order in which they come: MPI gives them to the
/// requests in the order in which those were made, and we look at the oldest.
class fronts {
 public:
  explicit fronts(MPI_Comm comm) {
    for (place& one : places_) {
      MPI_Recv_init(one.content.data(), static_cast<int>(most_of_front), MPI_BYTE, MPI_ANY_SOURCE,
                    front_tag, comm, &one.request);
      MPI_Start(&one.request);
    }
  }
  fronts(const fronts&) = delete;
  fronts& operator=(const fronts&) = delete;
  /// Cancels what is pending before MPI ends, if nothing comes any more.
  void cancel() {
    for (place& one : places_) {
      if (!one.here) {
        MPI_Cancel(&one.request);
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&one.request);
    }
  }

  /// The next that has come, or null. It stays until it is taken().
  [[nodiscard]] const std::byte* poll() {
    place& one = places_[next_];
    if (!one.here) {
      int done = 0;
      MPI_Status status;
      MPI_Test(&one.request, &done, &status);
      if (done == 0) return nullptr;
      one.here = true;
      one.from = static_cast<std::size_t>(status.MPI_SOURCE);
    }
    return one.content.data();
  }
  [[nodiscard]] std::size_t source() const noexcept { return places_[next_].from; }
  void taken() {
    places_[next_].here = false;
    MPI_Start(&places_[next_].request);
    next_ = (next_ + 1) % places_.size();
  }

 private:
  struct place {
    alignas(64) std::array<std::byte, most_of_front> content;
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t from = 0;
    bool here = false;
  };
  std::array<place, 8> places_;
  std::size_t next_ = 0;
};

using arrival = detail::link::arrival;
using enclosure = detail::link::enclosure;

/// A link by messages of MPI: sends that do not wait, and receives that do not wait either, so that
/// a large message whose sender computes keeps nobody. It has the memory of the messages that are
/// under way, and is freed when none is any more, and not before: it outlives the machines that use
/// it, one after the other.
class traffic final : public detail::link {
 public:
  /// `own` is freed with it; `node`, `reads`: see node_rings; `number` tells it from others of the
  /// same processes. Collective.
  traffic(MPI_Comm own, MPI_Comm node, bool reads, int number);
  /// Requires: settled(), or that MPI has ended.
  ~traffic() override;

  [[nodiscard]] int number() const noexcept { return number_; }

  void enter() override;
  [[nodiscard]] bool is_open() const noexcept override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized == 0;
  }
  using link::post;
  void post(std::size_t to, std::span<byte_buffer* const> parts,
            std::span<enclosure> beside) override;
  void take_back_loans() noexcept override { rings_.take_back(); }
  [[nodiscard]] std::optional<arrival> poll() override;
  void recycle(arrival&& from) noexcept override;

  /// Announces, without waiting for the others, that this rank posts nothing more.
  void begin_to_leave() noexcept;
  /// Receives and drops messages. Returns whether all ranks have begun to leave, all that was
  /// sent to this rank has come, and all it has sent is gone. Does not wait. Requires: it has begun
  /// to leave. Throws: std::bad_alloc.
  [[nodiscard]] bool settled();
  /// Makes it ready for the next machine. Requires: settled().
  void begin_again() noexcept;

  /// Defers settling to the end of MPI, to which all ranks come. Thread safety: any number of
  /// threads, each with traffic of its own.
  static void put_off(std::unique_ptr<traffic> what) noexcept;
  /// Settles all that were put off. Returns an MPI error code. Requires: all ranks do this.
  static int settle_those_put_off() noexcept;

 private:
  struct sending {
    std::vector<std::byte> front;  // if MPI sends it
    std::vector<extent> extents;
    std::vector<byte_buffer> parts;
    std::vector<enclosure> beside;
    std::vector<MPI_Request> requests;

    /// Makes it empty, for another message.
    void begin() noexcept;
    /// Makes the front, with the extents. Throws: std::bad_alloc.
    void compose(const front_head& head, std::span<byte_buffer* const> from);
  };
  /// Message behind a front that is being received.
  struct receiving {
    arrival content;
    int tag = 0;
    std::vector<extent> extents;  // until there is memory for them
    std::vector<MPI_Request> requests;
    bool broken = false;  // a loan was taken back
  };
  void post(std::size_t to, const front_head& head, ring_sender* ring,
            std::span<byte_buffer* const> parts, std::span<enclosure> beside);
  [[nodiscard]] static bool is_gone(sending& one);
  void free_what_is_sent();
  [[nodiscard]] std::optional<arrival> take_front();
  /// The front of which this process has received some slots of a ring, but not all.
  struct begun_front {
    front_head head;
    byte_buffer rest;
    std::size_t missing = 0;
  };
  [[nodiscard]] std::optional<arrival> take_slot(node_rings::incoming& from, begun_front& last);
  [[nodiscard]] byte_buffer memory_for(std::size_t bytes);
  [[nodiscard]] std::optional<arrival> begin_message(std::size_t source, const front_head& head,
                                                     byte_buffer&& behind);
  void receive_behind(std::size_t source, const front_head& head, const std::byte* behind);
  void receive_beside(receiving& one);
  [[nodiscard]] bool has_come(receiving& one);
  [[nodiscard]] bool is_in_turn(const receiving& one) const;

  MPI_Comm comm_;
  node_rings rings_;
  std::vector<begun_front> begun_fronts_;  // as rings_.from_others()
  std::size_t next_ring_ = 0;              // the one that is looked at first
  fronts fronts_;
  std::size_t by_mpi_;  // number of ranks whose next front comes through MPI
  bool mpi_sends_ = false;
  std::uint32_t polls_ = 0;  // in which MPI was not called for a front
  std::list<sending> sendings_, spare_;
  std::vector<byte_buffer> recycled_;            // for the bytes of short messages
  std::list<receiving> receivings_;              // in the order in which their fronts came
  std::vector<std::uint64_t> begun_, received_;  // [rank]: fronts, and whole messages
  // [rank]: messages sent in all, and what the rank says when it leaves
  std::vector<std::uint64_t> ours_, theirs_;
  MPI_Request leaving_ = MPI_REQUEST_NULL;
  bool all_leave_ = false;
  int number_;
  std::unique_ptr<traffic> next_;  // of those put off
};

}  // namespace pleat::mpi
