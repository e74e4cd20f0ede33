// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>

#include "base/byte_stream.hpp"
#include "processes/link.hpp"

namespace pleat::detail {

/// Kind of a packet from one process to another.
enum class packet_kind : std::uint16_t {
  hello,     ///< a machine is made: the share of the sender
  welcome,   ///< process 0 answers with the shares of all
  trial,     ///< a message whose time is measured, and its answer
  cost,      ///< process 0 says what has been measured: a process_message_cost
  step,      ///< (exchange) the process has come to a barrier; `section`s of mail follow
  left,      ///< (exchange) the process will not come to this barrier again
  round,     ///< (exchange) a message of a barrier in rounds: mail that is forwarded
  mail,      ///< (exchange) mail at a barrier in rounds that is not forwarded: `section`s
  taken,     ///< (exchange) a leftover has arrived
  ring,      ///< (rings) messages, credits for those taken
  leftover,  ///< (exchange) messages of VPs that have ended: last arrivals, a section
  quiet,     ///< (end) no worker of the process can continue by itself
  probe,     ///< process 0 asks whether that still holds, and for numbers sent and received
  answer,
  ask_waits,  ///< process 0 asks where all VPs wait
  waits,
  settle,  ///< process 0 asks for credits for all messages taken, as some were not
  counts,  ///< (costs) messages of a part of a cluster across processes in a superstep
  parted,  ///< the process has destroyed its link: it makes no further machine
  gone,    ///< the process has destroyed its machine: it has no part in this and later runs
  done,    ///< all virtual processors of the process have ended
  failed,  ///< the run has failed in the process
  over,    ///< process 0 ends the run for all
};

/// Header of every packet.
struct packet_head {
  std::uint64_t run = 0;  // number of the run of the machine, from 1
  std::uint32_t v = 0;    // of the run
  packet_kind kind{};
  std::uint16_t label = 0;  // exchange: label of the cluster
  std::uint64_t first = 0;  // exchange: first of the cluster's VPs
  std::uint64_t epoch = 0;  // exchange: of the barrier, from 1; end: of the probe
};
static_assert(sizeof(packet_head) == 32);

/// Makes a packet that begins with this header.
[[nodiscard]] inline byte_buffer packet_of(const packet_head& head) {
  byte_buffer packet;
  byte_writer(packet).put(head);
  return packet;
}
/// Posts a copy of a packet.
inline void post_copy(link& by, std::size_t to, const byte_buffer& packet) {
  byte_buffer copy;
  std::memcpy(copy.append(packet.size()), packet.begin(), packet.size());
  by.post(to, copy);
}
/// Finds what follows the header of a packet.
[[nodiscard]] inline byte_reader content_of(const byte_buffer& packet) {
  byte_reader from(packet);
  from.skip(sizeof(packet_head));
  return from;
}

/// Format of messages between processes: the records as they are. The memory to which a record
/// refers follows it, padded to 8 bytes, or is sent beside the records, if it is long; a short
/// loan travels as the elements behind an `enclosed_shape`. All processes run the same program on
/// processors of the same kind, so values are sent as bytes.

/// Header of the records for one worker.
struct section {
  std::uint32_t worker;  // number among the workers of all processes
  std::uint32_t beside;  // number of buffers beside the message that belong to the records
  std::uint64_t bytes;   // of the records that follow
};

/// Least size, in bytes, of memory that is sent beside its record: without a copy from the sender's
/// block, and received into the receiver's block. Below this size, a message of its own costs more
/// time than copies.
inline constexpr std::size_t travels_beside = std::size_t{1} << 15;
/// Least length, in bytes, of lent rows that the link reads in place. Shorter rows are copied when
/// packed.
inline constexpr std::size_t long_row = 2048;
/// Greatest size, in bytes, of lent elements that stay in the receiver's record.
inline constexpr std::size_t most_enclosed = 1024;

/// Shape of lent memory whose elements follow it, packed.
struct enclosed_shape {
  std::uint16_t rows, columns;
  std::uint32_t element_size;
};

/// Copies lent memory, row by row, to contiguous memory.
PLEAT_API void copy_rows(const lent_block& view, std::byte* to);

/// Choice whether the link reads lent memory in place, or it is copied.
enum class packed_loans { stay, copied };

/// Appends a copy of the record and of the memory to which it refers; appends nothing if it throws.
/// A block of the record is used up: it is freed, or moved to `beside`.
/// Requires: the kind is inlined, block or lent; lent memory is not writable.
/// Throws: std::bad_alloc.
void pack_record(const record& r, packed_loans loans, byte_buffer& to,
                 std::vector<link::enclosure>& beside);

/// Appends the records in these bytes to the outbox. Each refers to memory of its own; `beside` are
/// the buffers that were sent beside the records, in order. Lent records become `enclosed`, if they
/// are short and need no more than the alignment of records, or `carried`. Throws:
/// std::bad_alloc; the outbox then has the records before the failure.
void unpack_records(const std::byte* first, const std::byte* last, byte_buffer* beside, outbox& to);

/// Serialise the cause of a failed run, for other processes to throw. An exception of the library
/// keeps its type, fields and text; types derived from std::bad_alloc become a std::bad_alloc; all
/// others become a run_error with the same text. The same holds for the cause inside a vp_failed,
/// but others become a std::runtime_error. If there is no memory, read_failure returns a
/// std::bad_alloc.
void write_failure(const std::exception_ptr& cause, byte_writer& to);
[[nodiscard]] std::exception_ptr read_failure(byte_reader& from) noexcept;

}  // namespace pleat::detail
