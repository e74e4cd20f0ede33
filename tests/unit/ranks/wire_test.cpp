// SPDX-License-Identifier: Apache-2.0
#include "processes/wire.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/memory.hpp>

namespace wire_test {

using pleat::lent_block;
using pleat::detail::byte_buffer;
using pleat::detail::load_payload;
using pleat::detail::outbox;
using pleat::detail::payload_block;
using pleat::detail::record;
using pleat::detail::record_kind;

std::vector<const record*> records_of(const outbox& box) {
  std::vector<const record*> all;
  for (const std::byte* at = box.bytes().begin(); at != box.bytes().end();) {
    all.push_back(reinterpret_cast<const record*>(at));
    at += all.back()->extent();
  }
  return all;
}

outbox sent_over(outbox& from) {
  byte_buffer packed;
  std::vector<pleat::detail::link::enclosure> beside;
  for (const record* const r : records_of(from))
    pack_record(*r, pleat::detail::packed_loans::copied, packed, beside);
  from.forget();  // blocks are spent
  std::vector<byte_buffer> arrived;
  for (auto& one : beside) {  // as a link carries them
    auto* const copy =
        static_cast<std::byte*>(pleat::detail::take_memory(one.memory.size(), one.alignment));
    std::memcpy(copy, one.memory.begin(), one.memory.size());
    arrived.push_back(byte_buffer::of(copy, one.memory.size()));
  }
  outbox to;
  unpack_records(packed.begin(), packed.end(), arrived.data(), to);
  return to;
}

TEST(wire, keeps_small_messages_that_share_a_record_or_have_nothing_in_them) {
  outbox from;
  for (std::uint64_t value : {3, 1, 4, 1, 5}) from.send(7, 9, &value, sizeof value);
  from.send(7, 8, nullptr, 0);
  from.send(7, 8, "abc", 3);
  const std::vector<std::byte> sent(from.bytes().begin(), from.bytes().end());
  const std::uint64_t reach = from.reach();
  const outbox to = sent_over(from);
  ASSERT_EQ(to.position(), sent.size());
  EXPECT_EQ(std::memcmp(to.bytes().begin(), sent.data(), sent.size()), 0);
  EXPECT_EQ(to.reach(), reach);
}

TEST(wire, gives_large_messages_memory_of_their_own_aligned_as_it_was) {
  for (const std::size_t bytes : {1, 49, 64, 4095, (1 << 15) - 1, 1 << 15, 100'001}) {
    for (const std::size_t alignment : {64, 256, 4096}) {
      outbox from;
      auto* const data = static_cast<std::byte*>(pleat::detail::take_memory(bytes, alignment));
      std::vector<std::byte> sent(bytes);
      for (std::size_t i = 0; i < bytes; ++i) data[i] = sent[i] = static_cast<std::byte>(i * 7 + 1);
      from.send_one(1, 2, record_kind::block, payload_block{data, bytes});
      from.send(1, 2, "behind", 6);
      const outbox to = sent_over(from);
      const auto all = records_of(to);
      ASSERT_EQ(all.size(), 2u);
      const auto block = load_payload<payload_block>(all[0]->payload());
      ASSERT_EQ(block.bytes, bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % alignment, 0u);
      EXPECT_EQ(std::memcmp(block.data, sent.data(), bytes), 0);
      EXPECT_EQ(std::memcmp(all[1]->payload(), "behind", 6), 0);
    }
  }
}

/// Returns the lent memory of a received record as a VP reads it.
lent_block read(const record& r) {
  auto view = load_payload<lent_block>(r.payload());
  if (r.kind == record_kind::enclosed)
    view.data = const_cast<std::byte*>(r.payload()) + sizeof view;
  return view;
}

TEST(wire, carries_windows_row_by_row_and_nothing_between_the_rows) {
  std::vector<std::uint32_t> matrix(40 * 1000);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::uint32_t>(i);
  struct shape {
    std::size_t rows, columns, stride;
  };
  for (const auto [rows, columns, stride] :
       {shape{1, 400, 400}, shape{10, 7, 40}, shape{40, 1, 10}, shape{0, 5, 5}, shape{3, 0, 9},
        shape{1, 256, 256}, shape{1, 257, 257}, shape{70000, 0, 0}, shape{1, 40000, 40000},
        shape{30, 900, 1000}}) {
    outbox from;
    const lent_block lent{matrix.data(), rows, columns, stride, 4, 1, false};
    from.send_one(1, 2, record_kind::lent, lent);
    const outbox to = sent_over(from);
    const record& r = *records_of(to).at(0);
    const bool is_short = rows * columns <= 256 && rows < 70000;
    ASSERT_EQ(r.kind, is_short ? record_kind::enclosed : record_kind::carried);
    const lent_block got = read(r);
    EXPECT_EQ(got.rows, rows);
    EXPECT_EQ(got.columns, columns);
    EXPECT_FALSE(got.writable);
    const auto* const values = static_cast<const std::uint32_t*>(got.data);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        ASSERT_EQ(values[i * got.stride + j], matrix[i * stride + j]);
    }
  }
}

TEST(wire, aligns_lent_elements_as_their_type_may_need) {
  alignas(64) std::array<std::byte, 256> memory{};
  for (const std::uint32_t size : {1, 4, 8, 12, 16, 24, 32, 48}) {
    for (const std::size_t offset : {0, 4, 8, 16, 24}) {
      const std::size_t alignment = (size | (64 + offset)) & -(size | (64 + offset));
      outbox from;
      from.send(1, 2, "odd", 3);
      from.send_one(1, 2, record_kind::lent,
                    lent_block{memory.data() + offset, 1, 3, 3, size, 1, false});
      const outbox to = sent_over(from);
      const lent_block got = read(*records_of(to).at(1));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got.data) % alignment, 0u)
          << size << " " << offset;
      EXPECT_EQ(got.element_size, size);
      EXPECT_EQ(got.count(), 3u);
    }
  }
}

}  // namespace wire_test
