// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/channels/slot.hpp>

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

/// The first message of MPI for each of ours: how long ours is, and ours itself if it is short. It
/// is received where MPI knows of the memory before it comes, so most of ours cost one message and
/// no search. What follows, if anything, has the tag of its own that the number of ours gives:
/// extents, if there are too many, the bytes, and what is beside them.
class front {
 public:
  static constexpr int tag = 1;
  static constexpr std::size_t most_extents = 8;

  /// Header in a front.
  struct head {
    std::uint64_t bytes;   // of our message
    std::uint64_t beside;  // extents: in here, if they are no more than most_extents
    [[nodiscard]] bool has_extents() const noexcept { return beside <= most_extents; }
    /// Tells whether the message's bytes are in the front.
    [[nodiscard]] bool has_bytes() const noexcept {
      return bytes <= size - sizeof(head) - most_extents * sizeof(extent);
    }
    [[nodiscard]] bool is_all() const noexcept { return beside == 0 && has_bytes(); }
  };

  /// Tag of the messages that follow the `number`-th one from one rank to another.
  static int tag_behind(std::uint64_t number) noexcept {
    return tag + 1 + static_cast<int>(number % 16384);  // every MPI has tags up to 32767
  }

  void clear() noexcept { end_ = 0; }
  void put(const void* data, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(memory_.data() + end_, data, bytes);
    end_ += bytes;
  }
  void get(void* data, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(data, memory_.data() + end_, bytes);
    end_ += bytes;
  }
  [[nodiscard]] std::size_t position() const noexcept { return end_; }
  [[nodiscard]] std::byte* memory() noexcept { return memory_.data(); }

  static constexpr std::size_t size = 16384;
  /// One that is all of our message comes in messages of MPI of so many bytes, one behind the
  /// other. Through the memory of a node Open MPI sends 4 KiB at once, without asking the receiver,
  /// and several of these cost less than asking; between nodes one costs less than several.
  [[nodiscard]] static constexpr std::size_t most_at_once(bool on_node) noexcept {
    return on_node ? 4032 : size;
  }

 private:
  alignas(64) std::array<std::byte, size> memory_;
  std::size_t end_ = 0;
};

}  // namespace pleat::mpi
