// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/wire.hpp>

namespace pleat::detail {

namespace {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// Of the copy: what the original is, up to a page, as its type may need it.
std::size_t alignment_of(const void* memory) {
  constexpr std::uintptr_t page = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(memory) | page;
  return std::max<std::size_t>(cache_line, address & (~address + 1));
}

struct give_back {
  void operator()(std::byte* memory) const noexcept { give_back_memory(memory); }
};

/// Instead of an address: the alignment it had.
void* as_address(std::size_t alignment) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(alignment));
}
std::size_t as_alignment(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

void pack_record(const record& r, byte_buffer& to) {
  if (r.kind == record_kind::block) {
    auto block = load_payload<payload_block>(r.payload());
    to.reserve(r.extent() + padded(block.bytes));
    const std::byte* const data = block.data;
    block.data = static_cast<std::byte*>(as_address(alignment_of(data)));
    auto* const copy = reinterpret_cast<record*>(to.append(r.extent()));
    std::memcpy(static_cast<void*>(copy), &r, sizeof r);
    std::memcpy(copy->payload(), &block, sizeof block);
    std::memcpy(to.append(padded(block.bytes)), data, block.bytes);
  } else if (r.kind == record_kind::lent) {
    auto view = load_payload<lent_block>(r.payload());
    const std::size_t row_bytes = view.columns * view.element_size;
    to.reserve(r.extent() + padded(view.rows * row_bytes));
    const auto* row = static_cast<const std::byte*>(view.data);
    const std::size_t step = view.stride * view.element_size;
    view.data = as_address(alignment_of(row));
    view.stride = view.columns;
    auto* const copy = reinterpret_cast<record*>(to.append(r.extent()));
    std::memcpy(static_cast<void*>(copy), &r, sizeof r);
    std::memcpy(copy->payload(), &view, sizeof view);
    std::byte* at = to.append(padded(view.rows * row_bytes));
    if (row_bytes == 0) return;
    for (std::size_t i = 0; i < view.rows; ++i, row += step, at += row_bytes)
      std::memcpy(at, row, row_bytes);
  } else {
    std::memcpy(to.append(r.extent()), &r, r.extent());
  }
}

void unpack_records(const std::byte* first, const std::byte* last, outbox& to) {
  for (const std::byte* at = first; at != last;) {
    const auto& r = *reinterpret_cast<const record*>(at);
    at += r.extent();
    if (r.kind != record_kind::block && r.kind != record_kind::lent) {
      to.append(r);
      continue;
    }
    const bool lent = r.kind == record_kind::lent;
    payload_block block{};
    lent_block view{};
    if (lent)
      view = load_payload<lent_block>(r.payload());
    else
      block = load_payload<payload_block>(r.payload());
    const std::size_t bytes = lent ? view.count() * view.element_size : block.bytes;
    const std::size_t alignment = as_alignment(lent ? view.data : block.data);
    std::unique_ptr<std::byte, give_back> copy;
    if (bytes != 0) {
      copy.reset(static_cast<std::byte*>(take_memory(bytes, alignment)));
      std::memcpy(copy.get(), at, bytes);
    }
    at += padded(bytes);
    to.append(r);
    auto& mine = *reinterpret_cast<record*>(to.bytes().end() - r.extent());
    if (lent) {
      view.data = copy.release();
      mine.kind = record_kind::carried;
      std::memcpy(mine.payload(), &view, sizeof view);
    } else {
      block.data = copy.release();
      std::memcpy(mine.payload(), &block, sizeof block);
    }
  }
}

}  // namespace pleat::detail
