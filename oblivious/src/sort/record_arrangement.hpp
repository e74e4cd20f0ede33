// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/index_sort.hpp>
#include <pleat/oblivious/detail/sort/record_ends.hpp>
#include <pleat/oblivious/detail/sort/reordering.hpp>
#include <pleat/runtime/interval.hpp>

#include "sort/record_moves.hpp"

// Sort of records by their indices: Columnsort sorts the indices, then the records are moved.
namespace pleat::detail::sorting {

/// Step after a sort of records' indices: copies the records in the sorted order, then puts them.
class record_arrangement final : public reordering {
 public:
  record_arrangement(const record_ends& records, std::size_t n)
      : reordering(n), records_(records) {}

  void restore() noexcept override {
    if (has_put()) records_.put(0, size(), copies_, false);
  }

 private:
  void lay_out_moves(arena& in, std::size_t vps) override {
    vps_ = vps;
    copies_ = in.array<std::byte>(size() * records_.bytes());
  }
  void take(std::size_t rank) override {
    const std::size_t bytes = records_.bytes();
    alignas(64) std::byte room[64];
    const auto [first, last] = share_of(rank);
    for (std::size_t i = first; i < last; ++i)
      std::memcpy(copies_ + i * bytes, records_.look(from()[i], 1, room), bytes);
  }
  void put(std::size_t rank) override {
    const auto [first, last] = share_of(rank);
    records_.put(first, last - first, copies_ + first * records_.bytes(), false);
  }
  [[nodiscard]] interval<> share_of(std::size_t rank) const noexcept {
    return interval<>{0, size()}.share(rank, vps_);
  }

  const record_ends& records_;
  std::size_t vps_ = 1;
  std::byte* copies_ = nullptr;
};

/// Indices of records, with their words, as Columnsort sorts them.
class indices_of_records final : public index_ends<wide_index> {
 public:
  indices_of_records(const record_ends& records, const record_arrangement& to)
      : records_(records), to_(to) {}

  void make(std::size_t first, std::size_t count, wide_index* to) const override {
    std::array<std::uint64_t, record_group> words;
    for (std::size_t i = 0; i < count; i += record_group) {
      const std::size_t some = std::min(record_group, count - i);
      records_.words(first + i, some, words.data());
      for (std::size_t j = 0; j < some; ++j)
        std::construct_at(to + i + j, wide_index{first + i + j, words[j]});
    }
  }
  [[nodiscard]] bool before(std::size_t, std::size_t) const override { return false; }
  void put(std::size_t first, std::size_t count, const wide_index* sorted) const override {
    for (std::size_t i = 0; i < count; ++i) to_.set(first + i, sorted[i].index);
  }

 private:
  const record_ends& records_;
  const record_arrangement& to_;
};

}  // namespace pleat::detail::sorting
