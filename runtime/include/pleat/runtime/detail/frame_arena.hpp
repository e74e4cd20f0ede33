// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <vector>

namespace pleat::detail {

/// Memory for the coroutine frames of one worker's virtual processors.
///
/// Frames are laid one behind the other in the order of their creation, which is the order of the
/// ranks, so that a superstep walks memory forwards. Freed frames go to a list per size, from which
/// nested tasks take theirs: a steady program allocates nothing. Frames over `largest` bytes are
/// taken from the allocator one by one.
///
/// Thread safety: none; the arena and all its frames belong to one thread at a time.
class frame_arena {
 public:
  frame_arena() = default;
  frame_arena(const frame_arena&) = delete;
  frame_arena& operator=(const frame_arena&) = delete;
  ~frame_arena();

  /// 16-byte aligned memory. Cost: a few instructions. Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    bytes = round_up(bytes);
    if (bytes > largest) return allocate_large(bytes);
    free_frame*& list = free_[bytes / granule];
    ++live_;
    if (list != nullptr) {
      void* frame = list;
      list = list->next;
      return frame;
    }
    if (bytes > static_cast<std::size_t>(limit_ - next_)) refill(bytes);
    void* frame = next_;
    next_ += bytes;
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

  /// Starts a run: with no frame alive, allocation begins again at the front of the kept blocks.
  void rewind() noexcept;
  /// Gives all blocks back. Requires that no frame is alive.
  void release() noexcept;
  [[nodiscard]] std::size_t live_frames() const noexcept { return live_; }

 private:
  struct free_frame {
    free_frame* next;
  };
  struct block {
    std::byte* first;
    std::size_t bytes;
  };
  static constexpr std::size_t granule = 16;
  static constexpr std::size_t largest = 2048;
  static constexpr std::size_t round_up(std::size_t bytes) {
    return (bytes + granule - 1) / granule * granule;
  }

  void refill(std::size_t bytes);
  static void* allocate_large(std::size_t bytes);
  static void deallocate_large(void* frame) noexcept;

  std::byte* next_ = nullptr;
  std::byte* limit_ = nullptr;
  std::size_t live_ = 0;
  std::array<free_frame*, largest / granule + 1> free_{};
  std::vector<block> blocks_;
  std::size_t used_blocks_ = 0;  // blocks_[0 … used_blocks_) have frames in them
};

/// What a thread is doing for Pleat: set while it is inside machine::run.
struct execution {
  frame_arena frames;
  void* finished_root = nullptr;  // the outermost coroutine that has just come to its end
  std::exception_ptr thrown;      // what ended the task that has just come to its end, if anything
};

[[noreturn]] void no_execution();

/// Null outside a run. One pointer, set and reset by machine::run; no other state is global.
inline thread_local constinit execution* current_execution = nullptr;

/// Frames live and die inside a run, on one thread. Throws usage_error outside.
[[nodiscard]] inline void* allocate_frame(std::size_t bytes) {
  if (current_execution == nullptr) [[unlikely]]
    no_execution();
  return current_execution->frames.allocate(bytes);
}
/// A frame that outlived its run goes when the machine does.
inline void deallocate_frame(void* frame, std::size_t bytes) noexcept {
  if (current_execution != nullptr) current_execution->frames.deallocate(frame, bytes);
}

}  // namespace pleat::detail
