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

  /// Defers settling to the end of MPI, to which all ranks come.
  static void put_off(std::unique_ptr<traffic> what) noexcept;
  /// Settles all that were put off. Returns an MPI error code. Requires: all ranks do this.
  static int settle_those_put_off() noexcept;

 private:
  struct sending {
    front first;
    std::vector<extent> extents;
    std::vector<detail::byte_buffer> parts;
    std::vector<detail::link::enclosure> beside;
    std::vector<MPI_Request> requests;
  };
  /// Message behind a front that is being received.
  struct receiving {
    detail::link::arrival content;
    int tag = 0;
    std::vector<extent> extents;  // until there is memory for them
    std::vector<MPI_Request> requests;
    bool broken = false;  // a loan was taken back
  };
  void post_front(std::size_t to, const front::head& head,
                  std::span<detail::byte_buffer* const> parts);
  void free_what_is_sent();
  [[nodiscard]] std::optional<detail::link::arrival> take_front();
  [[nodiscard]] std::optional<detail::link::arrival> begin_message(front& from, std::size_t source);
  [[nodiscard]] std::optional<detail::link::arrival> go_on(front& from, std::size_t source);
  void receive_behind(front& from, const front::head& head, std::size_t source);
  void receive_beside(receiving& one);
  [[nodiscard]] bool has_come(receiving& one);
  [[nodiscard]] bool is_in_turn(const receiving& one) const;

  MPI_Comm comm_;
  neighbours neighbours_;
  fronts fronts_;
  std::list<sending> sendings_, spare_;
  std::vector<detail::byte_buffer> recycled_;    // for the bytes of short messages
  std::list<receiving> receivings_;              // in the order in which their fronts came
  std::vector<std::uint64_t> begun_, received_;  // [rank]: fronts, and whole messages
  // [rank]: messages sent in all, and what the rank says when it leaves
  std::vector<std::uint64_t> ours_, theirs_;
  /// The last message begun, if it comes in several fronts and not all have come.
  struct unfinished {
    detail::byte_buffer bytes;
    std::size_t missing = 0;
  };
  std::vector<unfinished> unfinished_;  // [rank]
  MPI_Request leaving_ = MPI_REQUEST_NULL;
  bool all_leave_ = false;
  int number_;
  std::unique_ptr<traffic> next_;  // of those put off
};

}  // namespace pleat::mpi
