// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/pages.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

constexpr std::size_t smallest_block = std::size_t{64} << 10;
constexpr std::size_t largest_block = std::size_t{32} << 20;

}  // namespace

frame_arena::~frame_arena() { release(); }

void frame_arena::refill(std::size_t bytes) {
  if (used_blocks_ == blocks_.size()) {
    const std::size_t last = blocks_.empty() ? smallest_block / 2 : blocks_.back().bytes;
    const std::size_t size = std::max(bytes, std::min(last * 2, largest_block));
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({map_pages(size), size});
  }
  const block& b = blocks_[used_blocks_++];
  next_ = b.first;
  limit_ = b.first + b.bytes;
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

void* frame_arena::allocate_large(std::size_t bytes) { return take_memory(bytes, granule); }

void frame_arena::deallocate_large(void* frame) noexcept { give_back_memory(frame); }

void no_execution() {
  throw usage_error("a task outside a run: virtual processors make tasks, inside machine.run");
}

}  // namespace pleat::detail
