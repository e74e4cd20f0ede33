// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include <pleat/channels/slot.hpp>

namespace pleat::detail {

/// Loans of strict mode: memory that was lent read-only, and its contents when the loan began.
///
/// A loan begins at the owner's first sync that joins owner and borrower and ends at their next
/// one. In between the memory must not change. Cost: one pass over the memory at each of the two.
class loans {
 public:
  void lend(std::size_t borrower, const lent_block& block);
  /// Begins and ends loans of the owner before it performs sync(label) in M(v). Throws
  /// lent_memory_modified.
  void at_sync(std::size_t v, std::size_t owner, unsigned label);
  void clear() noexcept { open_.clear(); }

 private:
  struct loan {
    std::size_t borrower;
    lent_block block;
    bool begun;
    std::uint64_t digest;
  };
  std::unordered_multimap<std::size_t, loan> open_;  // by owner
};

}  // namespace pleat::detail
