// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/index_sort.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/interval.hpp>

#include "sort/bucket.hpp"
#include "sort/record_spread.hpp"

namespace pleat::detail::sorting {
namespace {

template <sort_word U> void sort_in_cache(U* packed, std::size_t n, U* spare) {
  if (n <= few_keys)
    sort_few_keys(packed, n, key_map<U>());
  else if (n <= largest_bucket)
    sort_bucket<U>(kernel_of_buckets<U>(), packed, n, spare, packed);
  else
    sort_by_comparing(packed, n);
}

/// Packing of a word and its index into one word. The index takes the lowest bits; above it is what
/// the word is above the least one, without the lowest bits if there is no room for all.
template <sort_word U> struct packing {
  int index_bits;
  int dropped;  ///< number of lowest bits of the words that there is no room for
  std::uint64_t least;

  packing(std::size_t n, const word_range& range)
      : index_bits(static_cast<int>(std::bit_width(n - 1))),
        dropped(std::max(0, range.width + index_bits - std::numeric_limits<U>::digits)),
        least(range.least) {}

  /// Tells whether few of n random words will be tied.
  [[nodiscard]] bool tells_apart() const noexcept {
    return dropped == 0 || std::numeric_limits<U>::digits - index_bits >= index_bits + 4;
  }
  [[nodiscard]] U operator()(std::uint64_t word, std::size_t i) const noexcept {
    return static_cast<U>((word - least) >> dropped << index_bits | i);
  }
  [[nodiscard]] bool tied(U a, U b) const noexcept {
    return static_cast<U>(a ^ b) >> index_bits == 0;
  }
};

/// Tells whether a word in [first, last) is tied with the one before: they agree in the bits that
/// were packed, and may differ in the dropped ones.
template <sort_word U>
bool any_tied(const packing<U>& pack, const U* packed, std::size_t first, std::size_t last) {
  const U most = static_cast<U>((U{1} << pack.index_bits) - 1);
  bool any = false;
  for (std::size_t i = first; i < last; ++i)
    any |= static_cast<U>(packed[i - 1] ^ packed[i]) <= most;
  return any;
}

/// Tells whether a word in [first, last) of the order is less than the one before.
bool descends(const std::uint64_t* words, const std::uint32_t* order, std::size_t first,
              std::size_t last) {
  bool any = false;
  for (std::size_t i = first; i < last; ++i) any |= words[order[i - 1]] > words[order[i]];
  return any;
}

/// Sorts groups of tied words that descend; others are in order, as equal words are. Returns how
/// many words were sorted.
template <sort_word U>
std::size_t sort_ties(const packing<U>& pack, const U* packed, const std::uint64_t* words,
                      std::size_t n, std::uint32_t* order) {
  constexpr std::size_t some = 16;  // that are looked at together
  std::size_t sorted = 0;
  for (std::size_t i = 1; i < n;) {
    const std::size_t last = std::min(i + some, n);
    if (!any_tied(pack, packed, i, last) || !descends(words, order, i, last)) {
      i = last;
      continue;
    }
    while (words[order[i - 1]] <= words[order[i]]) ++i;
    std::size_t first = i - 1;
    while (first > 0 && pack.tied(packed[first - 1], packed[i])) --first;
    while (i < n && pack.tied(packed[first], packed[i])) ++i;
    if (i - first == 2) {  // mostly
      std::swap(order[first], order[first + 1]);
    } else {
      std::sort(order + first, order + i, [words](std::uint32_t a, std::uint32_t b) {
        return words[a] != words[b] ? words[a] < words[b] : a < b;
      });
    }
    sorted += i - first;
  }
  return sorted;
}

/// Finds the order by sorting packed words. Returns how many words were sorted by comparing.
template <sort_word U>
std::size_t order_by(const packing<U>& pack, std::size_t n, const word_order::room& in,
                     std::uint32_t* order) {
  U* const packed = reinterpret_cast<U*>(in.packed);
  for (std::size_t i = 0; i < n; ++i) packed[i] = pack(in.words[i], i);
  sort_in_cache(packed, n, reinterpret_cast<U*>(in.spare));
  const U mask = static_cast<U>((U{1} << pack.index_bits) - 1);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(packed[i] & mask);
  return pack.dropped == 0 ? 0 : sort_ties(pack, packed, in.words, n, order);
}

}  // namespace

void sort_packed(std::uint64_t* words, std::size_t n, std::uint64_t* spare) {
  sort_in_cache(words, n, spare);
}

word_range::word_range(const std::uint64_t* words, std::size_t n) noexcept {
  constexpr std::size_t chains = 4;  // one comparison does not wait for the last
  std::uint64_t low[chains], high[chains];
  std::fill_n(low, chains, words[0]);
  std::fill_n(high, chains, words[0]);
  const auto look = [&](std::size_t chain, std::uint64_t w) {
    low[chain] = std::min(low[chain], w);
    high[chain] = std::max(high[chain], w);
  };
  std::size_t i = 0;
  for (; i + chains <= n; i += chains)
    for (std::size_t c = 0; c < chains; ++c) look(c, words[i + c]);
  for (; i < n; ++i) look(0, words[i]);
  least = *std::min_element(low, low + chains);
  const std::uint64_t greatest = *std::max_element(high, high + chains);
  width = static_cast<int>(std::bit_width(greatest - least));
}

const std::uint32_t* word_order::of(std::size_t n, const word_range& range, const room& in) {
  auto* const order = reinterpret_cast<std::uint32_t*>(in.spare);
  if (range.width == 0) {
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
    return order;
  }
  const packing<std::uint32_t> narrow(n, range);
  if (narrow.dropped == 0 || (!wide_ && narrow.tells_apart()))
    wide_ = order_by(narrow, n, in, order) > n / 8;
  else
    order_by(packing<std::uint64_t>(n, range), n, in, order);
  return order;
}

// Sort of records by their indices: Columnsort sorts the indices, then the records are moved.

/// Step after a sort of records' indices: copies the records in the sorted order, then puts them.
class record_arrangement final : public reordering {
 public:
  record_arrangement(const record_access& records, std::size_t n)
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

