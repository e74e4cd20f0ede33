// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/columnsort.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::sorting {

/// Keys that a projection makes of n elements from `first` on. Elements and keys may be temporaries
/// (the iterator of a view, a projection that returns a value), and a key may refer to its element.
/// Both live during a call of these functions only, so a key must not be kept.
template <class Iterator, class Projection> class indexed_keys {
  using element = std::iter_reference_t<Iterator>;
  using value = std::iter_value_t<Iterator>;
  /// Tells whether elements are proxies of numbers, as in vector<bool>; the keys are the numbers.
  static constexpr bool number_by_proxy =
      std::same_as<std::remove_cvref_t<Projection>, std::identity> &&
      !std::is_reference_v<element> && !std::same_as<element, value> && std::is_arithmetic_v<value>;

 public:
  using key = std::conditional_t<number_by_proxy, value,
                                 std::remove_cvref_t<std::invoke_result_t<Projection&, element>>>;

  indexed_keys(Iterator first, Projection& projection) : first_(first), projection_(projection) {}

  /// Returns use(key of place i).
  template <class Use> decltype(auto) with(std::size_t i, const Use& use) const {
    if constexpr (number_by_proxy)
      return use(static_cast<value>(at(i)));
    else
      return use(std::invoke(projection_, at(i)));
  }
  /// Returns less(key of place i, key of place j).
  template <class Compare> bool compare(Compare& less, std::size_t i, std::size_t j) const {
    if constexpr (number_by_proxy)
      return static_cast<bool>(
          std::invoke(less, static_cast<value>(at(i)), static_cast<value>(at(j))));
    else
      return static_cast<bool>(
          std::invoke(less, std::invoke(projection_, at(i)), std::invoke(projection_, at(j))));
  }

 private:
  [[nodiscard]] element at(std::size_t i) const {
    return first_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

  Iterator first_;
  Projection& projection_;
};

// Sort of indices, for values that are too large to be moved three times, that must not be moved as
// bytes, or that are not to be moved at all. Columns hold an index and, if the key has one, a word
// of it. The order of different words is that of the keys, so most comparisons do not read the
// values, which are scattered in memory. Indices break ties, so these sorts are stable.
//
// Sorts in which most comparisons read words only are compiled with the library. They access the
// values through an interface, several keys a call.

/// Index with its key's word, in 16 bytes, or in 8 if both are short.
template <class Word, class Index> struct ranked_index {
  Index index;
  Word word;
};
struct bare_index {
  std::size_t index;
};

/// Interface by which a sort of the indices 0, 1, … reads values and writes its result. All VPs
/// call it concurrently.
template <class Key> class index_access {
 public:
  static constexpr bool trusted = true;  ///< asked only for keys whose order is known
  index_access() = default;
  index_access(const index_access&) = delete;
  index_access& operator=(const index_access&) = delete;

  /// Makes the keys of indices first … first + count − 1 in uninitialised memory. The keys of all
  /// indices are made before the first one is put.
  virtual void make(std::size_t first, std::size_t count, Key* to) const = 0;
  /// Tells whether the value of index i comes before that of j. Called only if the keys do not
  /// tell.
  [[nodiscard]] virtual bool before(std::size_t i, std::size_t j) const = 0;
  /// Puts sorted keys: their indices are those of places first … first + count − 1 of the result.
  /// Each place is put once.
  virtual void put(std::size_t first, std::size_t count, const Key* sorted) const = 0;

 protected:
  ~index_access() = default;
};

/// Order by words, then by indices. For words that are exact.
struct exact_order {
  static constexpr bool reads_keys_alone = true;
  static constexpr bool total = true;
  static constexpr bool trusted = true;

  template <class Ranked>
  [[nodiscard]] bool operator()(const Ranked& a, const Ranked& b) const noexcept {
    if constexpr (sizeof(Ranked) == 8) {
      return (std::uint64_t{a.word} << 32U | a.index) < (std::uint64_t{b.word} << 32U | b.index);
    } else {
      return static_cast<bool>(
          static_cast<unsigned>(a.word < b.word) |
          (static_cast<unsigned>(a.word == b.word) & static_cast<unsigned>(a.index < b.index)));
    }
  }
};

/// Order by words, then by values, then by indices. `Ends` is index_access or a class derived from
/// it.
template <class Ends> struct tied_order {
  static constexpr bool reads_keys_alone = false;
  static constexpr bool total = true;
  static constexpr bool trusted = Ends::trusted;
  const Ends* ends;

  template <class Key> bool operator()(const Key& a, const Key& b) const {
    if constexpr (requires { a.word; })
      if (a.word != b.word) return a.word < b.word;
    const auto i = static_cast<std::size_t>(a.index);
    const auto j = static_cast<std::size_t>(b.index);
    return i < j ? !ends->before(j, i) : ends->before(i, j);
  }
};

/// Source of keys and their order for value_column.
template <class Key, class Ends, class Order> struct index_source {
  using key = Key;
  using order_type = Order;
  static constexpr bool in_place = false;

  const Ends* ends;
  const Order* order;

  const key* look(std::size_t first, std::size_t count, key* room) const {
    ends->make(first, count, room);
    return room;
  }
  void store(std::size_t i, const key& k) const { ends->put(i, 1, &k); }
};

using narrow_index = ranked_index<std::uint32_t, std::uint32_t>;
using wide_index = ranked_index<std::uint64_t, std::uint64_t>;

/// Sorts n ≥ 1 indices, then runs the step `then`, which may be null.
template <class Key, class Ends, class Order>
run_report sort_by(machine& on, const Ends& ends, const Order& order, std::size_t n,
                   std::size_t vps, epilogue* then) {
  columnsort_program<value_column<index_source<Key, Ends, Order>>> indices({&ends, &order}, n);
  return sorting::sort_with(on, indices, vps, then);
}
/// Sorts by words alone.
PLEAT_API run_report sort_by_words(machine& on, const index_access<narrow_index>& ends,
                                   std::size_t n, std::size_t vps, epilogue* then);
PLEAT_API run_report sort_by_words(machine& on, const index_access<wide_index>& ends, std::size_t n,
                                   std::size_t vps, epilogue* then);
/// Sorts by words and, where they are equal, by values.
PLEAT_API run_report sort_by_words_and_values(machine& on, const index_access<wide_index>& ends,
                                              std::size_t n, std::size_t vps, epilogue* then);

/// index_access made of indexed_keys and functions word(key) and put(i, index).
template <class Key, class Keys, class Word, class Compare, class Put>
class ends_of_values final : public index_access<Key> {
 public:
  static constexpr bool trusted = trusted_order<Compare>;
  ends_of_values(const Keys& keys, const Word& word, Compare& less, const Put& put)
      : keys_(keys), word_(word), less_(less), put_(put) {}

  void make(std::size_t first, std::size_t count, Key* to) const override {
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::same_as<Key, bare_index>)
        std::construct_at(to + i, Key{first + i});
      else
        std::construct_at(to + i, Key{static_cast<decltype(Key::index)>(first + i),
                                      keys_.with(first + i, word_)});
    }
  }
  [[nodiscard]] bool before(std::size_t i, std::size_t j) const override {
    return keys_.compare(less_, i, j);
  }
  void put(std::size_t first, std::size_t count, const Key* sorted) const override {
    for (std::size_t i = 0; i < count; ++i)
      put_(first + i, static_cast<std::size_t>(sorted[i].index));
  }

 private:
  const Keys& keys_;
  const Word& word_;
  Compare& less_;
  const Put& put_;
};

