// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/detail/outbox.hpp>

#include "processes/link.hpp"

namespace pleat::detail {

/// Messages between processes, as bytes: the records as they are, and behind a record that refers
/// to memory what is in that memory, padded to 8 bytes; or beside them, if that is long. All
/// processes run the same program on processors of the same kind, so a value is its bytes.

/// Header of the records for one worker.
struct section {
  std::uint64_t worker;  // among those of all processes
  std::uint64_t bytes;   // of the records behind this
  std::uint64_t beside;  // how many of what is beside the message belong to them
};

/// Least size, in bytes, of memory referred to by a record that travels beside it: a block of the
/// sender's as it is, and what is received is the receiver's block. Below, a message of its own
/// costs more time than copies.
inline constexpr std::size_t travels_beside = std::size_t{1} << 15;
/// Least length, in bytes, of lent rows that are left where they are, for the link to read. Shorter
/// rows are copied when packed.
inline constexpr std::size_t long_row = 2048;

/// Copies what is lent, row by row, to memory for all of it.
PLEAT_API void copy_rows(const lent_block& view, std::byte* to);

/// Choice of whether the memory that a record lends stays where it is until the receiver has it.
enum class packed_loans { stay, copied };

/// Appends a copy of the record and of all that it refers to. All of it, or nothing if it throws.
/// Its block, if it has one, is spent afterwards: freed, or beside.
/// Requires: not writable, if it is lent; kind inlined, block or lent.
/// Throws: std::bad_alloc.
PLEAT_API void pack_record(const record& r, packed_loans loans, byte_buffer& to,
                           std::vector<link::enclosure>& beside);

/// Appends the records in these bytes to the outbox, each with memory of its own for what it refers
/// to; `beside` are those that travelled beside them, in their order. What was lent is `carried`
/// from here on. Throws: std::bad_alloc; the outbox has those that came before.
PLEAT_API void unpack_records(const std::byte* first, const std::byte* last, byte_buffer* beside,
                              outbox& to);

}  // namespace pleat::detail
