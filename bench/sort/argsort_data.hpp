// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <pleat/runtime/error.hpp>

#include "key_index.hpp"
#include "measure/big_block.hpp"
#include "sort_data.hpp"

namespace pleat::bench {

/// The keys of an argsort that is measured, and room for their indices.
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

  /// Checks that the indices are those of a stable sort. Strictly ascending, none is there twice:
  /// so all are, and in the one order there is. Throws: pleat::error naming who sorted.
  void verify(std::string_view who) const {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= keys.size()) {
        throw error("verification failed: " + std::string(who) + " left an index at " +
                    std::to_string(i) + " that is none of a key");
      }
      if (i != 0 && !order()(indices[i - 1], indices[i])) {
        throw error("verification failed: " + std::string(who) + " left the indices at " +
                    std::to_string(i - 1) + " and " + std::to_string(i) + " in the wrong order");
      }
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
