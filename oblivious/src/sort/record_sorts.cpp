// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/index_sort.hpp>
#include <pleat/oblivious/detail/sort/program.hpp>
#include <pleat/oblivious/detail/sort/record_ends.hpp>
#include <pleat/oblivious/detail/sort/reordering.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>
#include <pleat/runtime/interval.hpp>

#include "sort/record_moves.hpp"
#include "sort/record_spread.hpp"

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

namespace {

/// Indices with their words, as records.
template <class Ranked> class records_of_indices final : public record_ends {
 public:
  explicit records_of_indices(const index_ends<Ranked>& ends)
      : record_ends(sizeof(Ranked)), ends_(ends) {}

  void words(std::size_t first, std::size_t count, std::uint64_t* to) const override {
    std::array<Ranked, record_group> made;
    for (std::size_t i = 0; i < count; i += record_group) {
      const std::size_t some = std::min(record_group, count - i);
      ends_.make(first + i, some, made.data());
      for (std::size_t j = 0; j < some; ++j) to[i + j] = made[j].word;
    }
  }
  const std::byte* look(std::size_t first, std::size_t count, std::byte* room) const override {
    ends_.make(first, count, reinterpret_cast<Ranked*>(room));
    return room;
  }
  void words_of(std::byte* records, std::size_t count, std::uint64_t* to) const override {
    const auto* const made = reinterpret_cast<const Ranked*>(records);
    for (std::size_t i = 0; i < count; ++i) to[i] = made[i].word;
  }
  void put(std::size_t first, std::size_t count, const std::byte* records, bool) const override {
    ends_.put(first, count, reinterpret_cast<const Ranked*>(records));
  }

 private:
  const index_ends<Ranked>& ends_;
};

/// Sort of records: a distribution over buckets, or Columnsort of their indices.
template <class Ranked> class record_program {
 public:
  /// Chooses the algorithm. `after_columns` may be null.
  record_program(const record_ends& records, const index_ends<Ranked>& indices, std::size_t n,
                 std::size_t vps, bool packed, epilogue* after_columns)
      : indices_{&indices, &order_}, n_(n), columns_(indices_, n), after_columns_(after_columns) {
    if (choose({item_kind::record, records.bytes()}, n, vps) == sort_method::distribution)
      spread_.emplace(records, n, vps, packed);
  }

  void lay_out(arena& in, std::size_t vps) {
    const std::size_t start = in.position();
    if (spread_) spread_->lay_out(in);
    if (spread_ && vps == 1) return;
    in.go_back(start);  // columns are sorted when all have left the memory of the distribution
    if (after_columns_ != nullptr) after_columns_->lay_out(in, vps);
    columns_.lay_out(in, vps);
  }

  bool sort_alone() {
    if (!spread_) {
      const bool changed = columns_.sort_alone();
      if (changed) ran_ = sort_method::alone;
      if (changed && after_columns_ != nullptr) after_columns_->alone();
      return changed;
    }
    if (column::is_sorted(indices_, 0, n_)) {
      if (after_columns_ == nullptr) column::leave(indices_, 0, n_);
      return false;
    }
    ran_ = sort_method::distribution;
    spread_->alone();
    return true;
  }
  task<bool> program(vp& me) {
    if (!columns_.recursive()) {
      const interval<> mine = spread_ ? spread_->block(me.rank()) : columns_.column(me);
      const bool in_order = co_await columns_.sorted_already(me, mine);
      if (in_order) co_return false;
    }
    bool spread = false;
    if (spread_) spread = co_await spread_->together(me);
    if (me.rank() == 0) ran_ = spread ? sort_method::distribution : choose(n_, me.size());
    if (spread) co_return true;
    co_await columns_.sort(me);
    if (after_columns_ != nullptr) co_await after_columns_->together(me);
    co_return true;
  }

  [[nodiscard]] sort_method ran() const noexcept { return ran_; }
  /// Kind of the items that were sorted: Columnsort sorts indices of the records.
  [[nodiscard]] item_kind kind() const noexcept {
    const bool whole = ran_ == sort_method::distribution || ran_ == sort_method::in_order;
    return whole ? item_kind::record : item_kind::index;
  }
  [[nodiscard]] bool counts() const noexcept {
    return kind() == item_kind::record || after_columns_ == nullptr;
  }

  void restore() noexcept {
    if (after_columns_ == nullptr) return;  // indices: unspecified, or in use by what follows
    if (spread_) spread_->restore();
    after_columns_->restore();
  }

 private:
  using column = value_column<index_source<Ranked, index_ends<Ranked>, exact_order>>;

  exact_order order_;
  typename column::source indices_;
  std::size_t n_;
  sort_method ran_ = sort_method::in_order;
  columnsort_program<column> columns_;
  std::optional<record_spread> spread_;
  epilogue* after_columns_;
};

/// Tells whether an index with its word above it is one word of 64 bits.
template <class Ranked>
inline constexpr bool packed =
    sizeof(Ranked) == 8 && std::endian::native == std::endian::little&& offsetof(Ranked, index) ==
                               0;

template <class Ranked>
run_report sort_ranked(machine& on, const index_ends<Ranked>& ends, std::size_t n, std::size_t vps,
                       epilogue* then) {
  const records_of_indices<Ranked> records(ends);
  record_program<Ranked> program(records, ends, n, vps, packed<Ranked>, nullptr);
  return sort_with(on, program, vps, then);
}

}  // namespace

run_report sort_records(machine& on, const record_ends& records, std::size_t n, std::size_t vps) {
  record_arrangement arrange(records, n);
  const indices_of_records indices(records, arrange);
  record_program<wide_index> program(records, indices, n, vps, false, &arrange);
  return sort_with(on, program, vps);
}

run_report sort_by_words(machine& on, const index_ends<narrow_index>& ends, std::size_t n,
                         std::size_t vps, epilogue* then) {
  return sort_ranked(on, ends, n, vps, then);
}
run_report sort_by_words(machine& on, const index_ends<wide_index>& ends, std::size_t n,
                         std::size_t vps, epilogue* then) {
  return sort_ranked(on, ends, n, vps, then);
}

}  // namespace pleat::detail::sorting
