// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <new>
#include <sys/types.h>
#include <utility>

#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>

#include "memory/pages.hpp"

namespace pleat::detail {

namespace {

constexpr std::size_t smallest_block = std::size_t{64} << 10;
constexpr std::size_t largest_block = std::size_t{32} << 20;

bool contains(const frame_blocks& blocks, const void* frame) noexcept {
  return std::ranges::any_of(blocks.all, [frame](std::span<const std::byte> b) {
    const auto first = reinterpret_cast<std::uintptr_t>(b.data());
    return reinterpret_cast<std::uintptr_t>(frame) - first < b.size();
  });
}

void unmap(const frame_blocks& blocks) noexcept {
  for (const std::span<std::byte> b : blocks.all) unmap_pages(b.data(), b.size());
}

/// Frees a frame that came from the allocator. In front of the frame is the id of the process that
/// allocated it, because a forked child does not free frames of its parent.
void free_large(void* frame) noexcept {
  void* const memory = static_cast<std::byte*>(frame) - frame_arena::most_aligned;
  if (*static_cast<const pid_t*>(memory) == this_process()) give_back_memory(memory);
}

/// Blocks of the frames that have outlived their run. Thread-safe.
class outlived_blocks {
 public:
  void add(std::list<frame_blocks>& blocks, std::size_t frames) noexcept {
    const std::lock_guard alone(mutex_);
    blocks.front().outlived = frames;
    blocks_.splice(blocks_.end(), blocks);
    outlived_frames.fetch_add(frames, std::memory_order_relaxed);
  }
  /// Records that a frame was freed, and unmaps blocks after their last one. Ignores other frames.
  void remove(const void* frame) noexcept {
    const std::lock_guard alone(mutex_);
    const auto in = std::ranges::find_if(
        blocks_, [frame](const frame_blocks& blocks) { return contains(blocks, frame); });
    if (in == blocks_.end()) return;
    outlived_frames.fetch_sub(1, std::memory_order_relaxed);
    if (--in->outlived != 0) return;
    unmap(*in);
    blocks_.erase(in);
  }

 private:
  std::mutex mutex_;
  std::list<frame_blocks> blocks_;
};
constinit each_process<outlived_blocks> outlived;

}  // namespace

frame_arena::~frame_arena() { release(); }

void* frame_arena::allocate_in_next_block(std::size_t bytes) {
  if (blocks_.empty()) {
    static_cast<void>(outlived.get());  // may throw here, but not in rewind
    blocks_.emplace_back();
  }
  std::vector<std::span<std::byte>>& blocks = blocks_.front().all;
  if (used_blocks_ == blocks.size()) {
    const std::size_t last = blocks.empty() ? smallest_block / 2 : blocks.back().size();
    const std::size_t size = std::max(bytes, std::min(last * 2, largest_block));
    blocks.reserve(blocks.size() + 1);
    blocks.emplace_back(map_pages(size, small_pages_ ? memory_policy::pages::small
                                                     : memory_policy::pages::transparent),
                        size);
  }
  const std::span<std::byte> b = blocks[used_blocks_++];
  next_ = b.data() + bytes;  // pages are aligned for every frame
  limit_ = b.data() + b.size();
  ++live_;  // last, because the calls above may throw
  return b.data();
}

std::size_t frame_arena::destroy_and_keep(void* frame) noexcept {
  hold_back_ = frame;
  std::coroutine_handle<>::from_address(frame).destroy();
  if (hold_back_ == nullptr) return largest + 1;
  hold_back_ = nullptr;
  // Destruction frees the frame itself last, so the frame is first in the list of its size.
  for (std::size_t list = 1; list < free_.size(); ++list) {
    if (free_[list] != frame) continue;
    free_[list] = free_[list]->next;
    ++live_;
    return list * granule;
  }
  return 0;  // the compiler placed it inside another frame
}

void frame_arena::rewind() noexcept {
  if (live_ != 0) [[unlikely]]
    outlived.get().add(blocks_, std::exchange(live_, 0));
  free_.fill(nullptr);
  used_blocks_ = 0;
  next_ = limit_ = nullptr;
}

void frame_arena::release() noexcept {
  rewind();
  for (const frame_blocks& blocks : blocks_) unmap(blocks);
  blocks_.clear();
}

void* frame_arena::allocate_large(std::size_t bytes) {
  void* const memory = take_memory(most_aligned + bytes, most_aligned);
  ::new (memory) pid_t(this_process());
  return static_cast<std::byte*>(memory) + most_aligned;
}

void frame_arena::deallocate_large(void* frame) noexcept {
  if (frame == hold_back_)
    hold_back_ = nullptr;
  else
    free_large(frame);
}

void frame_arena::deallocate_outlived(execution* run, void* frame, std::size_t bytes) noexcept {
  const bool large = round_up(bytes) > largest;
  const auto among = [frame](const frame_blocks& blocks) { return contains(blocks, frame); };
  if (run != nullptr && (large || std::ranges::any_of(run->frames.blocks_, among)))
    return run->frames.deallocate(frame, bytes);
  if (large)
    free_large(frame);
  else
    outlived.get().remove(frame);
}

void no_execution() {
  throw usage_error("a task outside a run: virtual processors make tasks, inside machine.run");
}

void no_coroutine() {
  throw usage_error(
      "co_await of a task that was moved from or awaited before: await a task once, where it is");
}

}  // namespace pleat::detail