  const record_access& records_;
  std::size_t vps_ = 1;
  std::byte* copies_ = nullptr;
};

/// Indices of records, with their words, as Columnsort sorts them.
class indices_of_records final : public index_access<wide_index> {
 public:
  indices_of_records(const record_access& records, const record_arrangement& to)
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
  const record_access& records_;
  const record_arrangement& to_;
};

namespace {

/// Indices with their words, as records.
template <class Ranked> class records_of_indices final : public record_access {
 public:
  explicit records_of_indices(const index_access<Ranked>& ends)
      : record_access(sizeof(Ranked)), ends_(ends) {}

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
  const index_access<Ranked>& ends_;
};

/// Sort of records: a distribution over buckets, or Columnsort of their indices.
template <class Ranked> class record_program {
 public:
  /// Chooses the algorithm. `after_columns` may be null.
  record_program(const record_access& records, const index_access<Ranked>& indices, std::size_t n,
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
    if (spread_) spread = co_await spread_->together(me) == sort_method::distribution;
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
  using column = value_column<index_source<Ranked, index_access<Ranked>, exact_order>>;

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
run_report sort_ranked(machine& on, const index_access<Ranked>& ends, std::size_t n,
                       std::size_t vps, epilogue* then) {
  const records_of_indices<Ranked> records(ends);
  record_program<Ranked> program(records, ends, n, vps, packed<Ranked>, nullptr);
  return sort_with(on, program, vps, then);
}

}  // namespace

run_report sort_records(machine& on, const record_access& records, std::size_t n, std::size_t vps) {
  record_arrangement arrange(records, n);
  const indices_of_records indices(records, arrange);
  record_program<wide_index> program(records, indices, n, vps, false, &arrange);
  return sort_with(on, program, vps);
}

run_report sort_by_words(machine& on, const index_access<narrow_index>& ends, std::size_t n,
                         std::size_t vps, epilogue* then) {
  return sort_ranked(on, ends, n, vps, then);
}
run_report sort_by_words(machine& on, const index_access<wide_index>& ends, std::size_t n,
                         std::size_t vps, epilogue* then) {
  return sort_ranked(on, ends, n, vps, then);
}

run_report sort_by_words_and_values(machine& on, const index_access<wide_index>& ends,
                                    std::size_t n, std::size_t vps, epilogue* then) {
  return sort_by<wide_index>(on, ends, tied_order<index_access<wide_index>>{&ends}, n, vps, then);
}

}  // namespace pleat::detail::sorting