/// Sorts the indices of n ≥ 1 keys (indexed_keys) stably, then runs the step `then`. The items are
/// those of item_of_index.
template <class Keys, class Compare, class Put>
run_report sort_indices(machine& on, std::size_t n, const Keys& keys, Compare& less, const Put& put,
                        std::size_t vps, epilogue* then) {
  using K = typename Keys::key;
  constexpr key_order order = order_of<K, Compare>;
  constexpr bool known = order != key_order::custom;
  /// Calls sort(ends) with ends of `Key`, which `word` makes and `by` compares.
  const auto with_ends = [&]<class Key>(const auto& word, auto& by, const auto& sort) {
    const ends_of_values<Key, Keys, std::remove_cvref_t<decltype(word)>,
                         std::remove_reference_t<decltype(by)>, Put>
        ends(keys, word, by, put);
    return sort(ends);
  };
  if constexpr (leading_word<K>::exists && known) {
    leading_word<K> word{order == key_order::descending};
    {
      const alone_scope alone;
      word.look_at(n, keys);
    }
    const auto sort = [&](const auto& ends) {
      if constexpr (leading_word<K>::exact)
        return sorting::sort_by_words(on, ends, n, vps, then);
      else
        return sorting::sort_by_words_and_values(on, ends, n, vps, then);
    };
    if constexpr (leading_word<K>::exact && sizeof(typename leading_word<K>::word) == 4)
      if (sorting::item_of_index<K, Compare>(n).bytes == sizeof(narrow_index))
        return with_ends.template operator()<narrow_index>(word, less, sort);
    return with_ends.template operator()<wide_index>(word, less, sort);
  } else {  // every comparison asks the values: compiled for them
    const auto sort = [&]<class Ends>(const Ends& ends) {
      return sorting::sort_by<bare_index>(on, ends, tied_order<Ends>{&ends}, n, vps, then);
    };
    constexpr struct {
    } no_word;
    if constexpr (std::is_arithmetic_v<K> && known) {  // NaNs want a place
      number_order<K> numbers{order == key_order::descending};
      return with_ends.template operator()<bare_index>(no_word, numbers, sort);
    } else {
      return with_ends.template operator()<bare_index>(no_word, less, sort);
    }
  }
}

