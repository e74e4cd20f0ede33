// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/byte_buffer.hpp>

namespace pleat::mpi {

/// Size of an enclosure beside a message, and its alignment where it arrives.
struct extent {
  std::uint64_t alignment;
  std::uint64_t loan;  // its number, if it is read where it is; 0 if it travels, and then
  lent_block content;  // is only a size
  [[nodiscard]] std::size_t bytes() const noexcept {
    return content.count() * content.element_size;
  }
};

/// Beginning of a front. A front is what is sent first of each of our messages: how long ours is,
/// and ours itself if it is short. It goes through a ring that the ranks share, or is received by
/// MPI where MPI knows of the memory before it comes, so most of ours cost one message and no
/// search. What follows, if anything, are messages of MPI with the tag that the number of ours
/// gives: extents, if there are too many, the bytes, and what is beside them.
///
/// Fronts from one rank to another stay in order: those that find no room in the ring go through
/// MPI, after an empty message in the ring that says so, and the last of them says that the next
/// one goes through the ring.
struct front_head {
  static constexpr std::size_t most_extents = 8;

  std::uint64_t bytes;      // of our message
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
                   std::span<pleat::detail::byte_buffer* const> parts, const Put& put) {
  put(&head, sizeof head);
  put(extents.data(), head.extents_here() * sizeof(extent));
  if (head.has_bytes == 0) return;
  for (const pleat::detail::byte_buffer* const part : parts) put(part->begin(), part->size());
}

inline constexpr int front_tag = 1;
/// Tag of the messages that follow the `number`-th front from one rank to another.
[[nodiscard]] inline int tag_behind(std::uint64_t number) noexcept {
  return front_tag + 1 + static_cast<int>(number % 16384);  // every MPI has tags up to 32767
}

}  // namespace pleat::mpi
