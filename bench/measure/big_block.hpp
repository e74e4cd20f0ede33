// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placed_memory.hpp>

namespace pleat::bench {

/// The product of the factors; more than any machine has if no size_t holds it.
constexpr std::size_t bytes_of(std::initializer_list<std::size_t> factors) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t product = 1;
  for (const std::size_t factor : factors)
    product = factor != 0 && product > most / factor ? most : product * factor;
  return product;
}

/// Memory for one large array: zero pages straight from the kernel, with std::bad_alloc turned into
/// an error that says how much was wanted.
class big_block {
 public:
  big_block() = default;

  /// Takes memory without touching it: its first user decides on which node it is. Throws:
  /// pleat::environment_error if there is not that much memory.
  explicit big_block(std::size_t bytes,
                     memory_policy::pages size = memory_policy::pages::transparent);

  /// Memory for programs of that machine, with its pages where the machine's policy puts them.
  /// Throws: pleat::environment_error if there is not that much memory; as pleat::placed_memory.
  big_block(std::size_t bytes, machine& on);

  big_block(big_block&& other) noexcept
      : own_(std::exchange(other.own_, {})), placed_(std::move(other.placed_)) {}
  big_block& operator=(big_block&& other) noexcept {
    std::swap(own_, other.own_);
    placed_ = std::move(other.placed_);
    return *this;
  }
  ~big_block();

  [[nodiscard]] std::span<std::byte> bytes() const { return own_.empty() ? placed_.bytes() : own_; }

  /// The block as `count` elements. Requires: T trivially copyable, the block holds that many.
  template <class T> [[nodiscard]] std::span<T> as(std::size_t count) const {
    return {reinterpret_cast<T*>(bytes().data()), count};
  }

  /// Empty if it was not made for a machine.
  [[nodiscard]] const placed_memory& placed() const { return placed_; }

 private:
  std::span<std::byte> own_;
  placed_memory placed_;
};

/// The arrays that a measurement works on.
using measured_arrays = std::vector<const big_block*>;

/// Nodes on which the kernel has the pages of some arrays.
struct array_pages {
  page_counts counts;
  std::uint64_t astray = 0;  ///< not where the policy of their machine put them
};

/// Looks at the arrays' pages as they are now. None without arrays.
/// Cost: some 100 ns a page, twice. Throws: pleat::environment_error if the kernel does not tell.
[[nodiscard]] std::optional<array_pages> look_at(const measured_arrays& arrays);

/// Looks up the pages of a measurement that has been made on `on`: says on stderr if pages are not
/// where its policy put them, and what to do; and if a policy was chosen and the kernel does not
/// tell what came of it. None then.
[[nodiscard]] std::optional<array_pages> checked_pages(const machine& on,
                                                       const measured_arrays& arrays);

/// The policy without the size of pages, as `memory` in every JSON: "interleave", "bind:1".
[[nodiscard]] std::string nodes_text(memory_policy policy);

/// Makes `memory_pages` of every JSON: `{"page_bytes": 4096, "on_node": {"0": 512}, "absent": 0,
/// "astray": 0}`; null for none.
[[nodiscard]] nlohmann::ordered_json memory_pages_json(const std::optional<array_pages>& pages);

}  // namespace pleat::bench
