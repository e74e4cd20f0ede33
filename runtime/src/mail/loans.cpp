// SPDX-License-Identifier: Apache-2.0
#include "mail/loans.hpp"

#include <functional>
#include <string_view>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

namespace {

std::uint64_t digest(const lent_block& block) {
  std::uint64_t sum = 0x9e3779b97f4a7c15;
  for (std::size_t row = 0; row < block.rows; ++row) {
    const auto* first =
        static_cast<const char*>(block.data) + row * block.stride * block.element_size;
    const std::string_view bytes(first, block.columns * block.element_size);
    sum = (sum << 7 | sum >> 57) ^ std::hash<std::string_view>{}(bytes);
  }
  return sum;
}

}  // namespace

void loans::lend(std::size_t borrower, const lent_block& block) {
  if (block.writable) return;  // the borrower may write to it: no check is possible
  open_.emplace(block.owner, loan{borrower, block, false, 0});
}

void loans::at_sync(std::size_t v, std::size_t owner, unsigned label) {
  auto [it, last] = open_.equal_range(owner);
  while (it != last) {
    loan& l = it->second;
    if (label > shared_bits(v, owner, l.borrower)) {  // this barrier does not join the two
      ++it;
    } else if (!l.begun) {
      l.begun = true;
      l.digest = digest(l.block);
      ++it;
    } else {
      if (digest(l.block) != l.digest) throw lent_memory_modified(owner, l.borrower);
      it = open_.erase(it);
    }
  }
}

}  // namespace pleat::detail
