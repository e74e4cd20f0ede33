// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>

#include "memory/pages.hpp"

namespace pleat::detail {

namespace {

constexpr std::size_t smallest_block = std::size_t{64} << 10;
constexpr std::size_t largest_block = std::size_t{32} << 20;

}  // namespace

frame_arena::~frame_arena() { release(); }

void* frame_arena::allocate_in_next_block(std::size_t bytes) {
  if (used_blocks_ == blocks_.size()) {
    const std::size_t last = blocks_.empty() ? smallest_block / 2 : blocks_.back().bytes;
    const std::size_t size = std::max(bytes, std::min(last * 2, largest_block));
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({map_pages(size, small_pages_ ? memory_policy::pages::small
                                                    : memory_policy::pages::transparent),
                       size});
  }
  const block& b = blocks_[used_blocks_++];
  next_ = b.first + bytes;  // pages are aligned for every frame
  limit_ = b.first + b.bytes;
  return b.first;
}

frame_arena::held_frame frame_arena::destroy_and_hold(void* frame) noexcept {
  hold_back_ = frame;
  std::coroutine_handle<>::from_address(frame).destroy();
  if (hold_back_ == nullptr) return {frame, 0};
  hold_back_ = nullptr;
  // This frame was the last that its destruction freed, so it is first in the list of its size.
  for (std::size_t list = 1; list < free_.size(); ++list) {
    if (free_[list] != frame) continue;
    free_[list] = free_[list]->next;
    return {frame, list};
  }
  return {};  // its memory is a part of another frame
}

void frame_arena::release(const held_frame& held) noexcept {
  if (held.frame == nullptr) return;
  if (held.list == 0) return give_back_memory(held.frame);
  auto* node = static_cast<free_frame*>(held.frame);
  node->next = free_[held.list];
  free_[held.list] = node;
}

void frame_arena::rewind() noexcept {
  if (live_ != 0) return;
  free_.fill(nullptr);
  used_blocks_ = 0;
  next_ = limit_ = nullptr;
}

void frame_arena::release() noexcept {
  rewind();
  for (const block& b : blocks_) unmap_pages(b.first, b.bytes);
  blocks_.clear();
}

void* frame_arena::allocate_large(std::size_t bytes) { return take_memory(bytes, most_aligned); }

void frame_arena::deallocate_large(void* frame) noexcept {
  if (frame == hold_back_)
    hold_back_ = nullptr;
  else
    give_back_memory(frame);
}

void no_execution() {
  throw usage_error("a task outside a run: virtual processors make tasks, inside machine.run");
}

void no_coroutine() {
  throw usage_error(
      "co_await of a task that was moved from or awaited before: await a task once, where it is");
}

}  // namespace pleat::detail