/// Step after a sort of n indices: puts the elements in the order of the indices. All elements are
/// taken before one is put, because a VP takes from the whole array and puts into its share.
class reordering : public epilogue {
 public:
  explicit reordering(std::size_t n) : from_(n), n_(n) {}

  /// Sets the index of the element that comes to place i.
  void set(std::size_t i, std::size_t index) const noexcept { from_.set(i, index); }

  void lay_out(arena& in, std::size_t vps) final {
    from_.lie_at(in.array<std::byte>(index_array::bytes(n_)));
    const std::size_t during = in.position();
    lay_out_moves(in, vps);
    in.go_back(during);
  }
  void alone() final {
    take(0);
    start_to_put(0);
  }
  /// Performs the step in two 0-supersteps: after the first the order is complete, after the second
  /// all elements are taken.
  task<> together(vp& me) final {
    co_await me.sync(0);
    take(me.rank());
    co_await me.sync(0);
    start_to_put(me.rank());
  }

 protected:
  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] const index_array& from() const noexcept { return from_; }
  /// Tells whether any element has been put. Called after the run, whose end orders the stores
  /// before this load.
  [[nodiscard]] bool has_put() const noexcept { return putting_.load(std::memory_order_relaxed); }

 private:
  virtual void lay_out_moves(arena& in, std::size_t vps) = 0;
  /// Takes the elements for the share of VP `rank`; `put` puts them, once all VPs have taken
  /// theirs.
  virtual void take(std::size_t rank) = 0;
  virtual void put(std::size_t rank) = 0;

  void start_to_put(std::size_t rank) {
    putting_.store(true, std::memory_order_relaxed);
    put(rank);
  }

  index_array from_;
  std::size_t n_;
  std::atomic<bool> putting_{false};
};

}  // namespace pleat::detail::sorting
