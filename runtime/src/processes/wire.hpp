// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>

#include "processes/link.hpp"

namespace pleat::detail {

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

}  // namespace pleat::detail
