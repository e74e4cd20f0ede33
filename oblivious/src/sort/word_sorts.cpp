// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "sort/word_spread.hpp"

namespace pleat::detail::sorting {
namespace {

/// Distribution sort of words; Columnsort if the keys crowd in few buckets.
template <sort_word U> class spread_program {
 public:
  spread_program(const word_source<U>& keys, std::size_t n, word_spread<U>& spread)
      : keys_(keys), n_(n), columns_(keys, n), spread_(spread) {}

  void lay_out(arena& in, std::size_t vps) {
    alone_ = vps == 1;
    if (!alone_) columns_.lay_out(in, vps);
    spread_.lay_out(in, alone_ ? in.array<U>(n_) : columns_.sorted());
  }

  bool sort_alone() {
    if (word_column<U>::is_sorted(keys_, 0, n_)) return false;
    ran_ = spread_.alone();
    return true;
  }
  task<bool> program(vp& me) {
    const bool in_order = co_await columns_.sorted_already(me, spread_.block(me.rank()));
    if (in_order) co_return false;
    const sort_method did = co_await spread_.together(me);
    if (did == sort_method::columns) co_await columns_.sort(me);
    if (me.rank() == 0) ran_ = did;
    co_return true;
  }
  [[nodiscard]] sort_method ran() const noexcept { return ran_; }
  [[nodiscard]] item_kind kind() const noexcept { return item_kind::word; }
  [[nodiscard]] bool counts() const noexcept { return true; }

  void restore() noexcept {
    if (!spread_.restore() && !alone_) columns_.restore();
  }

 private:
  word_source<U> keys_;
  std::size_t n_;
  bool alone_ = false;
  sort_method ran_ = sort_method::in_order;
  columnsort_program<word_column<U>> columns_;
  word_spread<U>& spread_;
};

/// Changes each of n keys to its word by key_map::to_word, or back by key_map::from_word: both flip
/// bits alone if keys are no floating-point numbers.
template <class U, auto Change>
void change_each(std::byte* memory, std::size_t n, const key_map<U>& map) {
  const auto loop = [&](const auto& change) {
    for (std::size_t i = 0; i < n; ++i) store_bits(change(load_bits<U>(memory, i)), memory, i);
  };
  if (map.floating)
    loop([map](U bits) { return (map.*Change)(bits); });
  else if (map.flip != 0)
    loop([flip = map.flip](U bits) { return static_cast<U>(bits ^ flip); });
}

}  // namespace

template <class U> void keys_to_words(std::byte* keys, std::size_t n, const key_map<U>& map) {
  change_each<U, &key_map<U>::to_word>(keys, n, map);
}

template <class U> void words_to_keys(std::byte* words, std::size_t n, const key_map<U>& map) {
  change_each<U, &key_map<U>::from_word>(words, n, map);
}

template <class U>
run_report sort_words(machine& on, const word_source<U>& keys, std::size_t n, std::size_t vps) {
  if constexpr (sizeof(U) >= 4) {
    std::optional<word_spread<U>> spread;
    const auto sample = [&] { return spread.emplace(keys, n, vps).sampled(); };
    if (choose({item_kind::word, sizeof(U)}, n, vps, sample) == sort_method::distribution) {
      spread_program<U> program(keys, n, *spread);
      return sort_with(on, program, vps);
    }
  }
  columnsort_program<word_column<U>> program(keys, n);
  return sort_with(on, program, vps);
}

#define PLEAT_SORTS_OF(U)                                                  \
  template void keys_to_words(std::byte*, std::size_t, const key_map<U>&); \
  template void words_to_keys(std::byte*, std::size_t, const key_map<U>&); \
  template run_report sort_words(machine&, const word_source<U>&, std::size_t, std::size_t)
PLEAT_SORTS_OF(std::uint8_t);
PLEAT_SORTS_OF(std::uint16_t);
PLEAT_SORTS_OF(std::uint32_t);
PLEAT_SORTS_OF(std::uint64_t);
#undef PLEAT_SORTS_OF

}  // namespace pleat::detail::sorting
