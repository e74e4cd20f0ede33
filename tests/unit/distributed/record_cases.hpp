// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <pleat/oblivious/distributed.hpp>

/// Elements that tell where they were: a key, and an index.
using record = std::pair<std::uint32_t, std::uint32_t>;

inline std::uint32_t scrambled_key(std::size_t i) {
  return static_cast<std::uint32_t>((i + 1) * 0x9e3779b97f4a7c15U >> 40U);
}
/// n of them, the keys in no order, less than `distinct`; indices from `first` on.
inline std::vector<record> scrambled_records(std::size_t n, std::uint32_t distinct,
                                             std::uint32_t first = 0) {
  std::vector<record> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = {scrambled_key(i + first) % distinct, first + static_cast<std::uint32_t>(i)};
  return all;
}

template <class T>
pleat::distributed<T> distributed_of(pleat::machine& on, const std::vector<T>& all) {
  pleat::distributed<T> data(on, all.size());
  data.fill(on, [&](std::size_t i) { return all[i]; });
  return data;
}
