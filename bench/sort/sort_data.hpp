// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "sort_keys.hpp"

namespace pleat::bench {

/// Memory for n keys: fresh pages for those that are copied as bytes, a vector for strings.
template <class T> class key_memory {
 public:
  explicit key_memory(std::size_t n) : block_(bytes_of({n, sizeof(T)})), keys_(block_.as<T>(n)) {}
  [[nodiscard]] std::span<T> keys() { return keys_; }
  void copy(const key_memory& from) {
    std::memcpy(static_cast<void*>(keys_.data()), from.keys_.data(), keys_.size_bytes());
  }

 private:
  big_block block_;
  std::span<T> keys_;
};
template <> class key_memory<std::string> {
 public:
  explicit key_memory(std::size_t n) : keys_(n) {}
  [[nodiscard]] std::span<std::string> keys() { return keys_; }
  void copy(const key_memory& from) { keys_ = from.keys_; }

 private:
  std::vector<std::string> keys_;
};

/// The keys of a sort that is measured: as they lie before, and the copy of them that is sorted.
template <class T> class sort_data {
 public:
  sort_data(std::size_t n, distribution shape, std::uint64_t seed) : original_(n), keys_(n) {
    fill_keys(original_.keys(), shape, seed);
    fingerprint_ = key_fingerprint(std::span<const T>(original_.keys()));
  }

  /// Fresh keys, then sort(keys): the seconds of the sort alone.
  template <class Sort> double sample(const Sort& sort) {
    keys_.copy(original_);
    const auto start = benchmark_clock::now();
    sort(keys_.keys());
    return seconds_since(start);
  }

  /// Checks what the last sample left. Throws: pleat::error naming who sorted.
  void verify(std::string_view who) {
    verify_sorted(std::span<const T>(keys_.keys()), fingerprint_, who);
  }

  /// Checks besides that it is what a stable sort leaves, given that `stable` is one.
  template <class Sort> void verify_stable(std::string_view who, const Sort& stable) {
    verify(who);
    key_memory<T> expected(size());
    expected.copy(original_);
    stable(expected.keys());
    if (!std::ranges::equal(keys_.keys(), expected.keys())) {
      throw error("verification failed: " + std::string(who) + " changed the order of equal keys");
    }
  }

  [[nodiscard]] std::size_t size() { return keys_.keys().size(); }

 private:
  key_memory<T> original_, keys_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace pleat::bench
