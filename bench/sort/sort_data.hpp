// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "sort_keys.hpp"

namespace pleat::bench {

/// Memory for n keys, on pages where the machine's policy puts them. The characters of strings that
/// are longer than the small buffer of std::string are on the heap instead.
template <class T> class key_memory {
 public:
  key_memory(machine& on, std::size_t n)
      : memory_(bytes_of({n, sizeof(T)}), on), keys_(memory_.as<T>(n)) {}
  [[nodiscard]] std::span<T> keys() { return keys_; }
  [[nodiscard]] const big_block& memory() const { return memory_; }
  void copy(const key_memory& from) {
    std::memcpy(static_cast<void*>(keys_.data()), from.keys_.data(), keys_.size_bytes());
  }

 private:
  big_block memory_;
  std::span<T> keys_;
};
template <> class key_memory<std::string> {
 public:
  key_memory(machine& on, std::size_t n)
      : memory_(bytes_of({n, sizeof(std::string)}), on),
        keys_(reinterpret_cast<std::string*>(memory_.bytes().data()), n) {
    std::ranges::uninitialized_default_construct(keys_);
  }
  key_memory(const key_memory&) = delete;
  key_memory& operator=(const key_memory&) = delete;
  ~key_memory() { std::ranges::destroy(keys_); }
  [[nodiscard]] std::span<std::string> keys() { return keys_; }
  [[nodiscard]] const big_block& memory() const { return memory_; }
  void copy(const key_memory& from) { std::ranges::copy(from.keys_, keys_.begin()); }

 private:
  big_block memory_;
  std::span<std::string> keys_;
};

/// Keys of a measured sort: the original, and the copy that is sorted.
template <class T> class sort_data {
 public:
  sort_data(machine& on, std::size_t n, const distribution& of, std::uint64_t seed)
      : on_(on), original_(on, n), keys_(on, n) {
    fill_keys(original_.keys(), of, seed);
    fingerprint_ = key_fingerprint(std::span<const T>(original_.keys()));
  }

  /// Copies the original keys, calls sort(keys) and returns the seconds of this call alone.
  template <class Sort> double sample(const Sort& sort) {
    keys_.copy(original_);
    const auto start = benchmark_clock::now();
    sort(keys_.keys());
    return seconds_since(start);
  }

  /// Checks the keys that the last sample sorted. Throws: pleat::error naming who sorted.
  void verify(std::string_view who) {
    verify_sorted(std::span<const T>(keys_.keys()), fingerprint_, who);
  }

  /// Calls verify, then checks that the keys are as `stable`, a stable sort, leaves them.
  template <class Sort> void verify_stable(std::string_view who, const Sort& stable) {
    verify(who);
    key_memory<T> expected(on_, size());
    expected.copy(original_);
    stable(expected.keys());
    if (!std::ranges::equal(keys_.keys(), expected.keys()))
      throw error("verification failed: " + std::string(who) + " changed the order of equal keys");
  }

  /// Keys before the sort.
  [[nodiscard]] std::span<T> original() { return original_.keys(); }

  [[nodiscard]] std::size_t size() { return keys_.keys().size(); }
  [[nodiscard]] measured_arrays arrays() const { return {&original_.memory(), &keys_.memory()}; }

 private:
  machine& on_;
  key_memory<T> original_, keys_;
  std::uint64_t fingerprint_ = 0;
};

/// Keys of a measured argsort, and memory for their indices.
template <class T> class argsort_data {
 public:
  argsort_data(machine& on, std::size_t n, const distribution& of, std::uint64_t seed)
      : keys_(on, n),
        index_memory_(bytes_of({n, sizeof(key_index)}), on),
        keys(keys_.keys()),
        indices(index_memory_.as<key_index>(n)) {
    fill_keys(keys_.keys(), of, seed);
  }

  [[nodiscard]] by_key_at<T> order() const { return {keys.data()}; }
  [[nodiscard]] measured_arrays arrays() const { return {&keys_.memory(), &index_memory_}; }

  /// Checks that the indices are those of a stable sort: each index is in range, and they strictly
  /// ascend in order(), as one permutation alone does. Throws: pleat::error naming who sorted.
  void verify(std::string_view who) const {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= keys.size())
        throw error("verification failed: " + std::string(who) + " left an index at " +
                    std::to_string(i) + " that is none of a key");
      if (i != 0 && !order()(indices[i - 1], indices[i]))
        throw error("verification failed: " + std::string(who) + " left the indices at " +
                    std::to_string(i - 1) + " and " + std::to_string(i) + " in the wrong order");
    }
  }

 private:
  key_memory<T> keys_;
  big_block index_memory_;

 public:
  const std::span<const T> keys;
  const std::span<key_index> indices;
};

}  // namespace pleat::bench
