// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "big_block.hpp"
#include "clock.hpp"
#include "sort_keys.hpp"

namespace pleat::bench {

/// The keys of a sort that is measured: as they lie before, and the copy of them that is sorted.
template <class T> class sort_data {
 public:
  sort_data(std::size_t n, distribution shape, std::uint64_t seed)
      : original_memory_(n * sizeof(T)),
        keys_memory_(n * sizeof(T)),
        original_(original_memory_.as<T>(n)),
        keys_(keys_memory_.as<T>(n)) {
    fill_keys(original_, shape, seed);
    fingerprint_ = key_fingerprint(std::span<const T>(original_));
  }

  /// Fresh keys, then sort(keys): the seconds of the sort alone.
  template <class Sort> double sample(const Sort& sort) {
    std::memcpy(static_cast<void*>(keys_.data()), original_.data(), keys_.size_bytes());
    const auto start = benchmark_clock::now();
    sort(keys_);
    return seconds_since(start);
  }

  /// Checks what the last sample left. Throws: pleat::error naming who sorted.
  void verify(std::string_view who) const {
    verify_sorted(std::span<const T>(keys_), fingerprint_, who);
  }

  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  big_block original_memory_, keys_memory_;
  std::span<T> original_, keys_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace pleat::bench
