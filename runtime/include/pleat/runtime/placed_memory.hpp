// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Memory for an array that programs of a machine work on, with its pages on the nodes that the
/// machine's memory_policy chooses.
///
/// The array is divided into p equal shares in the order of the processors, as the library's
/// programs divide their data, and processor i touches the pages of share i first. So `first-touch`
/// and `local` put a share on its owner's node, `remote` on the farthest one, and so on. Shares
/// begin at page boundaries: at multiples of 2 MiB if pages may be that large.
///
/// ```cpp
/// pleat::machine machine({.memory = pleat::parse_memory_policy("interleave")});
/// const pleat::placed_memory memory(machine, n * sizeof(double));
/// const std::span<double> keys = memory.as<double>(n);    // zeros
/// pleat::sort(machine, keys);
/// pleat::memory_of(keys);                                 // where the pages are now
/// ```
///
/// Thread safety: as a value. The memory may outlive the machine.
class PLEAT_API placed_memory {
 public:
  placed_memory() = default;

  /// Allocates `bytes` zeros, aligned to a page, or to 2 MiB if they are at least as many.
  /// Cost: one page fault a page, shared among the processors.
  /// Throws: std::bad_alloc; environment_error, if the policy binds pages to a node that has too
  /// little memory, or the kernel has too few reserved huge pages; what machine::run throws.
  placed_memory(machine& on, std::size_t bytes);
  placed_memory(placed_memory&& other) noexcept { swap(other); }
  placed_memory& operator=(placed_memory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~placed_memory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  /// Returns the memory as `count` elements. Requires: `count` elements fit.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::span<T> as(std::size_t count) const noexcept {
    return {reinterpret_cast<T*>(bytes_.data()), count};
  }

  /// Counts the pages that are not on a node of the policy: the kernel (AutoNUMA, swapping) or
  /// another program (migratepages) has moved them, or the node was full. Absent pages do not
  /// count. For interleave, the pages beyond the even share of a node count; for
  /// weighted-interleave none do, because weights may have changed. Under first-touch the result is
  /// 0 in a process whose policy numactl has changed, or that may not ask for its policy.
  ///
  /// Cost: some 100 ns a page. Throws: as memory_of.
  [[nodiscard]] std::uint64_t astray() const;

 private:
  struct share {
    std::span<std::byte> bytes;
    std::vector<unsigned> nodes;  // empty: any
  };

  void swap(placed_memory& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(unit_, other.unit_);
    std::swap(even_, other.even_);
    shares_.swap(other.shares_);
  }

  std::span<std::byte> bytes_;
  std::size_t unit_ = 0;  // unit of placement: a page of the largest possible size
  bool even_ = true;      // the nodes of a share have equal numbers of its pages
  std::vector<share> shares_;
};

}  // namespace pleat
