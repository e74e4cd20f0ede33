// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <span>
#include <vector>

namespace pleat::detail {

struct execution;

/// Blocks in which an arena places frames, and the number of those that have outlived their run.
struct frame_blocks {
  std::vector<std::span<std::byte>> all;
  std::size_t outlived = 0;
};

/// Memory for the coroutine frames of one worker's virtual processors.
///
/// Frames are placed one behind the other in the order of their creation, which is the order of the
/// ranks, so that a superstep accesses memory in ascending order. Freed frames go to a list per
/// size, from which nested tasks take their frames: in a steady state a program allocates nothing.
/// Frames of more than `largest` bytes come from the allocator, and are not counted.
///
/// Invariant: between two runs no frame is alive. The blocks of frames that outlive their run leave
/// the arena at its end, and the process frees them with the last of these frames.
///
/// The compiler does not pass the alignment of a frame, but the size is a multiple of it. So a
/// frame is aligned to the largest power of two that divides its size, `most_aligned` at most.
///
/// Thread safety: none; the arena and all its frames belong to one thread at a time.
class PLEAT_API frame_arena {
 public:
  frame_arena() = default;
  frame_arena(const frame_arena&) = delete;
  frame_arena& operator=(const frame_arena&) = delete;
  ~frame_arena();

  static constexpr std::size_t most_aligned = 128;

  /// Returns memory aligned as its size requires, at least to 16 bytes. Cost: a few instructions.
  /// Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    bytes = round_up(bytes);
    if (bytes > largest) return allocate_large(bytes);
    free_frame*& list = free_[bytes / granule];
    if (list != nullptr) {
      void* frame = list;
      list = list->next;
      ++live_;
      return frame;
    }
    const std::size_t gap = -reinterpret_cast<std::uintptr_t>(next_) & (alignment_of(bytes) - 1);
    if (gap + bytes > static_cast<std::size_t>(limit_ - next_))
      return allocate_in_next_block(bytes);
    void* frame = next_ + gap;
    next_ += gap + bytes;
    ++live_;
    return frame;
  }
  void deallocate(void* frame, std::size_t bytes) noexcept {
    bytes = round_up(bytes);
    if (bytes > largest) return deallocate_large(frame);
    auto* node = static_cast<free_frame*>(frame);
    node->next = free_[bytes / granule];
    free_[bytes / granule] = node;
    --live_;
  }

  /// Destroys the coroutine at `frame` and keeps its memory, which deallocate then frees. Returns
  /// the number of bytes to pass to it; 0 if the memory is a part of another frame.
  std::size_t destroy_and_keep(void* frame) noexcept;

  /// Ends a run: allocation begins again at the front of the kept blocks; at the front of new ones
  /// if frames outlive the run.
  void rewind() noexcept;
  /// Frees a frame that may have outlived its run. `run` is that of the calling thread, or null. A
  /// child does not free frames of its parent.
  static void deallocate_outlived(execution* run, void* frame, std::size_t bytes) noexcept;
  /// Sets whether future blocks are on the smallest pages.
  void use_small_pages(bool small) noexcept { small_pages_ = small; }
  /// Calls take(memory) for each block.
  template <class Take> void for_each_memory(Take&& take) const {
    for (const frame_blocks& blocks : blocks_)
      for (const std::span<const std::byte> b : blocks.all) take(b);
  }
  /// Frees all blocks, between two runs.
  void release() noexcept;
  [[nodiscard]] std::size_t live_frames() const noexcept { return live_; }

 private:
  struct free_frame {
    free_frame* next;
  };
  static constexpr std::size_t granule = 16;
  static constexpr std::size_t largest = 2048;
  static constexpr std::size_t round_up(std::size_t bytes) {
    return (bytes + granule - 1) / granule * granule;
  }

  static constexpr std::size_t alignment_of(std::size_t bytes) {
    return std::min(bytes & -bytes, most_aligned);
  }

  void* allocate_in_next_block(std::size_t bytes);
  static void* allocate_large(std::size_t bytes);
  void deallocate_large(void* frame) noexcept;

  std::byte* next_ = nullptr;
  std::byte* limit_ = nullptr;
  std::size_t live_ = 0;
  std::array<free_frame*, largest / granule + 1> free_{};
  // One element, or none before the first frame; a list, because its node can change its owner.
  std::list<frame_blocks> blocks_;
  void* hold_back_ = nullptr;  // large frame whose memory is kept when it is freed
  bool small_pages_ = false;
  std::size_t used_blocks_ = 0;  // number of blocks that have frames in them
};

/// State of a thread while it is inside machine::run.
struct execution {
  frame_arena frames;
  void* finished_root = nullptr;  // the outermost coroutine that has just ended
  std::coroutine_handle<> next;   // to be resumed when the running one returns
  std::exception_ptr thrown;      // exception that ended the last task, if any
};

[[noreturn]] PLEAT_API void no_execution();

/// Null outside a run. One pointer, set and reset by machine::run.
PLEAT_API inline thread_local constinit execution* current_execution = nullptr;

/// Number of frames that have outlived their run, in this process and, before the fork, its parent.
PLEAT_API inline constinit std::atomic<std::size_t> outlived_frames = 0;

/// Allocates a frame for a coroutine of the calling thread's run. Throws usage_error outside a run.
[[nodiscard]] inline void* allocate_frame(std::size_t bytes) {
  if (current_execution == nullptr) [[unlikely]]
    no_execution();
  return current_execution->frames.allocate(bytes);
}
/// Frees a frame, inside its run or later.
inline void deallocate_frame(void* frame, std::size_t bytes) noexcept {
  // relaxed: who frees a frame that has outlived its run has learned of the end of that run
  if (current_execution == nullptr || outlived_frames.load(std::memory_order_relaxed) != 0)
      [[unlikely]]
    return frame_arena::deallocate_outlived(current_execution, frame, bytes);
  current_execution->frames.deallocate(frame, bytes);
}

}  // namespace pleat::detail
