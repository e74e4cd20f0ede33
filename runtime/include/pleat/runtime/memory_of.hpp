// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
#include <span>
#include <string>

namespace pleat {

/// Number of pages of a memory area on each NUMA node.
struct PLEAT_API page_counts {
  std::map<unsigned, std::uint64_t> on_node;  ///< by the operating system's index
  std::uint64_t absent = 0;                   ///< never written to, or swapped out
  std::size_t page_bytes = 0;                 ///< size of a counted page; a huge page is many

  [[nodiscard]] std::uint64_t present() const noexcept;
  page_counts& operator+=(const page_counts& other);  ///< Throws: std::bad_alloc.
  friend bool operator==(const page_counts&, const page_counts&) = default;
};

/// Text such as "node 0: 75 %, node 1: 25 %", with the absent pages if there are any. Throws:
/// std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_string(const page_counts& counts);

/// Asks the kernel for the current nodes of the pages of `memory`. The first and the last page
/// count as a whole.
///
/// Cost: some 100 ns a page. Throws: environment_error if the kernel does not answer (in a
/// container that forbids move_pages); std::bad_alloc. Source: move_pages(2).
[[nodiscard]] PLEAT_API page_counts memory_of(std::span<const std::byte> memory);

template <std::ranges::contiguous_range R>
requires std::ranges::sized_range<R>
[[nodiscard]] page_counts memory_of(const R& range) {
  return pleat::memory_of(
      std::as_bytes(std::span(std::ranges::data(range), std::ranges::size(range))));
}

}  // namespace pleat
