// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mpi.h>
#include <optional>
#include <span>
#include <vector>

#include "front.hpp"
#include "fronts.hpp"
#include "neighbours.hpp"
#include "node_rings.hpp"
#include "processes/link.hpp"

namespace pleat::mpi {

/// The messages of one link that are under way, and their memory. It is freed when no message is
/// under way any more, and not before: it may outlive its link.
class traffic {
 public:
  /// `own` is freed with it; `node`, `reads`: see neighbours; `number` tells it from others of the
  /// same processes. Collective.
  traffic(MPI_Comm own, MPI_Comm node, bool reads, int number);
  traffic(const traffic&) = delete;
  traffic& operator=(const traffic&) = delete;
  /// Requires: settled(), or that MPI has ended.
  ~traffic();

  [[nodiscard]] MPI_Comm processes() const noexcept { return comm_; }
  [[nodiscard]] int number() const noexcept { return number_; }

  void post(std::size_t to, std::span<detail::byte_buffer* const> parts,
            std::span<detail::link::enclosure> beside);
  void take_back_loans() noexcept { neighbours_.take_back(); }
  [[nodiscard]] std::optional<detail::link::arrival> poll();
  void recycle(detail::link::arrival&& from) noexcept;

  /// Announces, without waiting for the others, that this rank posts nothing more.
  void begin_to_leave() noexcept;
  /// Takes what is not wanted any more. Returns whether all ranks have begun to leave, all that was
  /// sent to this rank has come, and all it has sent is gone. Does not wait. Requires: it has begun
  /// to leave. Throws: std::bad_alloc.
  [[nodiscard]] bool settled();
  /// Makes it ready for another link. Requires: settled().
  void begin_again() noexcept;

  /// Cost of its messages, kept for the next link.
  std::optional<detail::process_message_cost> cost;

  /// Defers settling to the end of MPI, to which all ranks come. Thread safety: any number of
  /// threads, each with traffic of its own.
  static void put_off(std::unique_ptr<traffic> what) noexcept;
  /// Settles all that were put off. Returns an MPI error code. Requires: all ranks do this.
  static int settle_those_put_off() noexcept;

 private:
  struct sending {
    std::vector<std::byte> front;  // if MPI sends it
    std::vector<extent> extents;
    std::vector<detail::byte_buffer> parts;
    std::vector<detail::link::enclosure> beside;
    std::vector<MPI_Request> requests;

    /// Makes it empty, for another message.
    void begin() noexcept;
    /// Makes the front, with the extents. Throws: std::bad_alloc.
    void compose(const front_head& head, std::span<detail::byte_buffer* const> from);
  };
  /// Message behind a front that is being received.
  struct receiving {
    detail::link::arrival content;
    int tag = 0;
    std::vector<extent> extents;  // until there is memory for them
    std::vector<MPI_Request> requests;
    bool broken = false;  // a loan was taken back
  };
  void post(std::size_t to, const front_head& head, ring_sender* ring,
            std::span<detail::byte_buffer* const> parts, std::span<detail::link::enclosure> beside);
  [[nodiscard]] static bool is_gone(sending& one);
  void free_what_is_sent();
  [[nodiscard]] std::optional<detail::link::arrival> take_front();
  /// The front of which this process has received some slots of a ring, but not all.
  struct begun_front {
    front_head head;
    detail::byte_buffer rest;
    std::size_t missing = 0;
  };
  [[nodiscard]] std::optional<detail::link::arrival> take_slot(node_rings::incoming& from,
                                                               begun_front& last);
  [[nodiscard]] detail::byte_buffer memory_for(std::size_t bytes);
  [[nodiscard]] std::optional<detail::link::arrival> begin_message(std::size_t source,
                                                                   const front_head& head,
                                                                   const std::byte* behind);
  [[nodiscard]] std::optional<detail::link::arrival> begin_message(std::size_t source,
                                                                   const front_head& head,
                                                                   detail::byte_buffer&& behind);
  void receive_behind(std::size_t source, const front_head& head, const std::byte* behind);
  void receive_beside(receiving& one);
  [[nodiscard]] bool has_come(receiving& one);
  [[nodiscard]] bool is_in_turn(const receiving& one) const;

  MPI_Comm comm_;
  node_rings rings_;
  neighbours neighbours_;
  std::vector<begun_front> begun_fronts_;  // as rings_.from_others()
  std::size_t next_ring_ = 0;              // the one that is looked at first
  fronts fronts_;
  std::size_t by_mpi_;  // number of ranks whose next front comes through MPI
  bool mpi_sends_ = false;
  std::uint32_t polls_ = 0;  // in which MPI was not called for a front
  std::list<sending> sendings_, spare_;
  std::vector<detail::byte_buffer> recycled_;    // for the bytes of short messages
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
